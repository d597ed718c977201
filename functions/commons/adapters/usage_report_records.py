"""Records of AWS's usage report in a database on disk, as runs of states; or a refusal by row."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb

from commons.adapters import usage_report_queries as queries
from commons.adapters.cost_expressions import Columns, literal
from commons.adapters.cost_files import database
from commons.domain.errors import RefusedInput
from commons.domain.usage_report import PodRun, Quantities, QueueRun
from commons.domain.usage_report_columns import (
    HEARTBEATS,
    PODS,
    QUEUES,
    SUMMARY,
    Amount,
    amounts,
    missing_columns,
)
from commons.domain.usage_summary import DayRow, fault_of

# a small file can say that one row is there a thousand million times
MOST_ROWS = 50_000_000
_FETCH = 10_000
_TABLES = {QUEUES: "queues", PODS: "pods"}

Files = Sequence[tuple[str, Path]]


@contextmanager
def records(folder: Path, cluster_name: str) -> Iterator["Records"]:
    """Empty ones, in a database in `folder`, which also holds what does not fit into memory."""
    with database(folder) as db:
        # in a file columns are compressed, in memory they are not
        db.execute(f"ATTACH {literal(str(folder / 'records.duckdb'))} AS records")
        db.execute("USE records")
        db.execute(queries.TABLES)
        yield Records(db, cluster_name)


class Records:
    """Of one cluster. Files come with the names they are known by.

    Adding raises RefusedInput that names the file, and the row where one row is at fault.
    """

    def __init__(self, db: duckdb.DuckDBPyConnection, cluster_name: str) -> None:
        self._db = db
        self._cluster_name = cluster_name

    def add_states(self, table: str, files: Files) -> None:
        """Of queues or pods."""
        columns, counted = self._look(table, files)
        query = queries.states(table, queries.files(_paths(files)), columns, counted)
        self._db.execute(f"CREATE OR REPLACE TEMP TABLE {queries.ARRIVED} AS {query}")
        self._refuse_bad_row(queries.ARRIVED, files)
        self._db.execute(queries.keep(_TABLES[table]))

    def add_heartbeats(self, files: Files) -> None:
        columns, _ = self._look(HEARTBEATS, files)
        query = queries.heartbeats(queries.files(_paths(files)), columns, self._cluster_name)
        self._db.execute(f"INSERT INTO heartbeats {query}")

    def totals(self, files: Files) -> list[DayRow]:
        """Daily totals, which are few."""
        columns, counted = self._look(SUMMARY, files)
        query = queries.totals(queries.files(_paths(files)), columns, counted)
        self._refuse_bad_row(f"({query})", files)
        known = {str(path): name for name, path in files}
        found = []
        for day, namespace, team, name, *hours, _, path, number in _rows(self._db.execute(query)):
            used, allocated, borrowed = map(_quantities, hours)
            row = DayRow(day, namespace, team, name, used, allocated, borrowed)
            if fault := fault_of(row):
                raise RefusedInput(f"data file {known[path]}", [f"row {number + 1}: {fault}"])
            found.append(row)
        return found

    def heartbeats(self) -> list[datetime]:
        found = self._db.execute("SELECT DISTINCT moment FROM heartbeats ORDER BY moment")
        return [_utc(row[0]) for row in _rows(found)]

    def newest(self) -> list[datetime]:
        """The newest moment that any record is of, if there is one."""
        found = self._db.execute(
            "SELECT max(moment) FROM (SELECT moment FROM heartbeats "
            "UNION ALL SELECT moment FROM queues UNION ALL SELECT moment FROM pods)"
        )
        return [_utc(row[0]) for row in _rows(found) if row[0]]

    def queue_runs(self) -> Iterator[QueueRun]:
        for namespace, team, name, since, seen, used, borrowed in self._runs("queues"):
            total, lent = _quantities(used), _quantities(borrowed)
            yield QueueRun(namespace, team, name, _utc(since), _utc(seen), total, lent)

    def pod_runs(self) -> Iterator[PodRun]:
        for namespace, pod, name, since, seen, used, _ in self._runs("pods"):
            yield PodRun(namespace, pod, name, _utc(since), _utc(seen), _quantities(used))

    def _runs(self, table: str) -> Iterator[tuple[Any, ...]]:
        return _rows(self._db.execute(queries.runs(table)))

    def _look(self, table: str, files: Files) -> tuple[Columns, list[Amount]]:
        """Columns of all the files together; each has those that it must have."""
        known = {str(path): name for name, path in files}
        for path, names, count in self._shapes(files):
            if faults := missing_columns(table, names):
                raise RefusedInput(f"data file {known[path]}", faults)
            if count > MOST_ROWS:
                raise RefusedInput(
                    f"data file {known[path]}", [f"it has more than {MOST_ROWS} rows"]
                )
        source = queries.files(_paths(files))
        described = self._db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608 - ours
        ours = {"filename", "file_row_number"}
        schema = {str(row[0]): str(row[1]) for row in described if row[0] not in ours}
        return Columns(schema), amounts(table, schema)

    def _shapes(self, files: Files) -> list[tuple[str, list[str], int]]:
        """Path, names of columns and number of rows of each file."""
        try:
            return self._db.execute(queries.shapes(_paths(files))).fetchall()
        except duckdb.Error:
            # one of them cannot be read; alone it can be named
            for name, path in files:
                self._refuse_broken(name, path)
            raise

    def _refuse_broken(self, name: str, path: Path) -> None:
        try:
            self._db.execute(queries.shapes([path])).fetchall()
        except duckdb.Error as error:
            first = str(error).replace(str(path), name).splitlines()[0]
            raise RefusedInput(f"data file {name}", [first]) from error

    def _refuse_bad_row(self, source: str, files: Files) -> None:
        found = self._db.execute(
            f"SELECT filename, file_row_number, fault FROM {source} "  # noqa: S608 - ours
            "WHERE fault IS NOT NULL ORDER BY filename, file_row_number LIMIT 1"
        ).fetchone()
        if found:
            path, number, fault = found
            [name] = [name for name, each in files if str(each) == path]
            raise RefusedInput(f"data file {name}", [f"row {number + 1}: {fault}"])


def _paths(files: Files) -> list[Path]:
    return [path for _, path in files]


@lru_cache(maxsize=65_536)
def _quantities(text: str) -> Quantities:
    parts = [part.rpartition(queries.IS) for part in text.split(queries.BETWEEN) if part]
    return tuple((name, Decimal(amount)) for name, _, amount in parts)


def _rows(found: Any) -> Iterator[tuple[Any, ...]]:
    while batch := found.fetchmany(_FETCH):
        yield from batch


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
