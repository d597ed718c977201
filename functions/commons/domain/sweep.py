"""Where a team differs from the directory and from AWS: a reconcile is asked for only there.

Everything a sweep looks at was read in bulk before; the membership rule is the one by which a
reconcile decides, so that a sweep and a reconcile never disagree.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from commons.domain.documents import ClusterDocument, MembershipGuard, TeamDocument
from commons.domain.group_pins import GroupPin, new_pins, old_pins
from commons.domain.membership import GroupRead, Member, Membership, Person, ids_to_look_up, plan
from commons.domain.names import account_of
from commons.domain.status import Condition
from commons.domain.team import Access, NamespaceRecord, TeamStatus

# what may have been mended meanwhile without any event that says so
_TRY_AGAIN = {"Failed", "Converging", "Conflict"}
# the same of one condition, where the phase tells a worse one
_MAY_BE_MENDED = {
    "AskedAgain",
    "Blocked",
    "ChangedMeanwhile",
    "Conflict",
    "QuotaExceedsCapacity",
    "StillConverging",
    "StillDraining",
    "Throttled",
}
# the first ends by an event, the second only sums up the namespaces
_ANSWERED = {"ClusterRegistered", "NamespacesReady"}


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Directory(Frozen):
    """People by id, names of groups by id, and the members of each group by its id."""

    people: dict[str, Person]
    groups: dict[str, str]
    memberships: dict[str, tuple[Membership, ...]]


class Observed(Frozen):
    """`quotas`: version by quota id, by cluster. `roles`: unique id by ARN.

    `entries`: principals with an access entry, by cluster. `misshapen`: namespaces, by cluster and
    name, in which a reconcile would change something. `trespassing`: teams, by cluster and id, of
    whom somebody is listed where the team has no business. A cluster that did not answer has none.
    """

    directory: Directory
    quotas: dict[str, dict[str, int]] = {}
    roles: dict[str, str] = {}
    entries: dict[str, frozenset[str]] = {}
    misshapen: frozenset[tuple[str, str]] = frozenset()
    trespassing: frozenset[tuple[str, str]] = frozenset()


class KnownTeam(Frozen):
    """What is remembered of a team, and which of its clusters we may change."""

    document: TeamDocument
    clusters: list[ClusterDocument]
    members: dict[str, Member]
    pins: dict[str, GroupPin]
    access: list[Access]
    namespaces: list[NamespaceRecord]
    status: TeamStatus
    guard: MembershipGuard


def differences(known: KnownTeam, observed: Observed) -> list[str]:
    """One word per difference; empty where nothing is to be done."""
    if known.status.execution_arn is not None:
        # whatever differs is being worked on
        return []
    found = list(_status(known))
    found += _membership(known, observed.directory)
    found += _access(known.access, observed.roles)
    found += _entries(known, observed.entries)
    found += _namespaces(known, observed)
    if any(team == known.document.team for _, team in observed.trespassing):
        found.append("listed_elsewhere")
    return list(dict.fromkeys(found))


def age_seconds(status: TeamStatus, now: datetime) -> float | None:
    """How old a difference is at most: since a sweep or a reconcile last found none."""
    times = [time for time in (status.swept_at, status.reconciled_at) if time]
    if not times:
        return None
    return (now - datetime.fromisoformat(max(times))).total_seconds()


def _status(known: KnownTeam) -> Iterator[str]:
    if known.status.phase is None:
        yield "never_reconciled"
    elif known.status.phase in _TRY_AGAIN or any(map(_may_be_mended, _conditions(known))):
        yield "not_ready"


def _conditions(known: KnownTeam) -> Iterator[Condition]:
    yield from known.status.conditions
    listed = {(spec.cluster, spec.project) for spec in known.document.namespaces}
    for each in known.namespaces:
        if (each.cluster, each.project) in listed:
            yield from each.conditions


def _may_be_mended(condition: Condition) -> bool:
    return (
        condition.status != "True"
        and condition.type not in _ANSWERED
        and condition.reason in _MAY_BE_MENDED
    )


def _membership(known: KnownTeam, directory: Directory) -> Iterator[str]:
    groups = [_group(name, role, known, directory) for name, role in _wanted(known)]
    ids = ids_to_look_up(groups, known.members)
    people = {user_id: _person(user_id, directory) for user_id in ids}
    planned = plan(groups, people, known.members, known.guard)
    if planned.changed or planned.gone or planned.ended:
        yield "members"
    if new_pins(groups, known.pins) or old_pins(groups, known.pins):
        yield "groups"


def _wanted(known: KnownTeam) -> list[tuple[str, str]]:
    return list(known.document.wanted_groups().items())


def _group(name: str, role: str, known: KnownTeam, directory: Directory) -> GroupRead:
    by_name = {name: group_id for group_id, name in directory.groups.items()}
    pin = known.pins.get(name)
    group_id = pin.group_id if pin else by_name.get(name)
    members = directory.memberships.get(group_id) if group_id else None
    return GroupRead.model_validate(
        {
            "display_name": name,
            "role": role,
            "group_id": group_id,
            "fault": "missing" if members is None else None,
            "memberships": members or (),
        }
    )


def _person(user_id: str, directory: Directory) -> Person:
    # a member that is no person has no user id
    status: Literal["unknown", "nested"] = "unknown" if user_id else "nested"
    return directory.people.get(user_id) or Person(user_id=user_id, status=status)


def _access(access: list[Access], roles: Mapping[str, str]) -> Iterator[str]:
    for each in access:
        if each.role_arn and roles.get(each.role_arn) != each.role_id:
            yield "role_renewed" if each.role_arn in roles else "role_gone"


def _entries(known: KnownTeam, entries: Mapping[str, frozenset[str]]) -> Iterator[str]:
    roles = {each.account: each.role_arn for each in known.access if each.role_arn}
    for cluster in known.clusters:
        role = roles.get(account_of(cluster.cluster))
        if role and cluster.cluster in entries and role not in entries[cluster.cluster]:
            yield "entry_gone"


def _namespaces(known: KnownTeam, observed: Observed) -> Iterator[str]:
    enforced = {each.cluster for each in known.clusters}
    for each in known.namespaces:
        versions = observed.quotas.get(each.cluster)
        if each.quota is None or versions is None or each.cluster not in enforced:
            continue
        if each.quota.id not in versions:
            yield "quota_gone"
        elif versions[each.quota.id] != each.quota.version:
            yield "quota_changed"
        if (each.cluster, each.namespace) in observed.misshapen:
            yield "namespace_changed"
