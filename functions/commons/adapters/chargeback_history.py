"""Use, quotas and owners of every namespace that a bill may concern, from the product's tables."""

from collections.abc import Iterable
from datetime import date, timedelta
from fractions import Fraction

from commons.adapters.team_table import TeamTable
from commons.adapters.usage_table import UsageTable
from commons.domain.chargeback_history import History, Ownership
from commons.domain.cost_scope import Cluster
from commons.domain.errors import UnknownTeam
from commons.domain.usage import DailyUsage, day_bounds, month


class ChargebackHistory:
    def __init__(self, teams: TeamTable, usage: UsageTable) -> None:
        self._teams = teams
        self._usage = usage

    def clusters(self) -> list[Cluster]:
        """The registered ones, by ARN."""
        documents = [accepted.document for accepted in self._teams.clusters()]
        return sorted(
            (Cluster(each.cluster, each.eks_cluster) for each in documents), key=lambda c: c.arn
        )

    def read(
        self, period: str, clusters: Iterable[str], named: Iterable[tuple[str, str]]
    ) -> History:
        """Of all namespaces of the clusters; `named` are further ones that the bill names."""
        first, last = month(period)
        places = [(c, n) for c in sorted(clusters) for n in self._usage.namespaces_of(c)]
        used = [
            usage
            for cluster, namespace in places
            for usage in self._usage.daily_usage_of(cluster, namespace, first, last)
        ]
        return History(
            used={_key(each): (Fraction(each.own), Fraction(each.borrowed)) for each in used},
            quotas={place: self._usage.quota_history(*place) for place in places},
            missing=_unfinished(used),
            owners={place: self._owners(*place) for place in {*places, *named}},
        )

    def _owners(self, cluster: str, namespace: str) -> list[Ownership]:
        """Who holds the name by its claim; a namespace that nobody claimed has no owner."""
        holder = self._teams.holder(cluster, namespace)
        if holder is None:
            return []
        team, project = holder
        try:
            document = self._teams.get_team_document(team)
        except UnknownTeam:
            return [Ownership(team, project)]
        codes = sorted((each.valid_from, each.code) for each in document.cost_centers)
        return [Ownership(team, project, cost_centers=tuple(codes))]


def _unfinished(used: Iterable[DailyUsage]) -> dict[tuple[str, date], timedelta]:
    """How much of a day was still to come when its use was last added up."""
    found: dict[tuple[str, date], timedelta] = {}
    for each in used:
        if (left := day_bounds(each.day)[1] - each.as_of) > timedelta():
            key = (each.cluster, each.day)
            found[key] = max(found.get(key, timedelta()), left)
    return found


def _key(usage: DailyUsage) -> tuple[str, str, str, date]:
    return usage.cluster, usage.namespace, usage.instance_type, usage.day
