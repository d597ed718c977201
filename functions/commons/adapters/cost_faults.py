"""What a line of a report may not be, and the row that is: by file, row and reason.

The sums tell cheaply that something is wrong. Only then is a row looked for.
"""

import re
from pathlib import Path
from typing import Any

import duckdb

from commons.adapters import cost_queries
from commons.adapters.cost_expressions import literal
from commons.adapters.cost_sources import described, naming, parquet
from commons.domain.cost_basis import NET, Basis
from commons.domain.cost_lines import ADJUSTMENTS, NODE
from commons.domain.errors import RefusedInput
from commons.domain.usage import month

# texts become keys of items and objects; no name that AWS gives is as long
_LONGEST = 512
_SHOWN = 60
# what a terminal or a spreadsheet obeys: control characters and turns of the reading direction
_UNPRINTABLE = "[\\x00-\\x1f\\x7f-\\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
_HOSTILE = (
    f"regexp_matches(concat({', '.join(cost_queries.TEXTS)}), {literal(_UNPRINTABLE)}) "
    f"OR greatest({', '.join(f'length({text})' for text in cost_queries.TEXTS)}) > {_LONGEST}"
)
_CURRENCY = "(currency SIMILAR TO '[A-Z]{3}')"
_USUAL = f"{_CURRENCY} DESC, sum(rows) DESC, currency"
# what domain.pools asks a day in the period of: nodes, and what names its namespace
_ADJUSTMENT = (
    f"line_type IN ({', '.join(map(literal, ADJUSTMENTS))}) OR contains(product, 'Support')"
)
_NODE = f"product = 'AmazonSageMaker' AND regexp_full_match(usage_type, {literal(NODE)})"
_OF_A_DAY = f"candidate AND NOT ({_ADJUSTMENT}) AND ({_NODE} OR namespace <> '')"


class Faults:
    """Conditions on lines and on sums of lines alike, for the report of one period."""

    def __init__(self, period: str, currency: str) -> None:
        first, last = month(period)
        self._period, self._currency = period, currency
        self.conditions = {
            "currency": f"currency <> {literal(currency)} OR NOT {_CURRENCY}",
            "text": f"candidate AND ({_HOSTILE})",
            "day": f"{_OF_A_DAY} AND (day BETWEEN '{first}' AND '{last}') IS NOT TRUE",
        }

    def sentence(self, row: dict[str, Any]) -> str:
        """Why the row is refused."""
        match row["fault"]:
            case "currency":
                known = re.fullmatch("[A-Z]{3}", row["currency"])
                than = f"most lines have {self._currency}" if known else "which is none"
                return f"its currency is {_shown(row['currency'])}, {than}"
            case "text":
                name = next(name for name in cost_queries.TEXTS if _is_hostile(row[name]))
                return f"its {name.replace('_', ' ')} is {_shown(row[name])}, which is no name"
            case "day":
                dated = f"is dated {row['day']}" if row["day"] else "has no date"
                what = f"a {row['line_type']} line of {row['usage_type'] or row['product']}"
                return f"{what} {dated}, the period is {self._period}"
            case "cost":
                return _no_cost(row)
        return "the usage amount is no amount"


def faults_in(db: duckdb.DuckDBPyConnection, partial: Path, period: str) -> tuple[Faults, bool]:
    """And whether a line of the sums has any. The currency of most lines is the one to have."""
    sums = parquet([partial])
    usual = f"SELECT currency FROM {sums} GROUP BY currency ORDER BY {_USUAL} LIMIT 1"  # noqa: S608 - a path of ours
    found = Faults(period, (db.execute(usual).fetchone() or ("",))[0])
    any_of = " OR ".join(["bad > 0", *(f"({each})" for each in found.conditions.values())])
    [(faulty,)] = db.execute(f"SELECT count(*) FROM {sums} WHERE {any_of}").fetchall()  # noqa: S608 - quoted texts
    return found, bool(faulty)


def refuse_row(db: duckdb.DuckDBPyConnection, name: str, path: Path, faults: Faults) -> None:
    """Raises RefusedInput for the first row of the file that has a fault, if one has."""
    with naming(name, path):
        sql, columns = described(db, path)
        # rows are counted as the file has them, so this one query must not reorder them
        db.execute("SET preserve_insertion_order = true")
        numbered = f"(SELECT *, row_number() OVER () AS row_of_file FROM {sql})"  # noqa: S608 - a path of ours
        more = ["row_of_file", *(f"{columns.cost_as_written(b)} AS {b}_text" for b in Basis)]
        lines = cost_queries.keyed(cost_queries.lines(numbered, columns, f", {', '.join(more)}"))
        found = db.execute(f"""SELECT *, CASE {_cases(faults)} END AS fault
            FROM ({lines}) WHERE fault IS NOT NULL ORDER BY row_of_file LIMIT 1""")  # noqa: S608 - quoted names
        names = [str(column[0]) for column in found.description or []]
        for values in found.fetchall():
            row = dict(zip(names, values, strict=True))
            raise RefusedInput("the file", [f"row {row['row_of_file']}: {faults.sentence(row)}"])


def _cases(faults: Faults) -> str:
    amounts = {"cost": "unusable", "hours": f"candidate AND {cost_queries.NO_HOURS}"}
    every = faults.conditions | amounts
    return " ".join(f"WHEN {condition} THEN '{fault}'" for fault, condition in every.items())


def _is_hostile(text: str) -> bool:
    return len(text) > _LONGEST or re.search(_UNPRINTABLE, text) is not None


def _no_cost(row: dict[str, Any]) -> str:
    absent = [basis for basis in Basis if row[basis] is None]
    # a net cost that is only empty is no fault
    basis = next((b for b in absent if b not in NET or row[f"{b}_text"]), absent[0])
    line_type, text = _shown(row["line_type"]).strip("'"), _shown(row[f"{basis}_text"])
    # its amortised cost stands in columns of its own, which an export may have left out
    planned = line_type.startswith(("SavingsPlan", "DiscountedUsage", "RIFee"))
    hint = "; include the savings plan and reservation columns in the export" * planned
    return f"the cost {text} of a {line_type} line is no amount{hint}"


def _shown(text: str) -> str:
    """Quoted, in signs that do nothing, and never long."""
    return ascii(text[:_SHOWN]) + "…" * (len(text) > _SHOWN)
