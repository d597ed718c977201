"""AWS's usage report in a bucket, in each of its forms, becomes device-hours, gaps and warnings."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import boto3
import pytest
from moto import mock_aws

from commons.adapters.usage_report import CsvUsage, RawUsage, SummaryUsage
from commons.adapters.usage_report_bucket import UsageReportBucket
from commons.adapters.usage_source import UsageSource
from commons.domain.errors import RefusedInput
from commons.domain.usage_found import Gap, UsageFound
from tests.adapters.usage_report_files import (
    BUCKET,
    NAME,
    QUEUE,
    Report,
    parquet,
    pod_row,
    queue_row,
    total_row,
)
from tests.unit.report_support import P5, A, B, held
from tests.unit.usage_csv_support import csv_file, day_row

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
TODAY = date(2026, 11, 20)
DAY = date(2026, 10, 3)


def at(day: int, hour: int = 0, minute: int = 0, month: int = 10) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Iterator[Report]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket=BUCKET)
        yield Report(s3)


def raw(report: Report, today: date = TODAY, name: str = NAME) -> UsageSource:
    return RawUsage(UsageReportBucket(report.s3, report.bucket, report.prefix), name, today)


def devices(number: int) -> Callable[[str], dict[str, Decimal]]:
    return lambda cluster: {P5: Decimal(number)} if cluster == CLUSTER else {}


def summary(report: Report, gpus: int = 8, today: date = TODAY) -> UsageSource:
    bucket = UsageReportBucket(report.s3, report.bucket, report.prefix)
    return SummaryUsage(bucket, NAME, today, devices(gpus))


def read(source: UsageSource, first: int, last: int) -> UsageFound:
    return source.read(CLUSTER, date(2026, 10, first), date(2026, 10, last))


def test_a_job_over_two_midnights_without_a_record_at_midnight(report: Report) -> None:
    report.add("raw/clusterqueue", [queue_row(at(2, 14), 8), queue_row(at(4, 10), 0)])
    report.heartbeats(at(1), at(6))
    found = read(raw(report), 1, 5)
    assert found.cluster == CLUSTER
    assert held(found.uses) == {2: 80, 3: 192, 4: 80}
    assert (found.gaps, found.warnings) == ((), ())


def test_borrowed_hours_begin_when_the_queue_borrows(report: Report) -> None:
    report.add("raw/clusterqueue", [queue_row(at(2), 8), queue_row(at(2, 12), 16, 8)])
    report.add("raw/clusterqueue", [queue_row(at(3, 0, 1), 0)])
    [use] = read(raw(report), 2, 2).uses
    assert (use.namespace, use.team, use.instance_type, use.own, use.borrowed) == (
        A,
        "team-a",
        P5,
        192,
        96,
    )


def test_what_was_held_before_the_month_is_carried_into_it(report: Report) -> None:
    report.add("raw/clusterqueue", [queue_row(at(12, 6, month=9), 8)])
    report.add("raw/pod", [pod_row(at(30, 23, month=9), 2)])
    days = held(read(raw(report), 1, 31).uses)
    assert days[1] == days[12] == 192 + 48
    # 31 days after the record nobody knows any more
    assert days[13] == 48 + 48
    assert days[14] == 48


def test_the_newest_version_of_one_moment_counts_and_versions_are_numbers(report: Report) -> None:
    rows = [queue_row(at(2), gpus, resource_version=v) for v, gpus in (("99", 4), ("100", 8))]
    report.add("raw/clusterqueue", [*rows, queue_row(at(3), 0)])
    report.add("raw/clusterqueue", rows[:1], hour=23)
    assert held(read(raw(report), 2, 3).uses) == {2: 192}


def test_records_that_came_late_lie_with_the_next_day(report: Report) -> None:
    report.add("raw/clusterqueue", [queue_row(at(2), 8)])
    late = queue_row(at(2, 23, 59), 0)
    moved = late | {"timestamp": at(3)}
    [key] = report.add("raw/clusterqueue", [moved])
    report.s3.delete_object(Bucket=BUCKET, Key=key)
    report.put(key, parquet([late], QUEUE))
    assert held(read(raw(report), 2, 2).uses) == {2: Decimal("191.8666666667")}


def test_pods_count_where_there_is_no_queue_and_only_while_they_run(report: Report) -> None:
    rows = [pod_row(at(2), 8, "Pending"), pod_row(at(2, 6), 8), pod_row(at(2, 9), 8, "Unknown")]
    rows += [pod_row(at(2, 12), 8, "Succeeded"), pod_row(at(2), 8, namespace=A, pod="a-0")]
    report.add("raw/pod", rows)
    report.add("raw/clusterqueue", [queue_row(at(1), 8)])
    uses = read(raw(report), 2, 2).uses
    assert [(u.namespace, u.own, u.outside_quota) for u in uses] == [
        (A, 192, False),
        ("research", 48, True),
    ]


def test_cb_16_slices_and_unknown_accelerators_in_further_columns(report: Report) -> None:
    slices = {"mig_1g_5gb_total": 14.0, "mig_1g_5gb_borrowed": 7.0}
    report.add("raw/clusterqueue", [queue_row(at(2), 0, **slices, cpu_total=9.0)])
    found = read(raw(report), 2, 2)
    assert [(use.own, use.borrowed) for use in found.uses] == [(24, 24)]
    assert found.warnings == ()
    report.add("raw/clusterqueue", [queue_row(at(2), 0, habana_gaudi_total=8.0, namespace=B)])
    told = read(raw(report), 2, 2).warnings
    assert told[0].startswith("habana_gaudi: the report counts something of this name")


def test_cb_23_hours_and_days_without_a_heartbeat_are_gaps_with_the_last_state(
    report: Report,
) -> None:
    report.add("raw/clusterqueue", [queue_row(at(10), 8)])
    for start, end in ((at(10), at(11)), (at(12), at(12, 3)), (at(12, 7), at(13))):
        report.heartbeats(start, end)
    report.heartbeats(at(11), at(12), cluster="another")
    found = read(raw(report), 10, 12)
    assert held(found.uses) == {10: 192, 11: 192, 12: 192}
    assert found.gaps == (Gap(start=at(11), end=at(12)), Gap(start=at(12, 3), end=at(12, 7)))
    assert found.missing() == {
        date(2026, 10, 11): timedelta(days=1),
        date(2026, 10, 12): timedelta(hours=4),
    }
    report.heartbeats(at(11), at(12))
    report.heartbeats(at(12, 3), at(12, 7))
    assert read(raw(report), 10, 12).gaps == ()


def test_a_month_that_is_not_over_is_known_up_to_its_last_record(report: Report) -> None:
    report.add("raw/clusterqueue", [queue_row(at(1), 8)])
    report.heartbeats(at(1), at(3, 6))
    found = read(raw(report, today=DAY), 1, 31)
    known = at(3, 5, 32)
    assert held(found.uses) == {1: 192, 2: 192, 3: Decimal("44.2666666667")}
    assert found.gaps == (Gap(start=known, end=at(1, month=11)),)


def test_a_report_of_another_cluster_only_is_told(report: Report) -> None:
    report.add("raw/clusterqueue", [queue_row(at(2), 8)], cluster="other")
    found = read(raw(report), 2, 2)
    assert found.uses == ()
    assert found.warnings == ("the report has no cluster hp-eks; it has 'other'",)
    assert len(found.gaps) == 1


def test_other_clusters_of_the_bucket_and_folders_beside_it_are_not_read(report: Report) -> None:
    report.prefix = "reports of/hp/".replace(" ", "-")
    report.add("raw/clusterqueue", [queue_row(at(2), 8)])
    report.add("raw/clusterqueue", [queue_row(at(2), 99)], cluster="hp-eks-2")
    report.put("raw/clusterqueue/year=2026/month=10/day=02/hour=00/cluster=hp-eks/_tmp", b"x")
    assert held(read(raw(report), 2, 2).uses) == {2: 192}


def test_cb_20_rows_without_a_team_count_whole_and_outside_quota(report: Report) -> None:
    report.add("reports/summary", [total_row(DAY, "research", "", 24.0)])
    report.heartbeats(at(3), at(4))
    found = read(summary(report), 3, 3)
    [use] = found.uses
    assert (use.namespace, use.own, use.borrowed, use.outside_quota) == ("research", 24, 0, True)
    assert (found.gaps, found.warnings) == ((), ())


def test_a_day_that_aws_did_not_add_up_is_a_gap_in_spite_of_heartbeats(report: Report) -> None:
    report.add("reports/summary", [total_row(DAY, A, "team-a", 96.0 + 1 / 3, 30.0)])
    report.heartbeats(at(3), at(5))
    found = read(summary(report), 3, 4)
    assert [(use.own, use.borrowed) for use in found.uses] == [(Decimal("66.3333333333"), 30)]
    assert found.gaps == (Gap(start=at(4), end=at(5)),)


def test_cb_24_a_day_in_the_report_twice_is_billed_once(report: Report) -> None:
    rows = [total_row(DAY, A, "team-a", 192.0), total_row(DAY, "research", "", 24.0)]
    report.add("reports/summary", rows)
    once = read(summary(report), 3, 3)
    report.add("reports/summary", rows)
    twice = read(summary(report), 3, 3)
    assert twice.uses == once.uses
    assert twice.warnings == ("2026-10-03: AWS added the day up 2 times; it is counted once",)


def test_cb_24_above_what_the_cluster_has_nothing_is_billed(report: Report) -> None:
    for _ in range(2):
        report.add("reports/summary", [total_row(DAY, "research", "", 192.0)])
    assert held(read(summary(report, gpus=16), 3, 3).uses) == {3: 384}
    with pytest.raises(RefusedInput, match=r"2026-10-03: .* 384 device-hours .* has 192"):
        read(summary(report, gpus=8), 3, 3)


def csv(report: Report) -> UsageSource:
    bucket = UsageReportBucket(report.s3, report.bucket, report.prefix)
    return CsvUsage(bucket, "ml-cluster", devices(8))


def test_cb_23_a_later_complete_csv_clears_the_gaps_of_the_first(report: Report) -> None:
    rows = [day_row(f"2026-10-{day}", A, "team-a", (192, 170, 22)) for day in (10, 12)]
    days = ("2026-10-10", "2026-10-12")
    missing = ["2026-10-12 03:00:00 to 2026-10-12 07:00:00"]
    first = csv_file(rows, days, missing=missing).encode()
    report.put("summary-report-2026-10-10-2026-10-12.csv", first)
    report.put("elsewhere/summary-report-2026-10-11.csv", b"another folder")
    report.put("notes.csv", b"none of ours")
    report.put("summary-report-2026-09-01.csv", b"another month")
    found = read(csv(report), 10, 12)
    assert [(use.day.day, use.own, use.borrowed) for use in found.uses] == [
        (10, 170, 22),
        (12, 170, 22),
    ]
    assert found.gaps == (Gap(start=at(11), end=at(12)), Gap(start=at(12, 3), end=at(12, 7)))
    rows.append(day_row("2026-10-11", A, "team-a", (8, 8, 0)))
    report.put("summary-report-2026-10-09-2026-10-12.csv", csv_file(rows, days).encode())
    later = read(csv(report), 10, 12)
    assert (later.gaps, held(later.uses)) == ((), {10: 192, 11: 8, 12: 192})


def test_cb_22_a_wrong_csv_refuses_the_reading_whole(report: Report) -> None:
    row = day_row("2026-10-10", A, "team-a", (192, 170, 22))
    days = ("2026-10-10", "2026-10-10")
    report.put("summary-report-2026-10-10.csv", csv_file([row, f"{row},x"], days).encode())
    with pytest.raises(RefusedInput, match=r"s3://usage-report/summary-.*csv .*: line 9: has 14"):
        read(csv(report), 10, 10)
    report.put("summary-report-2026-10-10.csv", b"\xff\xfe")
    with pytest.raises(RefusedInput, match="is not UTF-8"):
        read(csv(report), 10, 10)
