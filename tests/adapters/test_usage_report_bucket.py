"""Files of the usage report are written by whoever may write to its bucket."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from commons.adapters import usage_report_bucket
from commons.adapters.usage_report import CsvUsage, RawUsage, SummaryUsage
from commons.adapters.usage_report_bucket import UsageReportBucket
from commons.adapters.usage_sources import UsageSources
from commons.domain.documents import ClusterDocument
from commons.domain.errors import AccessDenied, RefusedInput
from tests.adapters.usage_report_files import BUCKET

DAY = date(2026, 10, 3)
FOLDER = "raw/clusterqueue/year=2026/month=10/day=03/"
# a database takes some of these for a pattern, a quote or another folder
NAMES = (
    "a[b]*?.parquet",
    "it's; DROP TABLE x --.parquet",
    "../../../etc/x.parquet",
    "%2e%2e.parquet",
)


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        yield client


def put(s3: Any, key: str, body: bytes = b"x") -> None:
    s3.put_object(Bucket=BUCKET, Key=key, Body=body)


def test_files_lie_in_the_folder_whatever_they_are_called(s3: Any, tmp_path: Path) -> None:
    bucket = UsageReportBucket(s3, BUCKET, "")
    for number, name in enumerate(NAMES):
        put(s3, f"{FOLDER}hour=00/cluster=hp/{name}", str(number).encode())
    files = bucket.days("raw/clusterqueue", [DAY])[DAY]
    assert len(files) == len(NAMES)
    assert {file.cluster for file in files} == {"hp"}
    paths = bucket.download(files, tmp_path)
    assert {path.parent for path in paths} == {tmp_path}
    assert sorted(path.read_text() for path in paths) == ["0", "1", "2", "3"]


def test_only_the_folders_of_the_days_are_listed(s3: Any) -> None:
    for key in ("day=03/x.parquet", "day=04/x.parquet", "day=03/x.txt", "day=031/x.parquet"):
        put(s3, f"in/raw/pod/year=2026/month=10/{key}")
    put(s3, "raw/pod/year=2026/month=10/day=03/x.parquet")
    bucket = UsageReportBucket(s3, BUCKET, "in/")
    found = bucket.days("raw/pod", [DAY, date(2026, 10, 5)])
    assert {day.day: [file.key for file in files] for day, files in found.items()} == {
        3: ["in/raw/pod/year=2026/month=10/day=03/x.parquet"],
        5: [],
    }


def test_more_or_larger_files_than_a_report_can_have_are_not_read(
    s3: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = UsageReportBucket(s3, BUCKET, "")
    for number in range(3):
        put(s3, f"{FOLDER}{number}.parquet", b"x" * 10)
    monkeypatch.setattr(usage_report_bucket, "MOST_FILES", 2)
    with pytest.raises(RefusedInput, match="more than 2 files"):
        bucket.days("raw/clusterqueue", [DAY])
    monkeypatch.setattr(usage_report_bucket, "MOST_FILES", 3)
    monkeypatch.setattr(usage_report_bucket, "MOST_BYTES", 29)
    with pytest.raises(RefusedInput, match="or 29 bytes"):
        bucket.days("raw/clusterqueue", [DAY])
    monkeypatch.setattr(usage_report_bucket, "LARGEST_FILE", 9)
    with pytest.raises(RefusedInput, match=r"0\.parquet is refused: it has more than 9 bytes"):
        bucket.days("raw/clusterqueue", [DAY])


def test_a_file_that_was_replaced_meanwhile_is_not_read(s3: Any, tmp_path: Path) -> None:
    bucket = UsageReportBucket(s3, BUCKET, "")
    put(s3, f"{FOLDER}x.parquet")
    files = bucket.days("raw/clusterqueue", [DAY])[DAY]
    put(s3, f"{FOLDER}x.parquet", b"another")
    with pytest.raises(RefusedInput, match="replaced or removed while it was read"):
        bucket.download(files, tmp_path)


def test_a_bucket_that_is_not_there_is_named(s3: Any) -> None:
    with pytest.raises(RefusedInput, match=r"s3://no-such-bucket/.*there is no such bucket"):
        UsageReportBucket(s3, "no-such-bucket", "").csv_files(DAY, DAY)


class Closed:
    """Answers like a bucket that the stack was not told of."""

    def get_paginator(self, _: str) -> Any:
        return self

    def paginate(self, **_: str) -> Iterator[Any]:
        error = {"Error": {"Code": "AccessDenied", "Message": "no identity-based policy allows it"}}
        yield from ()
        raise ClientError(error, "ListObjectsV2")


def test_a_bucket_that_we_may_not_read_says_what_to_do() -> None:
    with pytest.raises(AccessDenied, match="stack's parameter UsageReportBuckets"):
        UsageReportBucket(Closed(), "theirs", "").csv_files(DAY, DAY)


def test_names_of_csv_files_tell_of_which_days_they_are(s3: Any) -> None:
    names = (
        "summary-report-2026-10-03.csv",
        "detailed-report-2026-09-01-2026-10-03-team-a.csv",
        "summary-report-2026-10-04.csv",
        "summary-report-2026-09-01-2026-10-02.csv",
        "summary-report-2026-10-03.pdf",
        "other.csv",
        "in/summary-report-2026-10-03.csv",
    )
    for name in names:
        put(s3, name)
    found = UsageReportBucket(s3, BUCKET, "").csv_files(DAY, DAY)
    assert {file.key for file in found} == set(names[:2])


@pytest.mark.parametrize(
    ("form", "kind"), [("raw", RawUsage), ("summary", SummaryUsage), ("csv", CsvUsage)]
)
def test_the_document_says_which_source_it_is(form: str, kind: type) -> None:
    document = {
        "kind": "Cluster",
        "cluster": "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56",
        "name": "research",
        "eks_cluster": "hp-eks",
    }
    ledger: Any = object()
    sources = UsageSources(ledger, None, lambda _: {}, DAY)
    assert sources.of(ClusterDocument.model_validate(document)) is ledger
    report = {"form": form, "bucket": BUCKET, "cluster_name": "hp-eks"}
    chosen = ClusterDocument.model_validate({**document, "usage_source": report})
    assert type(sources.of(chosen)) is kind
