"""What a namespace is charged directly on a day: its weight where something shared is spread."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from commons.domain.allocation import PLATFORM, Share
from commons.domain.chargeback_lines import UNALLOCATED
from commons.domain.money import total
from commons.domain.pools import Pool

_NOBODY = {PLATFORM, UNALLOCATED}
_DIRECT = {"reserved", "borrowed", "lend_credit", "on_demand", "usage", "direct"}

# by cluster and day, then namespace
Weights = dict[tuple[str, date], dict[str, Fraction]]


@dataclass(frozen=True, slots=True)
class Drafted:
    """A share of a pool, of a namespace on a cluster."""

    pool: Pool
    cluster: str
    share: Share


def weigh(drafts: Iterable[Drafted]) -> Weights:
    """A credit above the charge weighs zero."""
    amounts: dict[tuple[str, date], dict[str, list[Decimal]]] = {}
    for each in drafts:
        if each.share.namespace not in _NOBODY and each.share.component in _DIRECT:
            here = amounts.setdefault((each.cluster, each.pool.day), {})
            here.setdefault(each.share.namespace, []).append(each.share.amount)
    return {
        key: {
            namespace: Fraction(max(total(each), Decimal(0))) for namespace, each in found.items()
        }
        for key, found in amounts.items()
    }


def reached(pool: Pool, weights: Weights) -> dict[tuple[str, str], Fraction]:
    """Weights of that day by cluster and namespace, of the clusters that share the pool."""
    return {
        (cluster, namespace): weight
        for (cluster, day), by_namespace in weights.items()
        if day == pool.day and _reaches(pool, cluster)
        for namespace, weight in by_namespace.items()
    }


def _reaches(pool: Pool, cluster: str) -> bool:
    """A pool of a cluster reaches that cluster; one of an account and Region, all that are there.

    `account/` reaches every Region of the account.
    """
    if pool.cluster == cluster:
        return True
    account, slash, region = pool.cluster.partition("/")
    if pool.cluster.startswith("arn:") or not slash or not cluster.startswith("arn:"):
        return False
    parts = cluster.split(":")
    return parts[4] == account and region in ("", parts[3])
