"""Pools become chargeback lines: every pool is handed out whole, and every line names its pool.

First the nodes and what names its namespace; then, over who was charged there, what all share: the
pools of nobody in particular, and what the platform's own namespaces cost.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from commons.domain.allocation import PLATFORM, Holder, Parts, Share, divide, shares_of
from commons.domain.chargeback_history import History
from commons.domain.chargeback_lines import UNALLOCATED, ChargebackLine, RunContext, line_id
from commons.domain.chargeback_rules import DEFAULT, ChargebackRules
from commons.domain.cost_scope import Kind
from commons.domain.instance_types import devices
from commons.domain.money import rounded, total
from commons.domain.parts import NOTHING, Part, spread
from commons.domain.pools import Pool
from commons.domain.shares import settle
from commons.domain.weights import Drafted, Weights, reached, weigh

_UNKNOWN_TYPE: Parts = {(PLATFORM, "unassigned"): Part("kept")}

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Distribution:
    history: History
    context: RunContext
    rules: ChargebackRules = DEFAULT

    def lines(self, pools: Sequence[Pool]) -> list[ChargebackLine]:
        """All lines, in the order of the pools; Σ lines of a pool is its amount."""
        drafts = list(self._nodes([pool for pool in pools if pool.kind is Kind.POOL]))
        drafts += [
            _whole(pool, pool.namespace or UNALLOCATED)
            for pool in pools
            if pool.kind in (Kind.DIRECT, Kind.APART)
        ]
        platform = [each for each in drafts if each.share.namespace in self._platform]
        tenants = [each for each in drafts if each.share.namespace not in self._platform]
        weights = weigh(tenants)
        drafts = tenants + list(self._respread(platform, weights))
        for pool in pools:
            if pool.kind is Kind.SHARED:
                drafts += self._spread(pool, pool.amount, pool.component, weights)
        order = {pool.id: number for number, pool in enumerate(pools)}
        return [self._line(each) for each in sorted(drafts, key=lambda d: order[d.pool.id])]

    @property
    def _platform(self) -> frozenset[str]:
        return frozenset(self.rules.platform_namespaces)

    def _nodes(self, pools: Iterable[Pool]) -> Iterator[Drafted]:
        """Pools of one type and day on a cluster are one capacity, each handed out by itself."""
        namespaces = self.history.namespaces()
        alike: dict[tuple[str, str, date], list[Pool]] = {}
        for pool in pools:
            alike.setdefault((pool.cluster, pool.instance_type, pool.day), []).append(pool)
        for (cluster, _, _), together in alike.items():
            parts, holders = self.divided(together, namespaces.get(cluster, []))
            for pool in together:
                for share in shares_of(pool.amount, parts, holders):
                    yield Drafted(pool, cluster, share)
                holders = ()  # use is shown once, beside the first of them

    def divided(
        self, together: Sequence[Pool], namespaces: Sequence[str]
    ) -> tuple[Parts, Sequence[Holder]]:
        """Parts of one for pools of one cluster, instance type and day, and who held what."""
        one = together[0]
        if devices(one.instance_type) is None:
            # quotas and use cannot be compared with it: visible, and charged to no tenant
            return _UNKNOWN_TYPE, ()
        capacity, holders = self.held(together, namespaces)
        return divide(capacity, holders, self._rules_on(one.cluster, one.day)), holders

    def held(
        self, together: Sequence[Pool], namespaces: Sequence[str]
    ) -> tuple[Fraction, Sequence[Holder]]:
        """Device-hours that were billed for pools of one cluster, type and day, and who held them.

        Nothing of a type that is not known.
        """
        one, per_node = together[0], devices(together[0].instance_type) or 0
        hours = sum((Fraction(pool.hours) for pool in together), NOTHING)
        start = min((pool.start for pool in together if pool.start), default=None)
        end = max((pool.end for pool in together if pool.end), default=None)
        within = (start, end)
        return hours * per_node, self.history.holders(
            one.cluster, namespaces, one.instance_type, one.day, within
        )

    def _rules_on(self, cluster: str, day: date) -> ChargebackRules:
        """A day of which too much use is unknown is charged by quota alone."""
        allowed = timedelta(hours=self.rules.missing_usage_hours)
        if self.history.unknown(cluster, day) > allowed:
            return self.rules.model_copy(update={"mode": "reserved"})
        return self.rules

    def _respread(self, platform: Iterable[Drafted], weights: Weights) -> Iterator[Drafted]:
        """What platform namespaces cost is shared; what they used still shows, beside nothing."""
        amounts: dict[str, list[Drafted]] = {}
        for each in platform:
            amounts.setdefault(each.pool.id, []).append(each)
            if each.share.own or each.share.borrowed:
                yield replace(each, share=replace(each.share, amount=Decimal(0)))
        for found in amounts.values():
            amount = total(each.share.amount for each in found)
            yield from self._spread(found[0].pool, amount, "shared", weights)

    def _spread(
        self, pool: Pool, amount: Decimal, component: str, weights: Weights
    ) -> Iterator[Drafted]:
        """`amount` of a pool over who is charged there that day; nobody: it stays unallocated."""
        if not amount:
            return
        nobody: Place = (pool.cluster, UNALLOCATED)
        parts = spread(self.rules.shared, reached(pool, weights), lambda place: place[1], nobody)
        settled = settle({place: Fraction(amount) * p.size for place, p in parts.items()}, amount)
        factor = Fraction(amount) / Fraction(pool.amount) if pool.amount else NOTHING
        for place, part in sorted(settled.items()):
            if part:
                share = Share(place[1], component, part, parts[place].times(factor))
                yield Drafted(pool, place[0], share)

    def _line(self, draft: Drafted) -> ChargebackLine:
        pool, share, cluster = draft.pool, draft.share, draft.cluster
        owner = self.history.owner(cluster, share.namespace, pool.day)
        unknown = share.component == "direct" and owner.team is None
        component = "unassigned" if unknown else share.component
        key = (pool.id, cluster, share.namespace, owner.team, owner.project, owner.cost_center)
        return ChargebackLine(
            line_id=line_id([*key, component, None]),
            cluster=cluster,
            namespace=share.namespace,
            team=owner.team,
            project=owner.project,
            cost_center=owner.cost_center,
            period=self.context.period,
            day=pool.day,
            instance_type=pool.instance_type or None,
            component=component,
            amount=share.amount,
            currency=self.context.currency,
            estimated=pool.kind is Kind.POOL and bool(self.history.unknown(cluster, pool.day)),
            run_id=self.context.run_id,
            rule_version=self.context.rule_version,
            manifest=pool.source or self.context.manifest,
            pool=pool.id,
            own=rounded(share.own),
            borrowed=rounded(share.borrowed),
            method=share.part.method,
            numerator=rounded(share.part.numerator),
            denominator=rounded(share.part.denominator),
            factor=rounded(share.part.factor),
            pool_amount=total([pool.amount]),
            rows=pool.rows,
        )


def _whole(pool: Pool, namespace: str) -> Drafted:
    return Drafted(
        pool, pool.cluster, Share(namespace, pool.component, pool.amount, Part("direct"))
    )
