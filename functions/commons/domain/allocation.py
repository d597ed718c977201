"""Who pays for a pool of nodes on one day: reserved plus borrowed, with credit for what was lent.

For capacity K device-hours that cost C (rate C/K), namespaces with quota q, own use a, borrowed b:

    reserved     rate · q'          q' is q, scaled down where quotas together exceed K
    borrowed     rate · b · (φ·s + 1 − s)      s: the part of Σb that idle lenders covered
    lend_credit  −rate · φ · s · Σb · (own idle that may be lent ÷ all of it)
    on_demand    rate · use of namespaces without quota
    unassigned   the rest; where it is below zero it is posted as variance and never clamped

The parts are C exactly (proof in the tests, for random pools), and are settled at ten places.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from commons.domain.shares import settle

# where capacity goes that nobody had reserved or used
PLATFORM = "__platform__"
NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True)
class Rule:
    """`borrow_price` is φ: what a borrowed hour costs, as a part of a reserved one."""

    version: str
    borrow_price: Fraction


# decided: a borrowed hour costs what a reserved one does, so that lending pays
RULE = Rule(version="reserved-plus-borrowed-1", borrow_price=Fraction(1))


@dataclass(frozen=True, slots=True)
class Holder:
    """One namespace on one day, in device-hours of one instance type."""

    namespace: str
    quota: Fraction = NOTHING
    own: Fraction = NOTHING
    borrowed: Fraction = NOTHING
    lends: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    namespace: str
    component: str
    amount: Decimal
    own: Fraction = NOTHING
    borrowed: Fraction = NOTHING


def allocate(
    cost: Decimal, capacity: Fraction, holders: Sequence[Holder], rule: Rule = RULE
) -> list[Share]:
    """Shares whose amounts add up to `cost` exactly, in a fixed order; those of nothing left out.

    Capacity of zero (a fee without hours) is shared by quota, without quota it is unassigned.
    """
    exact = (
        _by_use(Fraction(cost), capacity, holders, rule)
        if capacity > 0
        else _by_quota(Fraction(cost), holders)
    )
    amounts = settle(exact, cost)
    hours = _hours(holders)
    keys = sorted(amounts.keys() | hours.keys())
    shares = [
        Share(*key, amounts.get(key, Decimal(0)), *hours.get(key, (NOTHING, NOTHING)))
        for key in keys
    ]
    return [share for share in shares if share.amount or share.own or share.borrowed]


def _by_use(
    cost: Fraction, capacity: Fraction, holders: Sequence[Holder], rule: Rule
) -> dict[tuple[str, str], Fraction]:
    rate = cost / capacity
    scale = _scale(capacity, holders)
    quota = {h.namespace: h.quota * scale for h in holders}
    idle = {h.namespace: max(quota[h.namespace] - h.own, NOTHING) for h in holders if h.lends}
    borrowed, lendable = sum((h.borrowed for h in holders), NOTHING), sum(idle.values(), NOTHING)
    lent = min(borrowed, lendable)
    covered = lent / borrowed if borrowed else NOTHING
    price = rule.borrow_price * covered + (1 - covered)
    outside = sum((h.own for h in holders if not h.quota), NOTHING)
    rest = capacity - sum(quota.values(), NOTHING) - (borrowed - lent) - outside
    parts = {(PLATFORM, "unassigned" if rest >= 0 else "variance"): rate * rest}
    for h in holders:
        parts[h.namespace, "reserved"] = rate * quota[h.namespace]
        parts[h.namespace, "borrowed"] = rate * h.borrowed * price
        parts[h.namespace, "on_demand"] = NOTHING if h.quota else rate * h.own
        if lent and (own_idle := idle.get(h.namespace)):
            credit = rate * rule.borrow_price * lent * own_idle / lendable
            parts[h.namespace, "lend_credit"] = -credit
    return {key: part for key, part in parts.items() if part}


def _scale(capacity: Fraction, holders: Sequence[Holder]) -> Fraction:
    promised = sum((h.quota for h in holders), NOTHING)
    return min(capacity / promised, Fraction(1)) if promised else Fraction(1)


def _by_quota(cost: Fraction, holders: Sequence[Holder]) -> dict[tuple[str, str], Fraction]:
    promised = sum((h.quota for h in holders), NOTHING)
    if not promised:
        return {(PLATFORM, "unassigned"): cost}
    return {(h.namespace, "reserved"): cost * h.quota / promised for h in holders if h.quota}


def _hours(holders: Sequence[Holder]) -> dict[tuple[str, str], tuple[Fraction, Fraction]]:
    """What was used, on the line that charges for it."""
    hours = {}
    for h in holders:
        if h.own:
            hours[h.namespace, "reserved" if h.quota else "on_demand"] = (h.own, NOTHING)
        if h.borrowed:
            hours[h.namespace, "borrowed"] = (NOTHING, h.borrowed)
    return hours
