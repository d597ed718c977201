"""The kinds of rows that the report of a run has."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from commons.domain.consumption import Consumption
from commons.domain.money import total


@dataclass(frozen=True, slots=True)
class Share:
    name: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Day:
    """`estimated`: the use of a part of the day is not known, or may still change."""

    day: date
    amount: Decimal
    estimated: bool


@dataclass(frozen=True, slots=True)
class Tenant:
    """A namespace, who owns it, what it pays and what it used."""

    cluster: str
    namespace: str
    team: str
    cost_center: str
    amount: Decimal
    used: Consumption


@dataclass(frozen=True, slots=True)
class Mover:
    """`previous`: the month before, zero if the namespace was not there."""

    cluster: str
    namespace: str
    previous: Decimal
    amount: Decimal

    @property
    def change(self) -> Decimal:
        return total([self.amount, self.previous.copy_negate()])
