"""Use, quotas and owners of every namespace that a bill may concern."""

from collections.abc import Callable, Iterable

from commons.adapters.team_table import TeamTable
from commons.adapters.usage_source import UsageSource
from commons.adapters.usage_table import UsageTable
from commons.domain.chargeback_history import History, Ownership
from commons.domain.cost_scope import Cluster
from commons.domain.documents import ClusterDocument
from commons.domain.errors import UnknownTeam
from commons.domain.usage import month


class ChargebackHistory:
    """`source_of`: where the use of a cluster comes from."""

    def __init__(
        self,
        teams: TeamTable,
        usage: UsageTable,
        source_of: Callable[[ClusterDocument], UsageSource],
    ) -> None:
        self._teams = teams
        self._usage = usage
        self._source_of = source_of

    def clusters(self) -> list[Cluster]:
        """The registered ones, by ARN."""
        documents = self._documents().values()
        return [Cluster(each.cluster, each.eks_cluster) for each in documents]

    def read(
        self, period: str, clusters: Iterable[str], named: Iterable[tuple[str, str]]
    ) -> History:
        """Of all namespaces of the clusters; `named` are further ones that the bill names."""
        first, last = month(period)
        documents, wanted = self._documents(), sorted(clusters)
        found = [self._source_of(documents[c]).read(c, first, last) for c in wanted]
        places = {(c, n) for c in wanted for n in self._usage.namespaces_of(c)}
        places |= {(each.cluster, use.namespace) for each in found for use in each.uses}
        return History(
            used={
                (each.cluster, *key): hours
                for each in found
                for key, hours in each.by_day().items()
            },
            quotas={place: self._usage.quota_history(*place) for place in sorted(places)},
            missing={
                (each.cluster, day): length
                for each in found
                for day, length in each.missing().items()
            },
            owners={place: self._owners(*place) for place in {*places, *named}},
            warnings=[warning for each in found for warning in each.warnings],
        )

    def _documents(self) -> dict[str, ClusterDocument]:
        """Of the registered clusters, by ARN."""
        documents = [accepted.document for accepted in self._teams.clusters()]
        return {each.cluster: each for each in sorted(documents, key=lambda d: d.cluster)}

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
