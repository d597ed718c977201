"""Cost files as DuckDB reads them: Parquet as it is, CSV checked and narrowed to what is read.

A file is written by whoever may write to the report's bucket. How far it may unpack, and how long
a row may be, is limited, so that no file takes the memory, disk or time of a function.
"""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from commons.adapters.cost_expressions import Columns, literal, quoted
from commons.domain.cost_columns import COLUMNS, is_read, missing_columns
from commons.domain.errors import RefusedInput

# cost reports unpack to 10 to 40 times their size; the most that gzip can do is 1,032 times
LARGEST_RATIO = 100
# below this nobody is harmed, and small files of equal rows unpack to more
ALWAYS_UNPACKED = 256 * 1024 * 1024
# no row of a report comes near it, with every tag and description filled
LARGEST_ROW = 1024 * 1024
# a row takes a hundred bytes in Parquet; a file of fewer than one repeats itself to do harm
ALWAYS_ROWS = 10_000_000
_CHUNK = 1024 * 1024
_CSV_ENDS = (".csv", ".csv.gz", ".gz")
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
            if not _is_csv(path):
                _check_rows(db, path)
                _columns_of(db, parquet([path]))
                read.append((number, path))
            elif _has_content(path):
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
    except (duckdb.Error, zlib.error) as error:
        first = str(error).replace(str(path), name).splitlines()[0]
        raise RefusedInput(f"data file {name}", [first]) from error


def described(db: duckdb.DuckDBPyConnection, path: Path) -> tuple[str, Columns]:
    """One file as it is, its rows in their order."""
    sql = _csv(path) if _is_csv(path) else parquet([path])
    return sql, _columns_of(db, sql)


def _is_csv(path: Path) -> bool:
    return path.name.endswith(_CSV_ENDS)


def parquet(paths: Sequence[Path]) -> str:
    return f"read_parquet([{_list(paths)}], union_by_name = true)"


def _csv(path: Path) -> str:
    """Everything as text: a number read from a header's guess would lose zeros and digits."""
    shape = "header = true, skip = 0, comment = '', delim = ',', quote = '\"', escape = '\"'"
    return (
        f"read_csv([{_list([path])}], all_varchar = true, {shape}, max_line_size = {LARGEST_ROW})"
    )


def _narrow(db: duckdb.DuckDBPyConnection, path: Path, target: Path) -> None:
    source = _csv(path)
    names = [name for name, _ in _schema(db, source) if is_read(name)]
    _columns_of(db, source)
    listed = ", ".join(map(quoted, names))
    db.execute(f"COPY (SELECT {listed} FROM {source}) TO {literal(str(target))} (FORMAT parquet)")  # noqa: S608 - quoted names


def _columns_of(db: duckdb.DuckDBPyConnection, source: str) -> Columns:
    """Raises RefusedInput if a column is missing."""
    schema = dict(_schema(db, source))
    if faults := missing_columns(schema):
        raise RefusedInput("the cost report", faults)
    return Columns(schema)


def _schema(db: duckdb.DuckDBPyConnection, source: str) -> list[tuple[str, str]]:
    rows = db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608 - paths of ours
    return [(str(row[0]), str(row[1])) for row in rows]


def _check_rows(db: duckdb.DuckDBPyConnection, path: Path) -> None:
    query = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
    [(rows,)] = db.execute(query, [str(path)]).fetchall()
    if rows > max(ALWAYS_ROWS, path.stat().st_size):
        raise RefusedInput("it", [f"it claims {rows} rows in {path.stat().st_size} bytes"])


def _has_content(path: Path) -> bool:
    """Overwriting leaves empty files behind. Raises RefusedInput if it unpacks too far."""
    size = path.stat().st_size
    limit = max(ALWAYS_UNPACKED, size * LARGEST_RATIO)
    total, content = 0, False
    for chunk in _unpacked(path):
        total += len(chunk)
        content = content or bool(chunk.strip())
        if total > limit:
            reason = f"its {size} bytes unpack to more than {limit}"
            raise RefusedInput("it", [reason])
    return content


def _unpacked(path: Path) -> Iterator[bytes]:
    """What is in the file, in pieces. Raises RefusedInput if a gzip file ends too early."""
    with path.open("rb") as source:
        if not path.name.endswith(".gz"):
            yield from iter(lambda: source.read(_CHUNK), b"")
            return
        member = zlib.decompressobj(wbits=31)
        while packed := member.unconsumed_tail or member.unused_data or source.read(_CHUNK):
            if member.eof:
                member = zlib.decompressobj(wbits=31)
            yield member.decompress(packed, _CHUNK)
        while rest := member.decompress(b"", _CHUNK):
            yield rest
        if not member.eof:
            raise RefusedInput("it", ["it ends in the middle: its upload was cut short"])


def _list(paths: Sequence[Path]) -> str:
    return ", ".join(literal(str(path)) for path in paths)
