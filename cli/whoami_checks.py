"""Whether each link between a signed-in person and their namespaces is in order."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cli import cluster_access, stack
from cli.cluster_checks import Check
from commons.adapters.access_entries import AccessEntries
from commons.adapters.iam_roles import IamRoles
from commons.adapters.member_table import MemberTable
from commons.adapters.team_table import TeamTable
from commons.domain import callers
from commons.domain.access import ROLE_ID_TAG, Entry, Role, username
from commons.domain.callers import Caller
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import AccessDenied
from commons.domain.membership import BOUND
from commons.domain.names import kubernetes_user, namespace_name, permission_set_name, session_name
from commons.domain.team import Access


class Way(NamedTuple):
    """A team, the way into the caller's account that it remembers, and the role as IAM has it."""

    document: TeamDocument
    access: Access
    role: Role | None


def way_of(table: TeamTable, caller: Caller) -> Way | None:
    """The team whose role the caller has, or had: the permission set says so, whatever the role."""
    for accepted in table.teams():
        if permission_set_name(accepted.document.team) != caller.permission_set:
            continue
        for access in table.access(accepted.document.team):
            if access.account == caller.account:
                role = IamRoles(stack.client("iam")).of_permission_set(caller.permission_set)
                return Way(accepted.document, access, role)
    return None


def person(caller: Caller, way: Way) -> Iterator[Check]:
    """Team, role at AWS, and what the person is in the team."""
    yield Check("team", "ok", f"{way.document.team} ({way.document.title})")
    yield _role(caller, way)
    people = MemberTable(stack.table("TeamTable")).members(way.document.team).values()
    for member in people:
        if member.user_name.casefold() == caller.session_name.casefold():
            good = member.state in BOUND
            todo = "" if good else f"commons team show {way.document.team} says why"
            yield Check(
                "member", "ok" if good else "problem", f"{member.role}, {member.state}", todo
            )
            return
    todo = f"{caller.session_name} must be in a group of the team; its groups are in its document"
    yield Check("member", "problem", f"is in no group of team {way.document.team}", todo)


def _role(caller: Caller, way: Way) -> Check:
    again = f"sign in again; if it stays, commons team reconcile {way.document.team}"
    if way.role is None:
        return Check("role", "problem", "Identity Center has made none", again)
    if not callers.is_session_of(caller, way.role.arn):
        found = f"{caller.role_name} is gone; the team's role is {way.role.arn}"
        return Check("role", "problem", found, again)
    if way.access.role_id != way.role.role_id:
        return Check(
            "role", "problem", f"{way.role.arn} was made again and is not known yet", again
        )
    return Check("role", "ok", way.role.arn)


def on_cluster(caller: Caller, way: Way, cluster: ClusterDocument) -> Iterator[Check]:
    """The access entry, and where RoleBindings list the person."""
    entries = AccessEntries(cluster_access.regional("eks", cluster.cluster))
    found = entries.of_permission_set(cluster.eks_cluster, caller.permission_set)
    yield _entry(way, cluster, found)
    name = kubernetes_user(way.document.team, session_name(caller.session_name) or "?")
    yield Check(f"{cluster.name}: user name", "ok", name)
    for spec in way.document.namespaces:
        if spec.cluster == cluster.cluster:
            yield _bound(way, cluster, namespace_name(way.document.team, spec.project), name)


def _entry(way: Way, cluster: ClusterDocument, found: Iterable[Entry]) -> Check:
    what, todo = f"{cluster.name}: access entry", f"commons team reconcile {way.document.team}"
    known = {entry.principal: entry for entry in found}
    if way.role is None or (own := known.pop(way.role.arn, None)) is None:
        return Check(what, "problem", f"none on {way.role.arn if way.role else 'any role'}", todo)
    if own.tags.get(ROLE_ID_TAG) != way.role.role_id:
        return Check(what, "problem", "was made for a role of this name that is gone", todo)
    if own.username != username(way.document.team):
        return Check(what, "problem", f"its user name is {own.username}", todo)
    if known:
        return Check(what, "problem", f"there are {len(known)} more, on older roles", todo)
    return Check(what, "ok", own.principal)


def _bound(way: Way, cluster: ClusterDocument, namespace: str, name: str) -> Check:
    what = f"{cluster.name}: {namespace}"
    try:
        bindings = cluster_access.as_caller(cluster).list("RoleBinding", namespace)
    except AccessDenied as error:
        return Check(what, "warning", str(error), "ask an administrator of the cluster")
    roles = [
        binding["roleRef"]["name"]
        for binding in bindings
        if any(subject["name"] == name for subject in binding.get("subjects") or [])
    ]
    if roles:
        return Check(what, "ok", ", ".join(sorted(roles)))
    todo = f"commons team reconcile {way.document.team}"
    return Check(what, "problem", "no RoleBinding lists this user name", todo)
