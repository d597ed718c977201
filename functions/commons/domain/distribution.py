"""Pools become chargeback lines: every pool is handed out whole, and every line names its pool."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import chain

from commons.domain.allocation import PLATFORM, RULE, Rule, Share, allocate
from commons.domain.chargeback_lines import (
    UNALLOCATED,
    ChargebackLine,
    History,
    Owner,
    RunContext,
)
from commons.domain.cost_scope import Kind
from commons.domain.instance_types import devices
from commons.domain.money import rounded, total
from commons.domain.pools import Pool
from commons.domain.shares import split

_NOBODY = {PLATFORM, UNALLOCATED}
# a tenant's part of what is shared follows what it is charged directly
_DIRECT = {"reserved", "borrowed", "lend_credit", "on_demand", "direct"}

Weights = dict[tuple[str, date], dict[str, Decimal]]


@dataclass(frozen=True, slots=True)
class Distribution:
    history: History
    context: RunContext
    rule: Rule = RULE

    def lines(self, pools: Sequence[Pool]) -> list[ChargebackLine]:
        """All lines, in the order of the pools; Σ lines of a pool is its amount."""
        shared = [pool for pool in pools if pool.kind is Kind.SHARED]
        direct = self._direct([pool for pool in pools if pool.kind is not Kind.SHARED])
        weights = _weights(direct)
        return direct + list(chain.from_iterable(self._spread(pool, weights) for pool in shared))

    def _direct(self, pools: Iterable[Pool]) -> list[ChargebackLine]:
        namespaces = self.history.namespaces()
        lines = []
        for pool in pools:
            if pool.kind is Kind.POOL:
                shares = self._allocate(pool, namespaces.get(pool.cluster, []))
            else:
                shares = [Share(pool.namespace or UNALLOCATED, pool.component, pool.amount)]
            lines += [self._line(pool, pool.cluster, share) for share in shares]
        return lines

    def _allocate(self, pool: Pool, namespaces: Sequence[str]) -> list[Share]:
        per_node = devices(pool.instance_type)
        if per_node is None:
            # quotas and use cannot be compared with it: visible, and charged to no tenant
            return [Share(PLATFORM, "unassigned", pool.amount)] if pool.amount else []
        holders = self.history.holders(
            pool.cluster, namespaces, pool.instance_type, pool.day, (pool.start, pool.end)
        )
        return allocate(pool.amount, Fraction(pool.hours) * per_node, holders, self.rule)

    def _spread(self, pool: Pool, weights: Weights) -> list[ChargebackLine]:
        """In proportion to direct charge on that day; nobody charged: it stays unallocated."""
        found = {
            (cluster, namespace): amount
            for (cluster, day), by_namespace in weights.items()
            if day == pool.day and _reaches(pool, cluster)
            for namespace, amount in by_namespace.items()
        }
        if not any(found.values()):
            found = {(pool.cluster, UNALLOCATED): Decimal(1)}
        parts = split(pool.amount, found)
        return [
            self._line(pool, cluster, Share(namespace, pool.component, part))
            for (cluster, namespace), part in sorted(parts.items())
            if part
        ]

    def _line(self, pool: Pool, cluster: str, share: Share) -> ChargebackLine:
        owner = self.history.owners.get((cluster, share.namespace), Owner())
        unknown = share.component == "direct" and owner.team is None
        return ChargebackLine(
            cluster=cluster,
            namespace=share.namespace,
            team=owner.team,
            project=owner.project,
            cost_center=owner.cost_center(pool.day),
            period=self.context.period,
            day=pool.day,
            instance_type=pool.instance_type or None,
            component="unassigned" if unknown else share.component,
            amount=share.amount,
            currency=self.context.currency,
            estimated=pool.kind is Kind.POOL and self.history.estimated(cluster, pool.day),
            run_id=self.context.run_id,
            rule_version=self.context.rule_version,
            manifest=self.context.manifest,
            pool=pool.id,
            own=rounded(share.own),
            borrowed=rounded(share.borrowed),
        )


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


def _weights(lines: Iterable[ChargebackLine]) -> Weights:
    """Direct charge by cluster and day, then namespace; a credit above the charge weighs zero."""
    amounts: dict[tuple[str, date], dict[str, list[Decimal]]] = {}
    for line in lines:
        if line.namespace not in _NOBODY and line.component in _DIRECT:
            here = amounts.setdefault((line.cluster, line.day), {})
            here.setdefault(line.namespace, []).append(line.amount)
    return {
        key: {namespace: max(total(each), Decimal(0)) for namespace, each in found.items()}
        for key, found in amounts.items()
    }
