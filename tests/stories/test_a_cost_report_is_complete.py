"""A cost report is complete: `publish_chargeback` makes the chargeback of its period."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from local.cost_report import Execution, company_rows, manifest_of, write_report
from local.cost_rows import Nodes, Row
from tests.stories.conftest import Cloud

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/cb02cb02cb02"
DAYS = [date(2026, 3, 4), date(2026, 3, 5)]


def rows(price: str, late: bool = False) -> list[Row]:
    nodes = Nodes(CLUSTER, "ml.p5.48xlarge", 2, Decimal(price))
    return company_rows([nodes], DAYS, {}, late)


def execution(number: int) -> Execution:
    return Execution(f"5e5e0000-0000-4000-8000-{number:012}", datetime(2026, 3, number, tzinfo=UTC))


def shown(cloud: Cloud, *words: str) -> Any:
    answer = cloud.run("chargeback", *words, "--json")
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def deliver(cloud: Cloud, period: str, content: list[Row], number: int) -> list[str]:
    bucket = cloud.outputs["CostReportBucket"]
    keys = write_report(cloud.client("s3"), bucket, "cur2/", period, execution(number), content)
    cloud.wait()
    return keys


def test_cb_02_a_newer_run_replaces_and_a_repeated_one_changes_nothing(cloud: Cloud) -> None:
    deliver(cloud, "2026-03", rows("98.32"), 6)
    first = shown(cloud, "show", "--period", "2026-03")
    assert first["total"] == first["source_total"]
    assert sum(Decimal(each["amount"]) for each in first["by"]) == Decimal(first["total"])
    assert first["status"] == "provisional"

    deliver(cloud, "2026-03", rows("99.00", late=True), 7)
    second = shown(cloud, "show", "--period", "2026-03")
    assert Decimal(second["total"]) > Decimal(first["total"])
    assert second["total"] == second["source_total"]

    deliver(cloud, "2026-03", rows("98.32"), 6)
    assert shown(cloud, "show", "--period", "2026-03") == second
    runs = [run for run in shown(cloud, "runs") if run["period"] == "2026-03"]
    assert {run["run_id"]: (run["status"], run["current"]) for run in runs} == {
        first["run_id"]: ("superseded", False),
        second["run_id"]: ("provisional", True),
    }


def test_a_report_whose_file_is_no_parquet_is_refused_by_name(cloud: Cloud) -> None:
    bucket, s3 = cloud.outputs["CostReportBucket"], cloud.client("s3")
    run = execution(9)
    key = f"cur2/x/data/BILLING_PERIOD=2026-02/{run.folder}/broken-00001.snappy.parquet"
    s3.put_object(Bucket=bucket, Key=key, Body=b"this is no parquet file")
    manifest = f"cur2/x/metadata/BILLING_PERIOD=2026-02/{run.folder}/x-Manifest.json"
    s3.put_object(Bucket=bucket, Key=manifest, Body=manifest_of(bucket, [key], run))
    cloud.wait()
    (refused,) = [each for each in shown(cloud, "runs") if each["period"] == "2026-02"]
    assert refused["status"] == "refused"
    assert key in refused["reasons"][0]
    assert not refused["current"]
