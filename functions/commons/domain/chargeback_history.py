"""What a bill is divided by: use, quotas and owners of every namespace of the clusters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction

from commons.domain.allocation import Holder
from commons.domain.quota_history import quota_hours
from commons.domain.usage import QuotaVersion, Value, day_bounds

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Owner:
    """Who answers for a namespace on a day. All None: nobody we know.

    `ended`: the team has left; what the namespace still costs is its cost.
    """

    team: str | None = None
    project: str | None = None
    cost_center: str | None = None
    ended: bool = False


class Ownership(Value):
    """A team has a namespace from a day on, until the next one has it.

    `since` None: from ever. `cost_centers`: (valid from, code), the oldest first.
    """

    team: str
    project: str | None = None
    since: date | None = None
    cost_centers: tuple[tuple[date, str], ...] = ()
    ended_on: date | None = None

    def on(self, day: date) -> Owner:
        valid = [code for since, code in self.cost_centers if since <= day]
        ended = self.ended_on is not None and self.ended_on <= day
        return Owner(self.team, self.project, valid[-1] if valid else None, ended)


@dataclass(frozen=True, slots=True)
class History:
    """As far as it is known; places are (cluster, namespace).

    `used`: own and borrowed device-hours by (cluster, namespace, instance type, day).
    `missing`: for how much of a day the use of a cluster is unknown.
    `warnings`: what the sources of use leave in doubt.
    """

    used: Mapping[tuple[str, str, str, date], tuple[Fraction, Fraction]] = field(
        default_factory=dict
    )
    quotas: Mapping[Place, Sequence[QuotaVersion]] = field(default_factory=dict)
    missing: Mapping[tuple[str, date], timedelta] = field(default_factory=dict)
    # the oldest first
    owners: Mapping[Place, Sequence[Ownership]] = field(default_factory=dict)
    warnings: Sequence[str] = ()

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

    def unknown(self, cluster: str, day: date) -> timedelta:
        """For how much of the day the use of the cluster is not known, or may still change."""
        return self.missing.get((cluster, day), timedelta())

    def owner(self, cluster: str, namespace: str, day: date) -> Owner:
        """Who had the namespace on the day; before anybody had it, the first who did."""
        owners = self.owners.get((cluster, namespace), ())
        had = [each for each in owners if each.since is None or each.since <= day]
        found = had[-1] if had else next(iter(owners), None)
        return found.on(day) if found else Owner()
