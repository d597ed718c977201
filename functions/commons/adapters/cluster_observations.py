"""What a sweep sees of the clusters: quotas, access entries, and misshapen namespaces."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from commons.adapters.access_entries import AccessEntries
from commons.adapters.access_reviews import AccessReviews
from commons.adapters.compute_quotas import ComputeQuotas
from commons.adapters.namespace_shape import NamespaceShape
from commons.domain.documents import ClusterDocument
from commons.domain.errors import Blocked, CommonsError, Conflict
from commons.domain.facets import NamespaceStep, spec_of
from commons.domain.names import region_of
from commons.domain.sweep import KnownTeam
from commons.domain.team import NamespaceRecord


class Log(Protocol):
    def warning(self, msg: object, *args: object, **more: Any) -> None: ...


@dataclass
class Seen:
    """By cluster; one that did not answer is in none of them."""

    quotas: dict[str, dict[str, int]] = field(default_factory=dict)
    entries: dict[str, frozenset[str]] = field(default_factory=dict)
    misshapen: set[tuple[str, str]] = field(default_factory=set)
    trespassing: set[tuple[str, str]] = field(default_factory=set)


class ClusterObservations:
    """`shape` and `reviews` read a cluster under the role that only reads."""

    def __init__(
        self,
        quotas: Callable[[str], ComputeQuotas],
        entries: Callable[[str], AccessEntries],
        shape: Callable[[ClusterDocument], NamespaceShape],
        reviews: Callable[[ClusterDocument], AccessReviews],
        log: Log,
    ) -> None:
        self._quotas = quotas
        self._entries = entries
        self._shape = shape
        self._reviews = reviews
        self._log = log

    def of(self, known: Iterable[KnownTeam]) -> Seen:
        """One cluster after the other; whichever fails is told and left out."""
        teams: dict[str, list[KnownTeam]] = {}
        documents: dict[str, ClusterDocument] = {}
        for team in known:
            for cluster in team.clusters:
                documents[cluster.cluster] = cluster
                teams.setdefault(cluster.cluster, []).append(team)
        seen = Seen()
        for arn, document in documents.items():
            try:
                self._look(document, teams[arn], seen)
            except CommonsError as error:
                self._log.warning("a cluster was left out", cluster=arn, reason=str(error))
        return seen

    def _look(self, cluster: ClusterDocument, teams: list[KnownTeam], seen: Seen) -> None:
        arn, region = cluster.cluster, region_of(cluster.cluster)
        seen.quotas[arn] = {q.id: q.version for q in self._quotas(region).of_cluster(arn)}
        seen.entries[arn] = self._entries(region).principals(cluster.eks_cluster)
        seen.trespassing |= {(arn, team) for team in self._reviews(cluster).trespassing()}
        shape = self._shape(cluster)
        for team in teams:
            for each in team.namespaces:
                if each.cluster == arn and each.quota and _differs(shape, team, each):
                    seen.misshapen.add((arn, each.namespace))


def _differs(shape: NamespaceShape, team: KnownTeam, record: NamespaceRecord) -> bool:
    document = team.document
    spec = spec_of(NamespaceStep(team=document.team, **_place(record)), document)
    members = list(team.members.values()) if spec else []
    try:
        shaped = shape.reach(
            document.team,
            record.project,
            record.namespace,
            members,
            act=False,
            state=document.state,
            spec=spec,
        )
    except (Blocked, Conflict):
        # a reconcile says it better
        return True
    return bool(shaped.actions)


def _place(record: NamespaceRecord) -> dict[str, Any]:
    return record.model_dump(include={"cluster", "namespace", "project"})
