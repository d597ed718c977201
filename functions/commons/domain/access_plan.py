"""What the access facet wants in each account, and what it says about it."""

from collections.abc import Iterable, Mapping

from commons.domain.access import Frozen, PermissionSet, inline_policy
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import Blocked
from commons.domain.facets import Outcome, reached
from commons.domain.group_pins import GroupPin
from commons.domain.names import account_of, namespace_name, permission_set_name
from commons.domain.status import Condition
from commons.domain.team import Access, NamespaceRecord

ACCESS = "AccessReady"


class Account(Frozen):
    """The team's clusters in one account; `act` unless all of them are only observed."""

    account: str
    clusters: tuple[ClusterDocument, ...]

    @property
    def act(self) -> bool:
        return any(cluster.mode == "enforce" for cluster in self.clusters)


def wanted_set(team: str, clusters: Iterable[ClusterDocument]) -> PermissionSet:
    return PermissionSet(name=permission_set_name(team), policy=inline_policy(clusters), team=team)


def accounts_of(clusters: Iterable[ClusterDocument], own_account: str) -> list[Account]:
    """Raises Blocked for a cluster in an account that our roles do not reach."""
    by_account: dict[str, list[ClusterDocument]] = {}
    for cluster in clusters:
        by_account.setdefault(account_of(cluster.cluster), []).append(cluster)
    if foreign := sorted(by_account.keys() - {own_account}):
        raise Blocked(
            f"The team has clusters in {', '.join(foreign)}, and the stack reaches only account "
            f"{own_account}: deploy a stack there"
        )
    return [Account(account=a, clusters=tuple(known)) for a, known in sorted(by_account.items())]


def role_in(ways: Iterable[Access], cluster: ClusterDocument) -> str | None:
    """ARN of the role by which the team comes to a cluster; None if it has no way yet."""
    account = account_of(cluster.cluster)
    return next((way.role_arn for way in ways if way.account == account), None)


def assignable(pins: Mapping[str, GroupPin]) -> list[str]:
    """Ids of the team's groups that the directory has."""
    return sorted({pin.group_id for pin in pins.values() if not pin.missing})


def assignment_changes(
    wanted: list[str], assigned: list[str], ours: list[str]
) -> tuple[list[str], list[str]]:
    """Groups to assign and to take it from: only those we assigned, and never the last one.

    With the last assignment Identity Center deletes the role, and every entry on it is dead.
    """
    add = [group for group in wanted if group not in assigned]
    drop = [group for group in ours if group in assigned and group not in wanted]
    return add, drop if wanted else []


def new_entries(
    account: Account,
    reached: Access | None,
    document: TeamDocument,
    known: Iterable[NamespaceRecord],
) -> list[tuple[str, str, str]]:
    """Cluster, namespace and principal wherever another principal, or none, is remembered."""
    if reached is None or reached.role_arn is None:
        return []
    arns = {cluster.cluster for cluster in account.clusters if cluster.mode == "enforce"}
    noted = {(each.cluster, each.namespace): each.access_entry for each in known}
    names = [
        (spec.cluster, namespace_name(document.team, spec.project))
        for spec in document.namespaces
        if spec.cluster in arns
    ]
    return [(*name, reached.role_arn) for name in names if noted.get(name) != reached.role_arn]


def outcome(actions: list[str], accounts: list[Account], groups: list[str]) -> Outcome:
    if accounts and not groups:
        text = (
            "None of the team's groups is in the directory, so nobody has a way into its clusters"
        )
        condition = Condition(type=ACCESS, status="False", reason="GroupMissing", message=text)
        return Outcome(conditions=[condition], actions=actions)
    clusters = sum(len(account.clusters) for account in accounts)
    text = f"{len(groups)} groups reach {clusters} clusters in {len(accounts)} accounts"
    return reached(ACCESS, actions, text, not any(account.act for account in accounts))
