"""The row that is at fault in a file whose sums have shown that there is one."""

from pathlib import Path
from typing import Any

import duckdb

from commons.adapters import cost_queries
from commons.adapters.cost_sources import described, naming
from commons.domain.cost_basis import NET, Basis
from commons.domain.errors import RefusedInput


def refuse_bad_row(db: duckdb.DuckDBPyConnection, name: str, path: Path) -> None:
    """Raises RefusedInput for the first row of the file that has no usable amount, if one has."""
    with naming(name, path):
        sql, columns = described(db, path)
        # rows are counted as the file has them, so this one query must not reorder them
        db.execute("SET preserve_insertion_order = true")
        numbered = f"(SELECT *, row_number() OVER () AS row_of_file FROM {sql})"  # noqa: S608 - a path of ours
        written = [f"{columns.cost_as_written(basis)} AS {basis}_text" for basis in Basis]
        lines = cost_queries.lines(numbered, columns, f", row_of_file, {', '.join(written)}")
        found = db.execute(
            f"SELECT * FROM ({lines}) WHERE {cost_queries.BAD} ORDER BY row_of_file LIMIT 1"  # noqa: S608 - quoted names
        )
        names = [str(column[0]) for column in found.description or []]
        for values in found.fetchall():
            row = dict(zip(names, values, strict=True))
            raise RefusedInput("it", [f"row {row['row_of_file']}: {_why(row)}"])


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
