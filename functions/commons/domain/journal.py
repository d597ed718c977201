"""The journal of a period for the ledger system: cost centres are debited, the platform credited.

Every position of the statements is one posting; a negative one stands on the other side. The other
half of all postings of one component is one on the clearing account, so Σ debit = Σ credit, to the
cent, over the journal and over each component.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from commons.domain.cents import added, written
from commons.domain.chargeback_run import Outcome, RunRef
from commons.domain.spreadsheet import safe
from commons.domain.statements import Entry, Statement
from commons.domain.usage import month

HEADER = (
    "journal",
    "posting",
    "posting_date",
    "period",
    "account",
    "account_name",
    "cost_center",
    "team",
    "component",
    "debit",
    "credit",
    "currency",
    "text",
    "corrects",
    "run_id",
)  # fmt: skip
CLEARING = ("1990", "GPU platform clearing")
# account of a component; the chart of accounts is mapped to these by the ledger system's import
ACCOUNTS = {
    "reserved": ("6510", "GPU capacity reserved"),
    "borrowed": ("6520", "GPU capacity borrowed"),
    "lend_credit": ("6530", "Credit for GPU capacity lent"),
    "on_demand": ("6540", "GPU capacity on demand"),
    "usage": ("6540", "GPU capacity on demand"),
    "direct": ("6550", "Other direct platform cost"),
    "shared": ("6560", "Shared platform cost"),
    "storage": ("6560", "Shared platform cost"),
    "tax": ("6580", "Tax on cloud cost"),
    "credit": ("6590", "Credits, refunds and discounts"),
    "refund": ("6590", "Credits, refunds and discounts"),
    "discount": ("6590", "Credits, refunds and discounts"),
    "support": ("6570", "Cloud support"),
    "unassigned": ("6600", "GPU capacity not assigned"),
    "variance": ("6610", "GPU use beyond what was billed"),
}
# of a component that comes later and has no account of its own yet
OTHER = ("6690", "Other platform cost")


@dataclass(frozen=True, slots=True)
class Posting:
    """Exactly one of `debit` and `credit` is above zero, unless both are zero."""

    account: tuple[str, str]
    cost_center: str
    team: str
    component: str
    corrects: str
    debit: Decimal
    credit: Decimal


def postings(statements: Sequence[Statement]) -> list[Posting]:
    """Cost centres first, by team; then the clearing account, by component. Nothing of zero."""
    found = [
        _posting(ACCOUNTS.get(entry.component, OTHER), entry, statement.team, entry.amount)
        for statement in statements
        for entry in statement.entries
        if entry.amount
    ]
    by_component: dict[tuple[str, str], list[Decimal]] = {}
    for each in found:
        amounts = by_component.setdefault((each.component, each.corrects), [])
        amounts += [each.debit, each.credit.copy_negate()]
    for (component, corrects), amounts in sorted(by_component.items()):
        if amount := added(amounts):
            entry = Entry("", "", component, corrects, amount, amount)
            found.append(_posting(CLEARING, entry, "", amount.copy_negate()))
    return found


def _posting(account: tuple[str, str], entry: Entry, team: str, amount: Decimal) -> Posting:
    nothing = added([])
    sides = (amount, nothing) if amount > 0 else (nothing, amount.copy_negate())
    return Posting(account, entry.cost_center, team, entry.component, entry.corrects, *sides)


def rows(run: RunRef, outcome: Outcome, found: Sequence[Posting]) -> Iterator[list[str]]:
    """Cells in the order of HEADER."""
    journal, (_, last) = f"{run.period}-{run.run_id[:8]}", month(run.period)
    for number, each in enumerate(found, start=1):
        about = f"corrects {each.corrects}" if each.corrects else f"chargeback {run.period}"
        yield [
            *(journal, str(number), last.isoformat(), run.period, *each.account),
            *(safe(each.cost_center), safe(each.team), safe(each.component)),
            *(written(each.debit), written(each.credit), safe(outcome.currency)),
            *(f"{each.component}, {about}", each.corrects, run.run_id),
        ]
