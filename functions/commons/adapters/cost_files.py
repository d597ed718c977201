"""Cost report files on disk, read by DuckDB: exact partial sums, or a refusal by file and row."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from commons.adapters import cost_queries
from commons.adapters.cost_expressions import Columns, literal
from commons.domain.cost_basis import NET, Basis
from commons.domain.cost_lines import CostLine, CostSums
from commons.domain.cost_report import missing_columns
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


def summarise(files: Sequence[tuple[str, Path]], target: Path) -> None:
    """Write the sums of the files, each with the name it is known by, as Parquet.

    Raises RefusedInput that names the file, and the row where one row is at fault.
    """
    with database(target.parent) as db:
        try:
            bad = _write_sums(db, [path for _, path in files], target)
        except duckdb.Error:
            # one of them cannot be read; alone it can be named
            for name, path in files:
                _summarise_one(db, name, path, target)
            raise
        if bad:
            for name, path in files:
                _refuse_bad_row(db, name, path)


def read_partials(paths: Sequence[Path], folder: Path) -> CostSums:
    """The sums of all batches together.

    Whether an export has net costs is one answer for all of its lines: with a line that lacks
    them, none of them counts.
    """
    with database(folder) as db:
        sums = db.execute(cost_queries.totals(_parquet(paths))).fetchone() or ()
        costs = dict(zip(Basis, map(Decimal, sums), strict=False))
        lacking = {basis for basis, rows in zip(NET, sums[len(Basis) :], strict=True) if rows}
        totals = {basis: cost for basis, cost in costs.items() if basis not in lacking}
        found = db.execute(cost_queries.merged(_parquet(paths)))
        names = [str(column[0]) for column in found.description or []]
        rows = (dict(zip(names, row, strict=True)) for row in _rows(found))
        return CostSums([_line(row | dict.fromkeys(lacking)) for row in rows], totals)


def _write_sums(db: duckdb.DuckDBPyConnection, paths: Sequence[Path], target: Path) -> int:
    source, columns = _source(db, paths)
    query = cost_queries.sums(source, columns)
    db.execute(f"COPY ({query}) TO {literal(str(target))} (FORMAT parquet)")
    bad = db.execute(f"SELECT coalesce(sum(bad), 0) FROM {_parquet([target])}").fetchone()  # noqa: S608 - a path of ours
    return int(bad[0]) if bad else 0


def _summarise_one(db: duckdb.DuckDBPyConnection, name: str, path: Path, target: Path) -> None:
    try:
        bad = _write_sums(db, [path], target)
    except duckdb.Error as error:
        first = str(error).replace(str(path), name).splitlines()[0]
        raise RefusedInput(f"data file {name}", [first]) from error
    if bad:
        _refuse_bad_row(db, name, path)


def _refuse_bad_row(db: duckdb.DuckDBPyConnection, name: str, path: Path) -> None:
    """Raises RefusedInput if a row of the file has no usable amount."""
    source, columns = _source(db, [path])
    # rows are counted as the file has them, so this one query must not reorder them
    db.execute("SET preserve_insertion_order = true")
    numbered = f"(SELECT *, row_number() OVER () AS row_of_file FROM {source})"  # noqa: S608 - a path of ours
    written = [f"{columns.cost_as_written(basis)} AS {basis}_text" for basis in Basis]
    lines = cost_queries.lines(numbered, columns, f", row_of_file, {', '.join(written)}")
    found = db.execute(
        f"SELECT * FROM ({lines}) WHERE {cost_queries.BAD} ORDER BY row_of_file LIMIT 1"  # noqa: S608 - quoted names
    )
    names = [str(column[0]) for column in found.description or []]
    for values in found.fetchall():
        row = dict(zip(names, values, strict=True))
        reason = f"row {row['row_of_file']}: {_why(row)}"
        raise RefusedInput(f"data file {name}", [reason])


def _why(row: dict[str, Any]) -> str:
    if not row["unusable"]:
        return "the usage amount is no amount"
    absent = [basis for basis in Basis if row[basis] is None]
    # a net cost that is only empty is no fault
    basis = next((b for b in absent if b not in NET or row[f"{b}_text"]), absent[0])
    line_type = row["line_type"]
    # its amortised cost stands in columns of its own, which an export may have left out
    planned = str(line_type).startswith(("SavingsPlan", "DiscountedUsage", "RIFee"))
    hint = "; include the savings plan and reservation columns in the export" * planned
    return f"the cost '{row[f'{basis}_text']}' of a {line_type} line is no amount{hint}"


def _source(db: duckdb.DuckDBPyConnection, paths: Sequence[Path]) -> tuple[str, Columns]:
    """Raises RefusedInput if the files lack a column."""
    csv = paths[0].name.endswith((".csv", ".csv.gz", ".gz"))
    source = _csv(paths) if csv else _parquet(paths)
    described = db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608 - paths of ours
    schema = {str(row[0]): str(row[1]) for row in described}
    if faults := missing_columns(list(schema)):
        raise RefusedInput("the cost report", faults)
    return source, Columns(schema)


def _parquet(paths: Sequence[Path]) -> str:
    return f"read_parquet([{_list(paths)}], union_by_name = true)"


def _csv(paths: Sequence[Path]) -> str:
    """Everything as text: a number read from a header's guess would lose zeros and digits."""
    options = "all_varchar = true, header = true, delim = ',', quote = '\"', escape = '\"'"
    return f"read_csv([{_list(paths)}], {options}, union_by_name = true)"


def _list(paths: Sequence[Path]) -> str:
    return ", ".join(literal(str(path)) for path in paths)


def _rows(found: Any) -> Iterator[tuple[Any, ...]]:
    while batch := found.fetchmany(_FETCH):
        yield from batch


def _line(values: dict[str, Any]) -> CostLine:
    moments = {name: _utc(values[name]) for name in ("start", "end")}
    return CostLine(**{**values, **moments})


def _utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment else None
