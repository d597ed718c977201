"""Records of the usage report: spread over any files the same, and refused by file and row."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commons.adapters import usage_report_records
from commons.adapters.usage_report_records import records
from commons.domain.errors import RefusedInput
from commons.domain.usage_found import NamespaceUse
from commons.domain.usage_report import integrate
from commons.domain.usage_report_columns import PODS, QUEUES
from tests.adapters.usage_report_files import (
    POD,
    QUEUE,
    TOTAL,
    parquet,
    pod_row,
    queue_row,
    total_row,
)
from tests.unit.report_support import A, B, october

START = datetime(2026, 10, 1, tzinfo=UTC)
_COLUMNS = {QUEUES: QUEUE, PODS: POD}


def uses(*files: tuple[str, Sequence[Any]]) -> tuple[NamespaceUse, ...]:
    """Of the first four days of October; each file is of a table and has rows."""
    with TemporaryDirectory() as folder, records(Path(folder), "hp-eks") as known:
        for number, (table, rows) in enumerate(files):
            if rows:
                path = Path(folder, f"{number}.parquet")
                path.write_bytes(parquet(rows, _COLUMNS[table]))
                known.add_states(table, [(f"file {number}", path)])
        return integrate(known.queue_runs(), known.pod_runs(), october(1, 4))


moments = st.integers(0, 3 * 24 * 12).map(lambda n: START + timedelta(minutes=5 * n))
versions = st.sampled_from(["9", "10", "100"])
amounts = st.sampled_from([0.0, 2.0, 8.0])
queues = st.lists(
    st.builds(
        queue_row, moments, amounts, resource_version=versions, namespace=st.sampled_from([A, B])
    ),
    max_size=8,
    unique_by=lambda row: (row["timestamp"], row["namespace"], row["resource_version"]),
)
pods = st.lists(
    st.builds(
        pod_row,
        moments,
        amounts,
        st.sampled_from(["Running", "Succeeded", "Unknown"]),
        resource_version=versions,
        pod=st.sampled_from(["x", "y"]),
        namespace=st.sampled_from([A, "research"]),
    ),
    max_size=8,
    unique_by=lambda row: (row["timestamp"], row["namespace"], row["pod"], row["resource_version"]),
)


@settings(max_examples=15, deadline=None)
@given(queues, pods, st.integers(0, 8))
def test_how_records_are_spread_over_files_changes_nothing(
    queues: list[Any], pods: list[Any], cut: int
) -> None:
    whole = uses((QUEUES, queues), (PODS, pods))
    spread = [(QUEUES, queues[cut:][::-1]), (QUEUES, queues[:cut]), (QUEUES, queues[:3])]
    assert uses((PODS, pods[cut:]), *spread, (PODS, pods[:cut] + pods[:2])) == whole


def test_a_minute_by_minute_report_is_the_same_as_one_of_changes() -> None:
    changes = [queue_row(START, 8.0), queue_row(START + timedelta(hours=30), 0.0)]
    minutes = [queue_row(START + timedelta(minutes=n), 8.0) for n in range(0, 1800, 7)]
    assert uses((QUEUES, changes)) == uses((QUEUES, [*minutes, *changes]))


def test_a_state_holds_from_the_last_record_that_repeated_it_and_not_over_a_longer_silence() -> (
    None
):
    def hours(*days: int) -> list[int]:
        rows = [queue_row(START + timedelta(days=day), 1.0) for day in days]
        return [int(use.own) for use in uses((QUEUES, rows))]

    assert hours(-35) == []
    assert hours(-35, -5) == [24, 24, 24, 24]
    assert hours(-42, 2) == [24, 24]
    assert hours(-29, 2) == [24, 24, 24, 24]


def test_a_queue_of_no_namespace_is_no_fault() -> None:
    assert uses((QUEUES, [queue_row(START, 8.0, namespace=None)])) == ()


def refused(read: Callable[[], Any]) -> str:
    with pytest.raises(RefusedInput) as error:
        read()
    return f"{error.value.what}: {'; '.join(error.value.reasons)}"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"gpu_total": float("nan")}, "an amount is below zero, too large, or none"),
        ({"gpu_total": float("inf")}, "an amount is below zero, too large, or none"),
        ({"gpu_total": 1e45}, "an amount is below zero, too large, or none"),
        ({"gpu_total": -1.0}, "an amount is below zero, too large, or none"),
        ({"gpu_borrowed": 9.0}, "more is borrowed than is used"),
        ({"timestamp": None}, "its timestamp is none"),
        ({"timestamp": datetime(9999, 12, 31, 23, tzinfo=UTC)}, "its timestamp is none"),
        ({"resource_version": "1e3"}, "its resource_version is no number"),
        ({"resource_version": None}, "its resource_version is no number"),
        ({"namespace": "../../etc"}, "its namespace is none"),
        ({"namespace": "'); DROP TABLE queues; --"}, "its namespace is none"),
        ({"team": "t" * 300}, "its team or pod is none"),
        ({"team": "=cmd|x"}, "its team or pod is none"),
        ({"instance_type": "ml\x1b[2J"}, "its instance type is none"),
    ],
)
def test_a_row_that_cannot_be_refuses_the_file_with_its_row(
    change: dict[str, Any], fault: str
) -> None:
    rows = [queue_row(START, 8.0), {**queue_row(START, 8.0), **change}]
    assert refused(lambda: uses((QUEUES, rows))) == f"data file file 0: row 2: {fault}"


def test_a_missing_column_is_named_though_other_files_have_it() -> None:
    with TemporaryDirectory() as folder, records(Path(folder), "hp-eks") as known:
        whole, part = Path(folder, "a.parquet"), Path(folder, "b.parquet")
        row = queue_row(START, 8.0)
        whole.write_bytes(parquet([row], QUEUE))
        part.write_bytes(parquet([{k: v for k, v in row.items() if k != "gpu_total"}], QUEUE))
        told = refused(lambda: known.add_states(QUEUES, [("a", whole), ("b", part)]))
    assert told == "data file b: column gpu_total is missing"


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    good.write_bytes(parquet([queue_row(START, 8.0)], QUEUE))
    bad.write_bytes(good.read_bytes()[:-9])
    with records(tmp_path, "hp-eks") as known:
        told = refused(lambda: known.add_states(QUEUES, [("good", good), ("s3://x/bad", bad)]))
    assert told.startswith("data file s3://x/bad: ")
    assert str(tmp_path) not in told


def test_a_small_file_with_more_rows_than_a_report_can_have_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_report_records, "MOST_ROWS", 1000)
    path = tmp_path / "x.parquet"
    with duckdb.connect() as db:
        db.execute(
            "CREATE TABLE one AS SELECT 'x' AS pod, TIMESTAMP '2026-10-01' AS timestamp, "
            "'a' AS namespace, '1' AS resource_version, 'Running' AS status, '' AS instance_type, "
            "0.0 AS cpu, 0.0 AS gpu, 0.0 AS neuron_core"
        )
        db.table("one").cross(db.sql("FROM range(1001)")).write_parquet(str(path))
    with records(tmp_path, "hp-eks") as known:
        told = refused(lambda: known.add_states(PODS, [("x", path)]))
    assert told == "data file x: it has more than 1000 rows"


def test_totals_that_cannot_be_are_refused_with_their_row(tmp_path: Path) -> None:
    day = date(2026, 10, 3)
    good, bad = total_row(day, A, "a", 10.0), total_row(day, A, "a", 10.0, 11.0)
    more = {**good, "allocated_gpu_utilization_hours": 10.1}
    for row, fault in ((bad, "an amount is below zero"), (more, "more of nvidia.com/gpu")):
        path = tmp_path / "x.parquet"
        path.write_bytes(parquet([good, row], TOTAL))
        with records(tmp_path, "hp-eks") as known:
            told = refused(lambda known=known, path=path: known.totals([("x", path)]))
        assert told.startswith(f"data file x: row 2: {fault}")
        (tmp_path / "records.duckdb").unlink()
