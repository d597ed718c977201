"""The bucket of AWS's usage report: which files there are of a day, and their content, bounded."""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.domain.errors import AccessDenied, RefusedInput

_WORKERS = 16
_CHUNK = 1024 * 1024
_MISSING = {"404", "NoSuchKey", "NotFound", "412", "PreconditionFailed"}
# of one listing: a day of a table, or a folder of CSV files
MOST_FILES = 20_000
MOST_BYTES = 2 * 1024**3
LARGEST_FILE = 256 * 1024**2
_CLUSTER = re.compile(r"/cluster=([^/]*)/")
_CSV = re.compile(
    r"(?:summary|detailed)-report-(\d{4}-\d\d-\d\d)(?:-(\d{4}-\d\d-\d\d))?[^/]*\.csv", re.ASCII
)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """An object; `cluster` is what its folder says it is about, None if no folder says."""

    name: str
    key: str
    etag: str
    size: int
    stored: datetime
    cluster: str | None


class UsageReportBucket:
    """`prefix` ends in a slash or is empty."""

    def __init__(self, client: Any, bucket: str, prefix: str) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix

    def days(self, table: str, days: Sequence[date]) -> dict[date, list[StoredFile]]:
        """The Parquet files of each day of a table, of whichever cluster."""
        folders = [f"{table}/year={day:%Y}/month={day:%m}/day={day:%d}/" for day in days]
        with ThreadPoolExecutor(_WORKERS) as pool:
            listed = pool.map(lambda folder: self._list(folder, ".parquet"), folders)
            return dict(zip(days, listed, strict=True))

    def csv_files(self, first: date, last: date) -> list[StoredFile]:
        """Of the folder itself: those whose names say that they tell about one of these days."""
        return [
            file
            for file in self._list("", ".csv", Delimiter="/")
            if (found := _CSV.fullmatch(file.key.rpartition("/")[2]))
            and found[1] <= last.isoformat()
            and (found[2] or found[1]) >= first.isoformat()
        ]

    def download(self, files: Sequence[StoredFile], folder: Path) -> list[Path]:
        """Under names of our own. Raises RefusedInput if a file is no longer the one listed."""
        paths = [folder / f"{number:05}.parquet" for number in range(len(files))]
        with ThreadPoolExecutor(_WORKERS) as pool:
            list(pool.map(self._save, files, paths))
        return paths

    def _list(self, folder: str, ending: str, **more: str) -> list[StoredFile]:
        """Raises RefusedInput if there are more files or larger ones than a report can have."""
        found, total = [], 0
        where = f"s3://{self._bucket}/{self._prefix}{folder}"
        for file in self._objects(folder, more):
            if not file.key.endswith(ending):
                continue
            if file.size > LARGEST_FILE:
                raise RefusedInput(file.name, [f"it has more than {LARGEST_FILE} bytes"])
            found.append(file)
            total += file.size
            if len(found) > MOST_FILES or total > MOST_BYTES:
                reason = f"there are more than {MOST_FILES} files or {MOST_BYTES} bytes"
                raise RefusedInput(where, [reason])
        return sorted(found, key=lambda file: file.key)

    def _objects(self, folder: str, more: dict[str, str]) -> Iterator[StoredFile]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=f"{self._prefix}{folder}", **more
        )
        where = f"s3://{self._bucket}/{self._prefix}{folder}"
        try:
            with translated(f"listing {where}"):
                for page in pages:
                    yield from map(self._stored, page.get("Contents", []))
        except AccessDenied as error:
            hint = "name the bucket in the stack's parameter UsageReportBuckets"
            raise AccessDenied(f"{error}; {hint}") from error
        except ClientError as error:
            if code_of(error) != "NoSuchBucket":
                raise
            raise RefusedInput(where, ["there is no such bucket"]) from error

    def _stored(self, listed: dict[str, Any]) -> StoredFile:
        key = listed["Key"]
        cluster = _CLUSTER.search(key.removeprefix(self._prefix))
        return StoredFile(
            name=f"s3://{self._bucket}/{key}",
            key=key,
            etag=listed["ETag"],
            size=listed["Size"],
            stored=listed["LastModified"],
            cluster=cluster[1] if cluster else None,
        )

    def _save(self, file: StoredFile, path: Path) -> None:
        try:
            with translated(f"reading {file.name}"), path.open("wb") as target:
                answer = self._client.get_object(
                    Bucket=self._bucket, Key=file.key, IfMatch=file.etag
                )
                for chunk in answer["Body"].iter_chunks(_CHUNK):
                    target.write(chunk)
        except ClientError as error:
            if code_of(error) not in _MISSING:
                raise
            raise RefusedInput(
                file.name, ["it was replaced or removed while it was read"]
            ) from error
