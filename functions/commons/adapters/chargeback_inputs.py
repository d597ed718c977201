"""Reads what a run needs beside its report: rules, use, quotas and owners of a period."""

from collections.abc import Callable

from commons.adapters.side_by_side import side_by_side
from commons.adapters.team_table import TeamTable
from commons.adapters.usage_source import UsageSource
from commons.adapters.usage_table import UsageTable
from commons.domain.chargeback_history import Ownership
from commons.domain.chargeback_inputs import Inputs, NamespaceInputs, RegisteredCluster
from commons.domain.chargeback_rules import rules_for
from commons.domain.documents import ClusterDocument
from commons.domain.errors import UnknownTeam
from commons.domain.quota_history import in_force
from commons.domain.usage import day_bounds, month

Place = tuple[str, str]


class ChargebackInputs:
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

    def take(self, period: str) -> Inputs:
        """Of every registered cluster.

        Raises RefusedInput if a source of usage holds what it must not.
        """
        first, last = month(period)
        documents = [accepted.document for accepted in self._teams.clusters()]
        clusters = sorted(documents, key=lambda each: each.cluster)
        usage = tuple(self._source_of(each).read(each.cluster, first, last) for each in clusters)
        places = {(c.cluster, n) for c in clusters for n in self._usage.namespaces_of(c.cluster)}
        places |= {(found.cluster, use.namespace) for found in usage for use in found.uses}
        return Inputs(
            rules=rules_for(period, self._teams.chargeback_rules()),
            clusters=tuple(
                RegisteredCluster(arn=each.cluster, eks_cluster=each.eks_cluster)
                for each in clusters
            ),
            usage=usage,
            namespaces=tuple(
                side_by_side(lambda place: self._namespace(place, period), sorted(places))
            ),
        )

    def _namespace(self, place: Place, period: str) -> NamespaceInputs:
        cluster, namespace = place
        first, last = month(period)
        within = (day_bounds(first)[0], day_bounds(last)[1])
        return NamespaceInputs(
            cluster=cluster,
            namespace=namespace,
            quotas=in_force(self._usage.quota_history(cluster, namespace), *within),
            owners=tuple(self._owners(cluster, namespace)),
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
            return [Ownership(team=team, project=project)]
        codes = sorted((each.valid_from, each.code) for each in document.cost_centers)
        return [Ownership(team=team, project=project, cost_centers=tuple(codes))]
