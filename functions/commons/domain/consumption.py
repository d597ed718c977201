"""Reserved against used against lent: what became of the device-hours that teams had reserved."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.money import ZERO, rounded, total

Place = tuple[str, str]
_Cell = tuple[str, str, str | None, date]
_BY_HOURS = ("by_use", "by_quota")


@dataclass(frozen=True, slots=True)
class Consumption:
    """Device-hours of a namespace, and the money of the idle ones.

    reserved = own + lent + idle, unless more was used than the bill had; `borrowed` is what it used
    of others. `idle_cost` is a part of what it pays for `reserved`, not an amount of its own.
    """

    reserved: Decimal = ZERO
    own: Decimal = ZERO
    lent: Decimal = ZERO
    borrowed: Decimal = ZERO
    idle: Decimal = ZERO
    idle_cost: Decimal = ZERO

    def plus(self, other: "Consumption") -> "Consumption":
        mine = (self.reserved, self.own, self.lent, self.borrowed, self.idle, self.idle_cost)
        theirs = (other.reserved, other.own, other.lent, other.borrowed, other.idle)
        pairs = zip(mine, (*theirs, other.idle_cost), strict=True)
        return Consumption(*(total(pair) for pair in pairs))


def consumption(lines: Iterable[ChargebackLine]) -> dict[Place, Consumption]:
    """By (cluster, namespace). Corrections have the hours of another month and are left out."""
    cells: dict[_Cell, list[ChargebackLine]] = {}
    for line in lines:
        if line.corrects is None:
            cell = (line.cluster, line.namespace, line.instance_type, line.day)
            cells.setdefault(cell, []).append(line)
    found: dict[Place, Consumption] = {}
    for (cluster, namespace, _, _), here in cells.items():
        place = (cluster, namespace)
        found[place] = found.get(place, Consumption()).plus(_of_day(here))
    return found


def _of_day(lines: list[ChargebackLine]) -> Consumption:
    """Of one namespace, instance type and day, whose pools all name the same quota."""
    reserved, lent = _hours(lines, "reserved"), _hours(lines, "lend_credit")
    own = total(line.own for line in lines)
    quota_used = total(line.own for line in lines if line.component == "reserved")
    idle = max(total([reserved, quota_used.copy_negate(), lent.copy_negate()]), ZERO)
    paid = total(line.amount for line in lines if line.component == "reserved")
    cost = rounded(Fraction(paid) * Fraction(idle) / Fraction(reserved)) if reserved else ZERO
    borrowed = total(line.borrowed for line in lines)
    return Consumption(reserved, own, lent, borrowed, idle, cost)


def _hours(lines: Iterable[ChargebackLine], component: str) -> Decimal:
    """The numerator of a part by hours is the hours it is charged for."""
    mine = (each for each in lines if each.component == component and each.method in _BY_HOURS)
    return max((each.numerator for each in mine), default=ZERO)
