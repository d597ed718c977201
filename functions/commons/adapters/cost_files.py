"""Cost report files on disk, read by DuckDB: exact partial sums, or a refusal by file and row."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from commons.adapters import cost_partials, cost_queries
from commons.adapters.cost_expressions import literal
from commons.adapters.cost_faults import faults_in, refuse_row
from commons.adapters.cost_sources import naming, opened, parquet
from commons.domain.cost_basis import NET, Basis
from commons.domain.cost_lines import CostLine, CostSums, FileRows
from commons.domain.errors import RefusedInput

# of the sums, not of the files: those are streamed. Leaves room for Python in 512 MB.
MEMORY = "256MB"
_FETCH = 10_000


@contextmanager
def database(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database that spills into `folder`; Lambda has no home directory."""
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "temp_directory": str(folder / "spill"),
        "home_directory": str(folder),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "threads": 2,
    }
    with duckdb.connect(config=settings) as connection:
        # a UTC day is one whatever the machine's time zone
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def summarise(files: Sequence[tuple[str, Path]], target: Path, period: str) -> None:
    """Write the sums of the files, each with the name it is known by, as Parquet.

    Raises RefusedInput that names the file, and the row where one row is at fault: it has no usable
    amount, another currency than the others, a text that is no name, or is dated outside `period`.
    """
    with database(target.parent) as db:
        try:
            nonsense = _write_sums(db, files, target)
        except (duckdb.OutOfMemoryException, duckdb.InternalException):
            raise
        except duckdb.Error as error:
            # one of them cannot be read; alone it can be named
            for name, path in files:
                with naming(name, path):
                    _write_sums(db, [(name, path)], target)
            reason = f"they do not go together: {str(error).splitlines()[0]}"
            raise RefusedInput(f"data file {files[0][0]} and those after it", [reason]) from error
        faults, found = faults_in(db, target, period)
        if found or nonsense:
            for name, path in files:
                refuse_row(db, name, path, faults)
            reason = "its sums have a fault that none of its rows has"
            raise RefusedInput("the cost report", [reason])


def read_partials(paths: Sequence[Path], folder: Path) -> CostSums:
    """The sums of all batches together.

    Whether an export has net costs is one answer for all of its lines: with a line that lacks
    them, none of them counts.
    """
    with database(folder) as db:
        sums = db.execute(cost_partials.totals(parquet(paths))).fetchone() or ()
        costs = dict(zip(Basis, map(Decimal, sums), strict=False))
        lacking = {basis for basis, rows in zip(NET, sums[len(Basis) :], strict=True) if rows}
        totals = {basis: cost for basis, cost in costs.items() if basis not in lacking}
        found = db.execute(cost_partials.merged(parquet(paths)))
        names = [str(column[0]) for column in found.description or []]
        rows = (dict(zip(names, row, strict=True)) for row in _rows(found))
        return CostSums([_line(row | dict.fromkeys(lacking)) for row in rows], totals)


def rows_by_file(
    partials: Sequence[Path], lines: Sequence[CostLine], folder: Path
) -> list[FileRows]:
    """Which files the lines are from, and how many rows of each, in the order of the plan.

    `partials`: of every batch, in order. `lines`: as `read_partials` gave them, such as those that
    `pools.lines_behind` finds for a pool. The rows add up to the `rows` of the lines.
    """
    with database(folder) as db:
        db.execute(cost_partials.wanted())
        keys = [[getattr(line, key) for key in cost_partials.LINE_KEYS] for line in lines]
        if keys:
            db.executemany(cost_partials.want(), keys)
        found = db.execute(cost_partials.rows_by_file(parquet(partials)))
        return [FileRows(*row) for row in found.fetchall()]


def _write_sums(
    db: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, Path]], target: Path
) -> bool:
    """Whether a net cost is missing because what stands there is no amount."""
    with TemporaryDirectory(dir=target.parent) as folder:
        source = opened(db, files, Path(folder))
        query = cost_queries.sums(source)
        db.execute(f"COPY ({query}) TO {literal(str(target))} (FORMAT parquet)")
        [sums] = db.execute(cost_partials.totals(parquet([target]))).fetchall()
        if not any(sums[len(Basis) :]):
            return False
        [(rows,)] = db.execute(cost_queries.nonsense(source)).fetchall()
        return bool(rows)


def _rows(found: Any) -> Iterator[tuple[Any, ...]]:
    while batch := found.fetchmany(_FETCH):
        yield from batch


def _line(values: dict[str, Any]) -> CostLine:
    moments = {name: _utc(values[name]) for name in ("start", "end")}
    return CostLine(**{**values, **moments})


def _utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment else None
