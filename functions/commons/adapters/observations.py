"""What a sweep compares: the directory, roles and clusters in bulk, each read once and whole."""

from collections.abc import Iterable

from commons.adapters.cluster_observations import ClusterObservations
from commons.adapters.iam_roles import IamRoles
from commons.adapters.identity_store import IdentityStore
from commons.adapters.member_table import MemberTable
from commons.adapters.team_table import TeamTable
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.membership import Membership
from commons.domain.membership_guard import strictest
from commons.domain.sweep import Directory, KnownTeam, Observed


class Observations:
    """Half a read is no read: a directory that fails ends the sweep before it asks for anything.

    A cluster that fails is left out, and its teams are compared without it.
    """

    def __init__(
        self,
        teams: TeamTable,
        members: MemberTable,
        directory: IdentityStore,
        roles: IamRoles,
        clusters: ClusterObservations,
        group_prefix: str,
    ) -> None:
        self._teams = teams
        self._members = members
        self._directory = directory
        self._roles = roles
        self._clusters = clusters
        self._prefix = group_prefix

    def known(self) -> list[KnownTeam]:
        """Every team as it is remembered."""
        clusters = {each.document.cluster: each.document for each in self._teams.clusters()}
        return [self._known(each.document, clusters) for each in self._teams.teams()]

    def observed(self, known: Iterable[KnownTeam]) -> Observed:
        """What the directory, AWS and the clusters say of these teams."""
        known = list(known)
        seen = self._clusters.of(known)
        return Observed(
            directory=self._read_directory(known),
            roles={role.arn: role.role_id for role in self._roles.all()},
            quotas=seen.quotas,
            entries=seen.entries,
            misshapen=frozenset(seen.misshapen),
            trespassing=frozenset(seen.trespassing),
        )

    def _known(self, document: TeamDocument, clusters: dict[str, ClusterDocument]) -> KnownTeam:
        team = document.team
        registered = [clusters[arn] for arn in document.clusters() if arn in clusters]
        return KnownTeam(
            document=document,
            # what is only observed differs for good
            clusters=[cluster for cluster in registered if cluster.mode == "enforce"],
            members=self._members.members(team),
            pins=self._members.pins(team),
            access=self._teams.access(team),
            namespaces=self._teams.namespaces(team),
            status=self._teams.status(team),
            guard=strictest(cluster.membership_guard for cluster in registered),
        )

    def _read_directory(self, known: list[KnownTeam]) -> Directory:
        groups = self._directory.groups(self._prefix)
        ids = {pin.group_id for team in known for pin in team.pins.values()}
        wanted = {name for team in known for name in team.document.wanted_groups()}
        ids |= {group_id for group_id, name in groups.items() if name in wanted}
        memberships: dict[str, tuple[Membership, ...]] = {}
        for group_id in sorted(ids):
            # a group that is gone has no members, and is not the same as an empty one
            if (members := self._directory.memberships(group_id)) is not None:
                memberships[group_id] = members
        return Directory(people=self._directory.everybody(), groups=groups, memberships=memberships)
