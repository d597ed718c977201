"""Documents in a bucket: read as they are now, kept under a prefix that triggers nothing."""

from collections.abc import Iterator

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from commons.adapters.document_store import DocumentStore, accepted_key
from commons.adapters.yaml_values import LARGEST
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import AccessDenied

ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
TEAM = TeamDocument(kind="Team", team="vision", title="Vision")
CLUSTER = ClusterDocument(kind="Cluster", cluster=ARN, name="r", eks_cluster="e")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[DocumentStore]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="documents")
        yield DocumentStore(client, "documents")


def put(store: DocumentStore, body: bytes) -> None:
    store._client.put_object(Bucket="documents", Key="k", Body=body)


def test_a_document_is_read_with_its_etag_and_time(store: DocumentStore) -> None:
    put(store, b"a")
    found = store.read("k")
    assert found is not None
    assert found.body == b"a"
    assert found.etag == "0cc175b9c0f1b6a831c399e269772661"
    assert found.uploaded_at.endswith("+00:00")


def test_a_document_that_is_gone_is_none(store: DocumentStore) -> None:
    assert store.read("k") is None


def test_of_a_huge_object_only_as_much_is_read_as_shows_that_it_is_too_large(
    store: DocumentStore,
) -> None:
    put(store, b"x" * (3 * LARGEST))
    found = store.read("k")
    assert found is not None
    assert len(found.body) == LARGEST + 1


def test_each_kind_is_kept_in_a_place_of_its_own(store: DocumentStore) -> None:
    assert accepted_key(TEAM) == "accepted/teams/vision.yaml"
    assert accepted_key(CLUSTER) == "accepted/clusters/ab12cd34ef56.yaml"
    store.keep(TEAM, b"body")
    found = store.read("accepted/teams/vision.yaml")
    assert found is not None
    assert found.body == b"body"


def test_a_read_that_is_refused_is_named() -> None:
    client = boto3.client(
        "s3", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    with Stubber(client) as stub:
        stub.add_client_error("get_object", "AccessDenied", "no", 403)
        with pytest.raises(AccessDenied, match="s3://documents/k"):
            DocumentStore(client, "documents").read("k")
