"""Chargeback lines as files: Parquet per cluster."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from commons.adapters.cost_expressions import literal, quoted
from commons.adapters.cost_files import database
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.money import plain

_AMOUNT = "DECIMAL(38,10)"
_AMOUNTS = ("amount", "own", "borrowed", "numerator", "denominator", "factor", "pool_amount")
_TYPES = {"day": "DATE", "estimated": "BOOLEAN", "rows": "BIGINT"} | dict.fromkeys(
    _AMOUNTS, _AMOUNT
)
_FIELDS = tuple(ChargebackLine.__dataclass_fields__)
_HOURS = "{'held': own + borrowed, 'own': own, 'borrowed': borrowed} AS device_hours"
_FETCH = 10_000


def write_lines(lines: Sequence[ChargebackLine], folder: Path) -> list[Path]:
    """`cluster_id=<id>/lines.parquet` per cluster below `folder`; the folders."""
    table = folder / "lines.csv"
    with table.open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(_FIELDS)
        writer.writerows([_cell(getattr(line, field)) for field in _FIELDS] for line in lines)
    clusters = sorted({line.cluster for line in lines})
    with database(folder) as db:
        source = f"(SELECT * EXCLUDE (own, borrowed), {_HOURS} FROM {_table(table)})"  # noqa: S608 - a path of ours
        return [_write_cluster(db, source, cluster, folder) for cluster in clusters]


def read_lines(paths: Sequence[Path], folder: Path) -> Iterator[ChargebackLine]:
    """The lines of a run as they were written, a batch at a time."""
    if not paths:
        return
    with database(folder) as db:
        found = db.execute(_selection(paths))
        while batch := found.fetchmany(_FETCH):
            for values in batch:
                yield ChargebackLine(*values)


def read_page(
    paths: Sequence[Path], folder: Path, only: Mapping[str, str | None], after: str, limit: int
) -> list[ChargebackLine]:
    """At most `limit` lines behind the line id `after`, in the order of their ids.

    `only`: the value of a column, None for lines that have none. Names are columns of a line.
    """
    if not paths:
        return []
    conditions = ["line_id > ?", *(f"{quoted(n)} IS NOT DISTINCT FROM ?" for n in only)]
    query = f"{_selection(paths)} WHERE {' AND '.join(conditions)} ORDER BY line_id LIMIT ?"
    with database(folder) as db:
        found = db.execute(query, [after, *only.values(), limit]).fetchall()
    return [ChargebackLine(*values) for values in found]


def _selection(paths: Sequence[Path]) -> str:
    files = ", ".join(literal(str(path)) for path in paths)
    fields = [f"device_hours.{f}" if f in ("own", "borrowed") else quoted(f) for f in _FIELDS]
    return f"SELECT {', '.join(fields)} FROM read_parquet([{files}])"  # noqa: S608 - paths of ours


def _write_cluster(db: Any, source: str, cluster: str, folder: Path) -> Path:
    # a folder's name takes the cluster's id; what names no cluster is in one of its own
    name = cluster.rpartition("/")[2] if cluster.startswith("arn:") else cluster.replace("/", "-")
    target = folder / f"cluster_id={name.strip('-') or 'none'}"
    target.mkdir(exist_ok=True)
    only = f"SELECT * FROM {source} WHERE cluster = {literal(cluster)} ORDER BY ALL"  # noqa: S608 - quoted
    _copy(db, only, target / f"{_safe(cluster)}.parquet")
    return target


def _safe(cluster: str) -> str:
    """Two accounts may use one id: the file's name has the whole, without separators."""
    return "".join(c if c.isalnum() else "-" for c in cluster) or "none"


def _copy(db: Any, query: str, target: Path) -> None:
    db.execute(f"COPY ({query}) TO {literal(str(target))} (FORMAT parquet)")


def _table(path: Path) -> str:
    columns = ", ".join(f"{literal(f)}: {literal(_TYPES.get(f, 'VARCHAR'))}" for f in _FIELDS)
    options = "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '\\N'"
    return (
        f"read_csv({literal(str(path))}, columns = {{{columns}}}, auto_detect = false, {options})"
    )


def _cell(value: Any) -> str:
    match value:
        case None:
            return "\\N"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int():
            return str(value)
    return plain(value) if hasattr(value, "as_tuple") else value.isoformat()
