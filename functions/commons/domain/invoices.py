"""The invoices of a period: a CSV with a row per position, and the same as one document."""

from collections.abc import Iterator, Sequence
from typing import Any

from commons.domain.cents import added, written
from commons.domain.chargeback_run import Outcome, RunRef
from commons.domain.money import plain
from commons.domain.spreadsheet import safe
from commons.domain.statements import Entry, Statement

HEADER = (
    "statement",
    "period",
    "status",
    "team",
    "project",
    "cost_center",
    "component",
    "corrects",
    "amount",
    "currency",
    "exact_amount",
    "run_id",
)  # fmt: skip


def rows(
    run: RunRef, outcome: Outcome, status: str, statements: Sequence[Statement]
) -> Iterator[list[str]]:
    """Cells in the order of HEADER; Σ amount is the total in cents."""
    for statement in statements:
        for entry in statement.entries:
            yield [
                *(safe(statement.number), run.period, status, safe(statement.team)),
                *(safe(entry.project), safe(entry.cost_center), safe(entry.component)),
                *(entry.corrects, written(entry.amount), safe(outcome.currency)),
                *(plain(entry.exact), run.run_id),
            ]


def document(
    run: RunRef, outcome: Outcome, status: str, statements: Sequence[Statement]
) -> dict[str, Any]:
    """Amounts are texts: a number in JSON loses digits in most readers."""
    return {
        "schema_version": "1",
        "period": run.period,
        "run_id": run.run_id,
        "status": status,
        "currency": outcome.currency,
        "total": written(added(each.amount for each in statements)),
        "exact_total": plain(outcome.total),
        "statements": [
            {
                "number": each.number,
                "team": each.team,
                "total": written(each.amount),
                "exact_total": plain(each.exact),
                "entries": [_entry(entry) for entry in each.entries],
            }
            for each in statements
        ],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "project": entry.project or None,
        "cost_center": entry.cost_center or None,
        "component": entry.component,
        "corrects": entry.corrects or None,
        "amount": written(entry.amount),
        "exact_amount": plain(entry.exact),
    }
