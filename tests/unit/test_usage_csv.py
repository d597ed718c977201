"""The CSV of AWS's usage report is read by position, or refused with its line and not half."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain.errors import RefusedInput
from commons.domain.instance_types import CPU, NEURON_CORE, NVIDIA
from commons.domain.usage_csv import parse
from commons.domain.usage_csv_days import choose
from commons.domain.usage_found import Gap
from commons.domain.usage_summary import settle
from tests.unit.report_support import A, B
from tests.unit.usage_csv_support import (
    DETAILED_HEADERS,
    LABELLED_HEADERS,
    csv_file,
    day_row,
    task_row,
)

DAYS = ("2025-05-10", "2025-05-12")
ROW = day_row("2025-05-10", A, "team-a", (200, 170, 30))
STORED = datetime(2025, 5, 20, tzinfo=UTC)


def may(day: int, hour: int = 0) -> datetime:
    return datetime(2025, 5, day, hour, tzinfo=UTC)


def faults(text: str) -> list[str]:
    with pytest.raises(RefusedInput) as refused:
        parse("s3://bucket/x.csv", text)
    assert refused.value.what == "usage report s3://bucket/x.csv"
    return refused.value.reasons


def test_cb_22_columns_are_told_by_their_group_in_both_wordings() -> None:
    row = f"2025-05-10,{A},team-a,ml.trn1.32xlarge,1.00,0.75,0.25,2.00,1.50,0.50,3.00,2.00,1.00"
    for old in (False, True):
        report = parse("x", csv_file([row], DAYS, old=old))
        assert (report.cluster_name, report.first, report.last) == (
            "ml-cluster",
            date(2025, 5, 10),
            date(2025, 5, 12),
        )
        [found] = report.rows
        assert dict(found.total) == {NEURON_CORE: 1, NVIDIA: 2, CPU: 3}
        assert dict(found.allocated) == {
            NEURON_CORE: Decimal("0.75"),
            NVIDIA: Decimal("1.5"),
            CPU: 2,
        }
        assert dict(found.borrowed) == {
            NEURON_CORE: Decimal("0.25"),
            NVIDIA: Decimal("0.5"),
            CPU: 1,
        }


def test_cb_22_the_optional_blocks_may_be_there_or_not() -> None:
    missing = [
        "2025-05-12 03:00:00 to 2025-05-12 07:00:00",
        "2025-05-12 20:00:00 to 2025-05-13 00:00:00",
    ]
    report = parse("x", csv_file([ROW], DAYS, missing=missing, filters=["Namespace: a", "Task: b"]))
    assert report.filtered == "Namespace: a, Task: b"
    assert report.missing == (
        Gap(start=may(12, 3), end=may(12, 7)),
        Gap(start=may(12, 20), end=may(13)),
    )
    assert len(report.rows) == 1
    for old in (False, True):
        assert parse("x", csv_file([], DAYS, old=old)).rows == ()
    windows = csv_file([ROW], DAYS, missing=missing).replace("\n", "\r\n")
    assert parse("x", "\ufeff" + windows + "\r\n").missing == report.missing


def test_cb_22_a_row_of_another_width_is_refused_with_its_line_and_no_row_is_taken() -> None:
    comma = day_row("2025-05-10", A, "vision, and more", (8, 8, 0))
    assert faults(csv_file([ROW, comma, ROW, ROW + ","], DAYS)) == [
        "line 9: has 14 fields and must have 13",
        "line 11: has 14 fields and must have 13",
    ]
    labels = task_row("2025-05-10", "01:00:00", "02:00:00", A, "team-a", 8, 8)
    file = csv_file([f"{labels},a=1,b=2"], DAYS, headers=LABELLED_HEADERS, old=True)
    assert faults(file) == ["line 8: has 17 fields and must have 16"]
    assert (
        len(parse("x", csv_file([f"{labels},a=1"], DAYS, headers=LABELLED_HEADERS, old=True)).tasks)
        == 1
    )


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("Amazon SageMaker HyperPod", "Product", "line 1: must be 'Amazon SageMaker HyperPod'"),
        ("Cluster Name", "Name", "line 2: must begin with Cluster Name:"),
        ("2025-05-10 to", "10 May to", "must be two days, the earlier first"),
        ("to 2025-05-12", "to 2025-05-09", "must be two days, the earlier first"),
        ("to 2025-05-12", "to 2099-05-09", "less than 400 apart"),
        ("2025-05-10 to 2025-05-12", "9999-12-31 to 9999-12-31", "must be two days"),
        ("Summary", "Detailed", "the headers are none that the product knows of a Detailed"),
        (",,,Instance", ",,Instance", "line 7: the headers are none that the product knows"),
        ("200.00", "nan", "line 8: 'nan' is no amount"),
        ("200.00", "-1.00", "line 8: '-1.00' is no amount"),
        ("200.00", "1e9", "line 8: '1e9' is no amount"),
        ("200.00", "9" * 45, "is no amount"),
        ("200.00", "100.00", "more of nvidia.com/gpu is allocated and borrowed than is used"),
        ("2025-05-10,", "2025-05-13,", "line 8: 2025-05-13 is not between the days of the report"),
        ("2025-05-10,", "20250510,", "line 8: '20250510' is no day"),
        (A, "../etc", "line 8: '../etc' is no namespace"),
        (A, "=cmd|x", "line 8: '=cmd|x' is no namespace"),
        (",team-a", "," + "t" * 300, "is no team"),
        (",team-a", ",=HYPERLINK(x)", "line 8: '=HYPERLINK(x)' is no team"),
        ("ml.p5", "ml\x1b[2J", "line 8: 'ml\\x1b[2J.48xlarge' is no instance type"),
    ],
)
def test_a_wrong_line_is_named(old: str, new: str, fault: str) -> None:
    [reason] = faults(csv_file([ROW], DAYS).replace(old, new, 1))
    assert fault in reason


def test_a_file_that_ends_early_is_refused() -> None:
    lines = csv_file([ROW], DAYS).splitlines()
    for count in range(7):
        [reason] = faults("\n".join(lines[:count]))
        assert reason.startswith("line ")


def test_cb_25_a_period_that_ends_at_midnight_ends_at_the_next_one() -> None:
    days = ("2025-05-04", "2025-05-05")
    rows = [
        task_row("2025-05-04", "22:00:00", "00:00:00", A, "team-a", 16, 8),
        task_row("2025-05-05", "00:00:00", "00:00:00", A, "team-a", 192, 8),
        task_row("2025-05-05", "00:00:00", "00:00:00", A, "team-a", 0, 8),
        task_row("2025-05-05", "03:00:00", "03:00:00", A, "team-a", 0, 8),
    ]
    report = parse("x", csv_file(rows, days, headers=DETAILED_HEADERS))
    assert report.detailed
    assert [(t.start, t.end - t.start) for t in report.tasks] == [
        (may(4, 22), timedelta(hours=2)),
        (may(5), timedelta(hours=24)),
        (may(5), timedelta(0)),
        (may(5, 3), timedelta(0)),
    ]
    assert report.tasks[0].end == may(5)


def test_cb_25_a_period_that_cannot_be_is_refused() -> None:
    days = ("2025-05-04", "2025-05-05")
    rows = [
        task_row("2025-05-04", "22:00:00", "21:00:00", A, "team-a", 16, 8),
        task_row("2025-05-04", "22:00:00", "00:00:00", A, "team-a", 176, 8),
        task_row("2025-05-04", "25:00:00", "00:00:00", A, "team-a", 176, 8),
    ]
    before, long, time = faults(csv_file(rows, days, headers=DETAILED_HEADERS))
    assert before == "line 8: the period ends before it begins"
    assert long == "line 9: 176.00 hours of nvidia.com/gpu are more than 8.00 held in the period"
    assert time.startswith("line 10: hour must be in 0..23")


def chosen(*files: str, cluster: str = "ml-cluster") -> tuple[dict[int, Decimal], list[Gap], str]:
    """GPU-hours by day of May, gaps, warnings; each file was stored a day after the one before."""
    reports = [
        (parse(f"{n}.csv", text), STORED + timedelta(days=n)) for n, text in enumerate(files)
    ]
    found = choose(reports, cluster, date(2025, 5, 10), date(2025, 5, 12))
    hours: dict[int, Decimal] = {}
    for use in settle("x", found.rows).uses:
        hours[use.day.day] = hours.get(use.day.day, Decimal(0)) + use.own + use.borrowed
    return hours, list(found.gaps), "; ".join(found.warnings)


LATER = [day_row(f"2025-05-{n}", A, "team-a", (192, 192, 0)) for n in (11, 12)]
FIRST = csv_file([ROW, LATER[1]], DAYS, missing=["2025-05-12 03:00:00 to 2025-05-12 07:00:00"])
COMPLETE = csv_file([ROW, *LATER], DAYS)


def test_cb_23_a_day_without_rows_is_a_gap_though_the_report_does_not_list_it() -> None:
    assert chosen(FIRST) == (
        {10: 200, 12: 192},
        [Gap(start=may(11), end=may(12)), Gap(start=may(12, 3), end=may(12, 7))],
        "",
    )


def test_cb_23_a_later_complete_report_clears_the_gaps_and_no_day_is_counted_twice() -> None:
    whole = ({10: 200, 11: 192, 12: 192}, [], "")
    assert chosen(FIRST, COMPLETE) == whole
    assert chosen(COMPLETE, FIRST) == whole
    # CB-24: the same report again
    assert chosen(COMPLETE, COMPLETE) == whole


def test_of_equally_complete_reports_the_newest_counts() -> None:
    changed = csv_file([day_row("2025-05-10", A, "team-a", (8, 8, 0)), *LATER], DAYS)
    assert chosen(COMPLETE, changed)[0][10] == 8


def test_days_that_no_report_is_about_are_gaps() -> None:
    short = csv_file([ROW], ("2025-05-10", "2025-05-10"))
    assert chosen(short)[1] == [Gap(start=may(11), end=may(13))]
    assert chosen()[1] == [Gap(start=may(10), end=may(13))]


def test_cb_22_a_filtered_report_never_stands_for_the_whole() -> None:
    part = csv_file([ROW, *LATER], DAYS, filters=[f"Namespace: {A}"])
    hours, gaps, told = chosen(part, FIRST)
    assert (hours, gaps) == chosen(FIRST)[:2]
    assert told == f"0.csv: is a part only ('Namespace: {A}'), and is not used"
    assert chosen(part)[:2] == ({}, [Gap(start=may(10), end=may(13))])


def test_a_report_of_another_cluster_is_none_of_this_one() -> None:
    hours, _, told = chosen(COMPLETE, cluster="other")
    assert hours == {}
    assert told == "no file is about the cluster other; there are some about 'ml-cluster'"


def test_a_detailed_report_tells_of_days_that_no_summary_tells() -> None:
    rows = [
        task_row("2025-05-11", "20:00:00", "00:00:00", A, "team-a", 32, 8),
        task_row("2025-05-11", "20:00:00", "00:00:00", A, "team-a", 32, 8),  # AWS's second pass
        task_row("2025-05-11", "00:00:00", "01:00:00", A, "team-a", 8, 8),
        task_row("2025-05-10", "00:00:00", "01:00:00", B, "", 8, 8),
        task_row("2025-05-11", "00:00:00", "01:00:00", "research", "", 1, 1),
        task_row("2025-05-11", "00:00:00", "01:00:00", "research", "", 1, 1),
    ]
    detailed = csv_file(rows, DAYS, headers=DETAILED_HEADERS)
    short = csv_file([ROW], ("2025-05-10", "2025-05-10"))
    hours, _, told = chosen(short, detailed)
    assert hours == {10: 200, 11: 41}
    assert "2025-05-11, 2025-05-12: only a detailed report tells" in told


@given(st.permutations([ROW, *LATER, day_row("2025-05-10", B, "team-b", (8, 0, 8))]))
def test_the_order_of_rows_is_nothing(rows: list[str]) -> None:
    assert chosen(csv_file(rows, DAYS))[0] == {10: 208, 11: 192, 12: 192}


@given(st.text(max_size=400))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(RefusedInput):
        parse("x", text)
