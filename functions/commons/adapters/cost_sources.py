"""Cost files as DuckDB reads them: Parquet as it is, CSV narrowed to what is read."""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from commons.adapters import cost_csv
from commons.adapters.cost_expressions import Columns, literal, quoted
from commons.domain.cost_columns import COLUMNS, is_read, missing_columns
from commons.domain.errors import RefusedInput

# a row takes a hundred bytes in Parquet; a large file of less than one repeats itself to do harm
ALWAYS_ROWS = 10_000_000
_NO_ROWS = f"(SELECT 0 AS file_index, {', '.join(f"'' AS {c.name}" for c in COLUMNS)} WHERE false)"


@dataclass(frozen=True, slots=True)
class Source:
    """What a query reads from, the expressions over it, and the numbers of its files."""

    sql: str
    columns: Columns
    numbers: Sequence[int]

    @property
    def file(self) -> str:
        """The number of the file that a row is from."""
        return f"[{', '.join(map(str, self.numbers))}][file_index::BIGINT + 1]"


def opened(
    db: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, Path]], folder: Path
) -> Source:
    """The files, each by its name and place.

    CSV is first copied into `folder` as Parquet, for it is read twice and most of it never.
    Raises RefusedInput that names the file which is none, lacks a column or unpacks too far.
    """
    read = []
    for number, (name, path) in enumerate(files):
        with naming(name, path):
            if not cost_csv.is_csv(path):
                _check_rows(db, path)
                _columns_of(db, parquet([path]))
                read.append((number, path))
            elif cost_csv.has_content(path):
                read.append((number, folder / f"narrow-{number:05}.parquet"))
                _narrow(db, path, read[-1][1])
    sql = parquet([path for _, path in read]) if read else _NO_ROWS
    return Source(sql, _columns_of(db, sql), [number for number, _ in read])


@contextmanager
def naming(name: str, path: Path) -> Iterator[None]:
    """What goes wrong with a file inside is a refusal of it, by name."""
    try:
        yield
    except RefusedInput as error:
        raise RefusedInput(f"data file {name}", error.reasons) from error
    except (duckdb.OutOfMemoryException, duckdb.InternalException):
        # not the fault of the file: the same one may be read another time
        raise
    except (duckdb.Error, zlib.error) as error:
        first = str(error).replace(str(path), name).splitlines()[0]
        raise RefusedInput(f"data file {name}", [cost_csv.fault(str(error)) or first]) from error


def described(db: duckdb.DuckDBPyConnection, path: Path) -> tuple[str, Columns]:
    """One file as it is, its rows in their order."""
    sql = cost_csv.reader(path) if cost_csv.is_csv(path) else parquet([path])
    return sql, _columns_of(db, sql)


def parquet(paths: Sequence[Path]) -> str:
    listed = ", ".join(literal(str(path)) for path in paths)
    return f"read_parquet([{listed}], union_by_name = true)"


def _narrow(db: duckdb.DuckDBPyConnection, path: Path, target: Path) -> None:
    source = cost_csv.reader(path)
    texts = [quoted(name) for name in cost_csv.header(path) if is_read(name)]
    listed = ", ".join(texts + _columns_of(db, source).amounts())
    db.execute(f"COPY (SELECT {listed} FROM {source}) TO {literal(str(target))} (FORMAT parquet)")  # noqa: S608 - quoted names


def _columns_of(db: duckdb.DuckDBPyConnection, source: str) -> Columns:
    """Raises RefusedInput if a column is missing."""
    rows = db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608 - paths of ours
    schema = {str(row[0]): str(row[1]) for row in rows}
    if faults := missing_columns(schema):
        raise RefusedInput("the cost report", faults)
    return Columns(schema)


def _check_rows(db: duckdb.DuckDBPyConnection, path: Path) -> None:
    query = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
    [(rows,)] = db.execute(query, [str(path)]).fetchall()
    size = path.stat().st_size
    if rows > max(ALWAYS_ROWS, size):
        raise RefusedInput("the file", [f"its {size} bytes claim to be {rows} rows"])
