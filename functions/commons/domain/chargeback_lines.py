"""Chargeback lines: who pays how much for what on which day, and where it comes from."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from commons.domain.allocation import Holder
from commons.domain.money import ZERO
from commons.domain.quota_history import quota_hours
from commons.domain.usage import QuotaVersion, day_bounds

# what names no cluster or nobody who uses one
UNALLOCATED = "__unallocated__"


@dataclass(frozen=True, slots=True)
class Owner:
    """Who answers for a namespace. All None: nobody we know."""

    team: str | None = None
    project: str | None = None
    # (valid from, code), oldest first
    cost_centers: tuple[tuple[date, str], ...] = ()

    def cost_center(self, day: date) -> str | None:
        """The newest that is valid on the day."""
        valid = [code for since, code in self.cost_centers if since <= day]
        return valid[-1] if valid else None


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all lines of a run share."""

    run_id: str
    rule_version: str
    period: str
    currency: str
    manifest: str


@dataclass(frozen=True, slots=True)
class ChargebackLine:
    """`own` and `borrowed` are device-hours; what was held is both together."""

    cluster: str
    namespace: str
    team: str | None
    project: str | None
    cost_center: str | None
    period: str
    day: date
    instance_type: str | None
    component: str
    amount: Decimal
    currency: str
    estimated: bool
    run_id: str
    rule_version: str
    manifest: str
    pool: str
    own: Decimal = ZERO
    borrowed: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class History:
    """Use and quota of every namespace of the clusters, as far as it is known.

    `used`: own and borrowed device-hours by (cluster, namespace, instance type, day).
    `unfinished`: clusters and days of which the use was last added up before the day was over.
    """

    used: Mapping[tuple[str, str, str, date], tuple[Fraction, Fraction]] = field(
        default_factory=dict
    )
    quotas: Mapping[tuple[str, str], Sequence[QuotaVersion]] = field(default_factory=dict)
    unfinished: Set[tuple[str, date]] = frozenset()
    owners: Mapping[tuple[str, str], Owner] = field(default_factory=dict)

    def namespaces(self) -> dict[str, list[str]]:
        """Namespaces with use or quota, by cluster, in order."""
        pairs = {(cluster, namespace) for cluster, namespace, _, _ in self.used} | set(self.quotas)
        found: dict[str, list[str]] = {}
        for cluster, namespace in sorted(pairs):
            found.setdefault(cluster, []).append(namespace)
        return found

    def holders(
        self,
        cluster: str,
        namespaces: Iterable[str],
        instance_type: str,
        day: date,
        within: tuple[datetime | None, datetime | None],
    ) -> list[Holder]:
        """The namespaces that held or used the type on the day.

        Quota counts only while the bill covers the day: on a day half reported, half of it.
        """
        start, end = day_bounds(day)
        start, end = max(start, within[0] or start), min(end, within[1] or end)
        found = []
        for namespace in namespaces:
            versions = self.quotas.get((cluster, namespace), ())
            quota, lends = quota_hours(versions, instance_type, start, end)
            own, borrowed = self.used.get(
                (cluster, namespace, instance_type, day), (Fraction(0), Fraction(0))
            )
            if quota or own or borrowed:
                found.append(Holder(namespace, quota, own, borrowed, lends))
        return found

    def estimated(self, cluster: str, day: date) -> bool:
        """Whether the use of that day may still change."""
        return (cluster, day) in self.unfinished
