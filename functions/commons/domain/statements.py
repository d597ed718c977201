"""Statements: what each team pays for a period, to the cent; the basis of invoices and journal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from commons.domain.cents import added, by_team, payable
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_run import RunRef
from commons.domain.money import total

_SHORT = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """`amount` in cents, `exact` at ten places. `corrects`: the closed period it corrects."""

    project: str
    cost_center: str
    component: str
    corrects: str
    amount: Decimal
    exact: Decimal


@dataclass(frozen=True, slots=True)
class Statement:
    """`team` is `__platform__` for what belongs to no team."""

    number: str
    team: str
    entries: Sequence[Entry]

    @property
    def amount(self) -> Decimal:
        return added(entry.amount for entry in self.entries)

    @property
    def exact(self) -> Decimal:
        return total(entry.exact for entry in self.entries)


def number_of(run: RunRef, team: str) -> str:
    """The same figures, the same number; a later run of the period has numbers of its own."""
    return f"{run.period}-{run.run_id[:_SHORT]}-{team}"


def statements(run: RunRef, lines: Iterable[ChargebackLine]) -> list[Statement]:
    """By team, in order. They add up to the total in cents, their entries to each of them."""
    exact = by_team(lines)
    cents = payable(exact)
    return [
        Statement(
            number_of(run, team),
            team,
            [Entry(*position, cents[team][position], each) for position, each in entries.items()],
        )
        for team, entries in exact.items()
    ]
