"""Applies what `domain.access` plans: permission set, assignments, role, one entry a cluster.

Where a cluster is only observed, nothing is written and the actions say what would be.
"""

from collections.abc import Callable

from commons.adapters.access_entries import AccessEntries
from commons.adapters.iam_roles import IamRoles
from commons.adapters.permission_sets import PermissionSets
from commons.domain.access import (
    Entry,
    PermissionSet,
    Role,
    differences,
    permission_set_of,
    plan_entry,
)
from commons.domain.access_plan import Account, assignment_changes
from commons.domain.documents import ClusterDocument
from commons.domain.errors import ChangedMeanwhile, StillConverging
from commons.domain.names import region_of
from commons.domain.team import Access


class TeamAccess:
    """`actions` grows with every change that was made, or would be."""

    def __init__(
        self, sets: PermissionSets, roles: IamRoles, entries: Callable[[str], AccessEntries]
    ) -> None:
        self._sets = sets
        self._roles = roles
        self._entries = entries
        self.actions: list[str] = []

    def permission_set(self, wanted: PermissionSet, arn: str | None, act: bool) -> PermissionSet:
        """As it is to be; without an ARN if there is none and none may be made."""
        observed = self._sets.get(arn) if arn else None
        if observed is None:
            self.actions.append(f"create permission set {wanted.name}")
            observed = self._created(wanted) if act else wanted.model_copy(update={"policy": ""})
        if parts := differences(wanted, observed):
            self.actions.append(f"set {' and '.join(parts)} of permission set {wanted.name}")
            if act:
                self._sets.write(observed.arn, wanted, parts)
        if act and self._sets.outdated(observed.arn):
            self.actions.append(f"provision permission set {wanted.name}")
            self._sets.provision(observed.arn)
        return wanted.model_copy(update={"arn": observed.arn})

    def _created(self, wanted: PermissionSet) -> PermissionSet:
        if arn := self._sets.create(wanted):
            return wanted.model_copy(update={"arn": arn, "policy": ""})
        if taken := self._sets.find(wanted.name):
            return taken
        raise ChangedMeanwhile(f"The permission set {wanted.name} came and went; tried again")

    def reach(
        self, account: Account, known: PermissionSet, groups: list[str], record: Access
    ) -> Access | None:
        """Assignments, the role they bring, entries for it; what is then to be remembered."""
        assigned = self._sets.assigned(known.arn, account.account) if known.arn else []
        add, drop = assignment_changes(groups, assigned, record.group_ids)
        self.actions += [f"assign group {group} to {account.account}" for group in add]
        self.actions += [f"unassign group {group} from {account.account}" for group in drop]
        if account.act:
            self._sets.assign(known.arn, account.account, add)
        role = self._role(account, known.name)
        if role is None:
            return None
        for cluster in account.clusters:
            self._entry(known.team or "", cluster, role, record)
        if not account.act:
            return None
        self._sets.unassign(known.arn, account.account, drop)
        return Access(
            account=account.account,
            permission_set=known.name,
            permission_set_arn=known.arn,
            role_arn=role.arn,
            role_id=role.role_id,
            group_ids=groups,
        )

    def _role(self, account: Account, name: str) -> Role | None:
        role = self._roles.of_permission_set(name)
        if role is None and account.act:
            raise StillConverging(
                f"Identity Center has not yet made the role of permission set {name} in account "
                f"{account.account}"
            )
        return role

    def _entry(self, team: str, cluster: ClusterDocument, role: Role, record: Access) -> None:
        entries = self._entries(region_of(cluster.cluster))
        observed = entries.get(cluster.eks_cluster, role.arn)
        former: list[Entry] = []
        # the names of all entries are read only when the role is new to the cluster or to us
        if observed is None or record.role_id != role.role_id:
            name = permission_set_of(role.arn) or ""
            former = entries.of_permission_set(cluster.eks_cluster, name)
        for change in plan_entry(team, role, observed, former):
            self.actions.append(f"{change.verb} access entry of {change.principal}")
            if cluster.mode == "enforce":
                entries.apply(cluster.eks_cluster, change)
