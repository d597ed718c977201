"""The bucket that Data Exports delivers to: manifests, and the files they list."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.domain.cost_plan import DataFile
from commons.domain.cost_report import Delivery, Report
from commons.domain.errors import RefusedInput, StillConverging

# ten thousand HEAD requests one after the other would take minutes
_WORKERS = 32
_MISSING = {"404", "NoSuchKey", "NotFound"}
_CHANGED = {"412", "PreconditionFailed"}
_NAMED = 10
_CHUNK = 1024 * 1024
# ten thousand files with keys of the longest kind
_LARGEST_MANIFEST = 16 * 1024 * 1024
_KINDS = (".parquet", ".csv.gz", ".csv", ".gz")


class CostReports:
    def __init__(self, client: Any) -> None:
        self._client = client

    def manifest(self, delivery: Delivery) -> bytes:
        """The manifest as it is now. Keys of EventBridge events are plain: nothing is decoded."""
        try:
            with translated(f"reading {delivery.uri}"):
                answer = self._client.get_object(Bucket=delivery.bucket, Key=delivery.key)
                text = bytes(answer["Body"].read(_LARGEST_MANIFEST + 1))
        except ClientError as error:
            if code_of(error) not in _MISSING:
                raise
            raise RefusedInput(f"manifest {delivery.uri}", ["it does not exist"]) from error
        if len(text) > _LARGEST_MANIFEST:
            reason = f"it has more than {_LARGEST_MANIFEST} bytes"
            raise RefusedInput(f"manifest {delivery.uri}", [reason])
        return text

    def files(self, report: Report) -> list[DataFile]:
        """Size and version of every listed file. Raises StillConverging while one is not there."""
        with ThreadPoolExecutor(_WORKERS) as pool:
            found = list(
                pool.map(lambda key: self._head(report.delivery.bucket, key), report.files)
            )
        absent = [key for key, file in zip(report.files, found, strict=True) if file is None]
        if absent:
            raise StillConverging(
                f"{len(absent)} of {len(found)} files that manifest {report.delivery.uri} lists "
                f"are not there: {', '.join(absent[:_NAMED])}"
            )
        return [file for file in found if file]

    def download(self, bucket: str, files: Iterable[DataFile], folder: Path) -> list[Path]:
        """Raises RefusedInput if a file is no longer the one that was planned."""
        paths = []
        for number, file in enumerate(files):
            # DuckDB tells CSV from Parquet by the name's end, and takes * ? [ in it for a pattern
            kind = next((end for end in _KINDS if file.key.endswith(end)), "")
            paths.append(folder / f"{number:05}{kind}")
            self._save(bucket, file, paths[-1])
        return paths

    def _save(self, bucket: str, file: DataFile, path: Path) -> None:
        name = f"s3://{bucket}/{file.key}"
        try:
            with translated(f"reading {name}"), path.open("wb") as target:
                answer = self._client.get_object(Bucket=bucket, Key=file.key, IfMatch=file.etag)
                for chunk in answer["Body"].iter_chunks(_CHUNK):
                    target.write(chunk)
        except ClientError as error:
            if code_of(error) not in _MISSING | _CHANGED:
                raise
            reason = "it was replaced or removed after its manifest was read"
            raise RefusedInput(f"data file {name}", [reason]) from error

    def _head(self, bucket: str, key: str) -> DataFile | None:
        try:
            with translated(f"looking for s3://{bucket}/{key}"):
                answer = self._client.head_object(Bucket=bucket, Key=key)
        except ClientError as error:
            if code_of(error) not in _MISSING:
                raise
            return None
        return DataFile(key=key, etag=answer["ETag"], size=answer["ContentLength"])
