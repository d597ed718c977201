"""What a person should look at although the sums are right."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import groupby

from commons.domain.allocation import scale
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.cost_scope import Kind
from commons.domain.distribution import Distribution
from commons.domain.instance_types import devices
from commons.domain.money import plain, rounded
from commons.domain.pools import Pool

# use beyond what was billed is told from here on, as a part of the pool's cost
_ALERT = Decimal("0.005")
_SHOWN = 50


def warnings(
    pools: Sequence[Pool], lines: Sequence[ChargebackLine], distribution: Distribution
) -> list[str]:
    """Each a sentence; at most fifty, those that move money first."""
    nodes = [pool for pool in pools if pool.kind is Kind.POOL]
    found = [
        *_unknown_types(nodes),
        *_variance(nodes, lines),
        *_ended(distribution, lines),
        *_scaled_and_exceeded(nodes, distribution),
    ]
    return found[:_SHOWN]


def _unknown_types(nodes: Iterable[Pool]) -> Iterator[str]:
    for name in sorted({p.instance_type for p in nodes if devices(p.instance_type) is None}):
        yield f"{name} is no known instance type: its cost is unassigned, whoever used it"


def _variance(nodes: Iterable[Pool], lines: Iterable[ChargebackLine]) -> Iterator[str]:
    costs = {pool.id: pool.amount for pool in nodes}
    for line in lines:
        if line.component == "variance" and line.pool in costs:
            cost = costs[line.pool]
            if abs(line.amount) > abs(cost) * _ALERT:
                yield (
                    f"use on {line.day} of {line.instance_type} in {line.cluster} exceeds what "
                    f"was billed: {plain(line.amount)} of {plain(cost)} {line.currency}"
                )


def _ended(distribution: Distribution, lines: Iterable[ChargebackLine]) -> Iterator[str]:
    """Cost that goes on after a team has left is its cost, and somebody must look."""
    found: dict[tuple[str, str, str], list[Decimal]] = {}
    for line in lines:
        owner = distribution.history.owner(line.cluster, line.namespace, line.day)
        if owner.ended and owner.team and line.amount:
            key = (owner.team, line.namespace, line.cluster)
            found.setdefault(key, []).append(line.amount)
    for (team, namespace, cluster), amounts in sorted(found.items()):
        yield (
            f"team {team} has left, and {namespace} in {cluster} still costs "
            f"{plain(sum(amounts, Decimal(0)))}: see what is left of it there"
        )


def _scaled_and_exceeded(nodes: Sequence[Pool], distribution: Distribution) -> Iterator[str]:
    """Quotas that were more than was billed, and use above a quota that nobody called borrowed."""
    namespaces = distribution.history.namespaces()

    def alike(pool: Pool) -> tuple[str, str, str]:
        return pool.cluster, pool.instance_type, pool.day.isoformat()

    for (cluster, name, day), together in groupby(sorted(nodes, key=alike), key=alike):
        capacity, holders = distribution.held(list(together), namespaces.get(cluster, []))
        factor = scale(capacity, holders) if capacity > 0 else Fraction(1)
        if factor < 1:
            yield (
                f"quotas of {name} in {cluster} on {day} are more than was billed: each counts "
                f"{float(factor):.4f} of itself"
            )
        for holder in holders:
            excess = holder.own - holder.quota * factor
            if holder.quota and excess > 0:
                yield (
                    f"{holder.namespace} in {cluster} used {plain(rounded(excess))} device-hours "
                    f"of {name} on {day} above its quota that Kueue did not call borrowed: they "
                    "are in what is unassigned, not charged to it"
                )
