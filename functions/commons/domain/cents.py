"""Amounts that are paid: whole cents, from the top down, so that every level adds up.

The total is rounded once, halves to even; what is below it gets its cents by largest remainder. An
amount differs from its exact figure by less than one cent.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.money import from_units, total

PLACES = 2
# what has no team is the platform's own to pay
PLATFORM_TEAM = "__platform__"


def in_cents(amount: Decimal) -> Decimal:
    """Halves to even."""
    return from_units(round(Fraction(amount) * 10**PLACES), PLACES)


def below[Key: Any](exact: Mapping[Key, Decimal], whole: Decimal) -> dict[Key, Decimal]:
    """`exact` in cents that make `whole`, which is their sum in cents; ties to the smaller key.

    Raises ValueError if `whole` is a cent or more away from the sum.
    """
    scaled = {key: Fraction(part) * 10**PLACES for key, part in exact.items()}
    units = {key: floor(part) for key, part in scaled.items()}
    missing = Fraction(whole) * 10**PLACES - sum(units.values())
    if missing.denominator != 1 or not 0 <= missing <= len(units):
        raise ValueError(f"{whole} is not the sum of the parts in cents")
    by_fraction = sorted(units, key=lambda key: (units[key] - scaled[key], key))
    for key in by_fraction[: int(missing)]:
        units[key] += 1
    return {key: from_units(count, PLACES) for key, count in units.items()}


# project, cost centre, component, corrected period; nothing is the empty text
Position = tuple[str, str, str, str]


def by_team(lines: Iterable[ChargebackLine]) -> dict[str, dict[Position, Decimal]]:
    """Exact amounts of each team's positions, in order."""
    found: dict[str, dict[Position, list[Decimal]]] = {}
    for line in lines:
        position = (line.project or "", line.cost_center or "", line.component, line.corrects or "")
        positions = found.setdefault(line.team or PLATFORM_TEAM, {})
        positions.setdefault(position, []).append(line.amount)
    return {
        team: {position: total(amounts) for position, amounts in sorted(positions.items())}
        for team, positions in sorted(found.items())
    }


def payable(exact: Mapping[str, Mapping[Position, Decimal]]) -> dict[str, dict[Position, Decimal]]:
    """Cents of each team's positions: teams make the total in cents, positions their team's."""
    teams = {team: total(positions.values()) for team, positions in exact.items()}
    rounded = below(teams, in_cents(total(teams.values())))
    return {team: below(positions, rounded[team]) for team, positions in exact.items()}


def added(amounts: Iterable[Decimal]) -> Decimal:
    """The sum of cents, in cents."""
    return in_cents(total(amounts))


def written(amount: Decimal) -> str:
    """Two places, no exponent, no negative zero."""
    return format(amount.copy_abs() if amount == 0 else amount, "f")
