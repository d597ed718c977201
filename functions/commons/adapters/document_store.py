"""Documents in the configuration bucket: as uploaded, and the last good version of each."""

from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.adapters.yaml_values import LARGEST
from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.names import cluster_id


@dataclass(frozen=True)
class StoredDocument:
    body: bytes
    etag: str
    # ISO 8601, UTC
    uploaded_at: str


class DocumentStore:
    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def read(self, key: str) -> StoredDocument | None:
        """The object as it is now, a huge one cut short; None if it was removed since."""
        try:
            with translated(f"reading s3://{self._bucket}/{key}"):
                answer = self._client.get_object(Bucket=self._bucket, Key=key)
        except ClientError as error:
            if code_of(error) != "NoSuchKey":
                raise
            return None
        # one byte more than a reader takes is enough for it to refuse the document
        body = answer["Body"].read(LARGEST + 1)
        modified = answer["LastModified"].isoformat()
        return StoredDocument(body, str(answer["ETag"]).strip('"'), modified)

    def keep(self, document: ClusterDocument | TeamDocument | ChargebackRules, body: bytes) -> None:
        """Under a prefix that triggers nothing: the version that is in force."""
        with translated("keeping an accepted document"):
            self._client.put_object(Bucket=self._bucket, Key=accepted_key(document), Body=body)


def accepted_key(document: ClusterDocument | TeamDocument | ChargebackRules) -> str:
    match document:
        case ClusterDocument():
            return f"accepted/clusters/{cluster_id(document.cluster)}.yaml"
        case TeamDocument():
            return f"accepted/teams/{document.team}.yaml"
    return f"accepted/rules/{document.version}.yaml"
