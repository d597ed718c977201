"""Who pays for the nodes of one kind on one day.

For capacity K device-hours, namespaces with quota q, own use a and borrowed b, as parts of it all:

    reserved     q' ÷ K          q' is q, scaled down where quotas together exceed K
    borrowed     b ÷ K · (φ·s + 1 − s)      s: the part of Σb that idle lenders covered
    lend_credit  lent ÷ K · −φ   lent: s · Σb in proportion to the own idle that may be lent
    on_demand    use of namespaces without quota ÷ K
    unassigned   the rest ÷ K; where it is below zero it is `variance` and never clamped

Mode `reserved` has reserved and the rest alone; mode `usage` divides all of the cost by use. The
parts are one exactly (proof in the tests, for random pools), and are settled at ten places.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from commons.domain.chargeback_rules import DEFAULT, ChargebackRules
from commons.domain.parts import NOTHING, ONE, Part, spread
from commons.domain.shares import settle

# where capacity goes that nobody had reserved or used
PLATFORM = "__platform__"
Key = tuple[str, str]
Parts = dict[Key, Part]
# of what was charged for nothing but the use beside it
_NOT_CHARGED = Part("by_use", NOTHING)


@dataclass(frozen=True, slots=True)
class Holder:
    """One namespace on one day, in device-hours of one instance type."""

    namespace: str
    quota: Fraction = NOTHING
    own: Fraction = NOTHING
    borrowed: Fraction = NOTHING
    lends: bool = False

    @property
    def used(self) -> Fraction:
        return self.own + self.borrowed


@dataclass(frozen=True, slots=True)
class Share:
    namespace: str
    component: str
    amount: Decimal
    part: Part
    own: Fraction = NOTHING
    borrowed: Fraction = NOTHING


def divide(
    capacity: Fraction, holders: Sequence[Holder], rules: ChargebackRules = DEFAULT
) -> Parts:
    """Parts of one by namespace and component, which add up to one.

    Capacity of zero (a fee without hours) is divided by quota, without quota it is unassigned.
    """
    match rules.mode:
        case _ if capacity <= 0:
            parts = _by_quota(holders)
        case "usage":
            parts = _by_use(holders)
        case "reserved":
            parts = _reserved(capacity, holders)
        case _:
            parts = _reserved_plus_borrowed(capacity, holders, Fraction(rules.borrow_price))
    kept = parts.pop((PLATFORM, "unassigned"), None)
    if kept:
        parts |= _unassigned(kept, parts, holders, rules)
    return {key: part for key, part in parts.items() if part.size}


def shares_of(cost: Decimal, parts: Parts, holders: Sequence[Holder] = ()) -> list[Share]:
    """Shares whose amounts add up to `cost` exactly, in a fixed order; those of nothing left out.

    With `holders`, what each used stands beside the share that charges for it.
    """
    whole = Fraction(cost)
    amounts = settle({key: whole * part.size for key, part in parts.items()}, cost)
    hours = _hours(holders, parts)
    shares = [
        Share(
            *key,
            amounts.get(key, Decimal(0)),
            parts.get(key, _NOT_CHARGED),
            *hours.get(key, (NOTHING, NOTHING)),
        )
        for key in sorted(amounts.keys() | hours.keys())
    ]
    return [share for share in shares if share.amount or share.own or share.borrowed]


def scale(capacity: Fraction, holders: Sequence[Holder]) -> Fraction:
    """By how much quotas are scaled down, so that together they are no more than the capacity."""
    promised = sum((h.quota for h in holders), NOTHING)
    return min(capacity / promised, ONE) if promised else ONE


def _reserved_plus_borrowed(
    capacity: Fraction, holders: Sequence[Holder], borrow_price: Fraction
) -> Parts:
    quota = _scaled(capacity, holders)
    idle = {h.namespace: max(quota[h.namespace] - h.own, NOTHING) for h in holders if h.lends}
    borrowed, lendable = sum((h.borrowed for h in holders), NOTHING), sum(idle.values(), NOTHING)
    lent = min(borrowed, lendable)
    covered = lent / borrowed if borrowed else NOTHING
    price = borrow_price * covered + (1 - covered)
    outside = sum((h.own for h in holders if not h.quota), NOTHING)
    rest = capacity - sum(quota.values(), NOTHING) - (borrowed - lent) - outside
    parts = _rest(rest, capacity)
    for h in holders:
        own_lent = lent * idle.get(h.namespace, NOTHING) / lendable if lendable else NOTHING
        part = {
            "reserved": Part("by_use", quota[h.namespace], capacity),
            "borrowed": Part("by_use", h.borrowed, capacity, price),
            "on_demand": Part("by_use", NOTHING if h.quota else h.own, capacity),
            "lend_credit": Part("by_use", own_lent, capacity, -borrow_price),
        }
        parts |= {(h.namespace, component): each for component, each in part.items()}
    return parts


def _reserved(capacity: Fraction, holders: Sequence[Holder]) -> Parts:
    quota = _scaled(capacity, holders)
    parts = _rest(capacity - sum(quota.values(), NOTHING), capacity)
    return parts | {(n, "reserved"): Part("by_use", q, capacity) for n, q in quota.items()}


def _by_use(holders: Sequence[Holder]) -> Parts:
    """All of the cost, idle too; nobody used anything: by quota."""
    used = sum((h.used for h in holders), NOTHING)
    if not used:
        return _by_quota(holders)
    return {(h.namespace, "usage"): Part("by_use", h.used, used) for h in holders}


def _by_quota(holders: Sequence[Holder]) -> Parts:
    promised = sum((h.quota for h in holders), NOTHING)
    if not promised:
        return {(PLATFORM, "unassigned"): Part("kept")}
    return {(h.namespace, "reserved"): Part("by_quota", h.quota, promised) for h in holders}


def _rest(rest: Fraction, capacity: Fraction) -> Parts:
    component = "unassigned" if rest >= 0 else "variance"
    return {(PLATFORM, component): Part("by_use", rest, capacity)}


def _scaled(capacity: Fraction, holders: Sequence[Holder]) -> dict[str, Fraction]:
    factor = scale(capacity, holders)
    return {h.namespace: h.quota * factor for h in holders}


def _unassigned(
    kept: Part, parts: Mapping[Key, Part], holders: Sequence[Holder], rules: ChargebackRules
) -> Parts:
    """The unassigned part, kept or spread over those who hold or use something that day."""
    rule = rules.unassigned.spread()
    if rule is None:
        return {(PLATFORM, "unassigned"): kept}
    weights = {h.namespace: NOTHING for h in holders}
    for (namespace, _), part in parts.items():
        weights[namespace] = weights.get(namespace, NOTHING) + part.size
    weights = {namespace: max(weight, NOTHING) for namespace, weight in weights.items()}
    found = spread(rule, weights, str, PLATFORM)
    return {(namespace, "unassigned"): part.times(kept.size) for namespace, part in found.items()}


def _hours(
    holders: Sequence[Holder], parts: Mapping[Key, Part]
) -> dict[Key, tuple[Fraction, Fraction]]:
    """What was used, on the share that charges for it."""
    hours: dict[Key, tuple[Fraction, Fraction]] = {}
    for h in holders:
        if (h.namespace, "usage") in parts:
            hours[h.namespace, "usage"] = (h.own, h.borrowed)
            continue
        if h.own:
            hours[h.namespace, "reserved" if h.quota else "on_demand"] = (h.own, NOTHING)
        if h.borrowed:
            hours[h.namespace, "borrowed"] = (NOTHING, h.borrowed)
    return hours
