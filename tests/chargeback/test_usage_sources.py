"""A bill is divided by the source of usage that the cluster's document names."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from commons import bootstrap
from commons.domain.chargeback_run import RunRef
from local.cost_rows import Nodes, node_rows
from tests.adapters.usage_report_files import BUCKET, Report, pod_row, queue_row, total_row
from tests.chargeback.chain import CLUSTER, PERIOD, Chain
from tests.unit.usage_csv_support import csv_file, day_row

DAYS = [date(2026, 10, day) for day in (2, 3, 4)]
# two nodes of eight GPUs: 12 an hour, 384 GPU-hours a day
NODES = Nodes(CLUSTER, "ml.p5.48xlarge", 2, Decimal(16))
RATE = Decimal(2)
ALPHA = "hyperpod-ns-alpha"


def at(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 10, day, hour, tzinfo=UTC)


def source(form: str, name: str = "hp-eks") -> dict[str, str]:
    return {"form": form, "bucket": BUCKET, "cluster_name": name}


@pytest.fixture
def report(chain: Chain) -> Report:
    where: Any = {"LocationConstraint": "us-west-2"}
    chain.s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=where)
    return Report(chain.s3)


def bill(chain: Chain, number: int = 5) -> str:
    rows = list(node_rows(NODES, DAYS))
    return chain.deliver(chain.report(rows, number)[0])


def amounts(chain: Chain, namespace: str) -> dict[str, Decimal]:
    return {c: amount for (_, n, c), amount in chain.amounts().items() if n == namespace}


def test_a_job_over_two_midnights_is_billed_on_each_of_its_days(
    chain: Chain, report: Report
) -> None:
    chain.register(usage_source=source("raw"))
    chain.onboard("alpha", 4)
    queue = {"namespace": ALPHA, "team": "alpha"}
    rows = [queue_row(at(2, 14), 8, 4, **queue), queue_row(at(4, 10), 0, **queue)]
    report.add("raw/clusterqueue", rows)
    report.add("raw/pod", [pod_row(at(3), 2), pod_row(at(3, 12), 2, "Succeeded")])
    report.heartbeats(at(1), at(5))
    # what the ledger knows is not asked
    chain.used(ALPHA, DAYS[0], own=96)
    assert bill(chain) == "published"
    found = amounts(chain, ALPHA)
    assert found["reserved"] == RATE * 4 * 24 * 3
    assert found["borrowed"] == RATE * 4 * (10 + 24 + 10)
    assert amounts(chain, "research") == {"on_demand": RATE * 24}


def test_cb_20_a_row_without_a_team_is_billed_as_use_outside_quota(
    chain: Chain, report: Report
) -> None:
    chain.register(usage_source=source("summary"))
    report.add("reports/summary", [total_row(DAYS[1], "research", "", 24.0)])
    report.add("reports/summary", [total_row(DAYS[2], ALPHA, "alpha", 24.0)] * 2)
    report.heartbeats(at(1), at(5))
    assert bill(chain) == "published"
    assert amounts(chain, "research") == {"on_demand": RATE * 24}
    # CB-24
    assert amounts(chain, ALPHA) == {"on_demand": RATE * 24}
    run = RunRef(period=PERIOD, run_id=chain.current()["run_id"])
    told = bootstrap.chargeback_store().outcome(run).warnings
    assert "2026-10-04: AWS added the day up 2 times; it is counted once" in told


def test_cb_22_a_wrong_csv_refuses_the_run_and_the_former_one_stays(
    chain: Chain, report: Report
) -> None:
    chain.register(usage_source=source("csv", "ml-cluster"))
    days = ("2026-10-02", "2026-10-04")
    row = day_row("2026-10-03", ALPHA, "alpha", (24, 24, 0))
    key = "summary-report-2026-10-02-2026-10-04.csv"
    report.put(key, csv_file([row], days).encode())
    assert bill(chain) == "published"
    former = chain.current()
    assert amounts(chain, ALPHA) == {"on_demand": RATE * 24}
    report.put(key, csv_file([row, f"{row},x"], days).encode())
    assert bill(chain, 6) == "RefusedInput"
    assert "line 9: has 14 fields and must have 13" in chain.refusals()[0]["reasons"][0]
    assert chain.current() == former
