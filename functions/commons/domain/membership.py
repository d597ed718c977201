"""Who is a member of a team, in which role and state: the rule, and the difference to what was.

A person is known by their user id; names are looked at only to see whether a cluster can tell two
people apart. The highest role of a person's groups wins, whatever the order of joining.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, computed_field

from commons.domain.documents import MembershipGuard
from commons.domain.names import session_name

Role = Literal["viewer", "member", "lead"]
ROLES: tuple[Role, ...] = ("viewer", "member", "lead")

# active   in a group and enabled                                        may do what the role may
# held     left every group, but so many at once that a person must say   keeps what they had
# conflict the cluster could not tell them from somebody else             may do nothing
# disabled in a group, and disabled in the directory                      may do nothing
# pending  in a group, and not yet known to the directory                 may do nothing
State = Literal["active", "held", "conflict", "disabled", "pending"]
# the share that a cluster document gives to switch the guard off
_NO_GUARD = 100
BOUND: frozenset[State] = frozenset({"active", "held"})


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Person(Frozen):
    """What the directory says of a user id; `nested`: the id is that of a group."""

    user_id: str
    user_name: str = ""
    status: Literal["enabled", "disabled", "unknown", "nested"]


class Membership(Frozen):
    membership_id: str
    user_id: str


class GroupRead(Frozen):
    """A group as it was read whole. `missing`: there is none; `renewed`: another has its name."""

    display_name: str
    role: Role
    group_id: str | None = None
    fault: Literal["missing", "renewed"] | None = None
    memberships: tuple[Membership, ...] = ()


class Member(Frozen):
    """One person of a team, as the `teams` table remembers them."""

    user_id: str
    user_name: str
    role: Role
    state: State
    # group id by membership id
    memberships: dict[str, str] = {}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def group_ids(self) -> list[str]:
        return sorted(set(self.memberships.values()))


class MembershipPlan(Frozen):
    """What is to be remembered: every member, who changed, and who is no longer one."""

    members: tuple[Member, ...]
    changed: tuple[Member, ...]
    gone: tuple[Member, ...]
    # memberships seen for the first time: user id by membership id, by group id
    begun: dict[str, dict[str, str]] = {}
    # memberships that exist no more, by group id; one of a group that is merely no longer ours
    # still exists, and may be another team's
    ended: dict[str, list[str]] = {}
    nested: int = 0


def ids_to_look_up(groups: Iterable[GroupRead], current: Mapping[str, Member]) -> set[str]:
    """Who is in a group, and who was: one that left may be disabled or deleted by now."""
    return {each.user_id for group in groups for each in group.memberships} | set(current)


def plan(
    groups: Iterable[GroupRead],
    people: Mapping[str, Person],
    current: Mapping[str, Member],
    guard: MembershipGuard,
) -> MembershipPlan:
    """Compare what was read, which must be whole, with what is remembered."""
    groups = list(groups)
    wanted, nested = _wanted(groups, people)
    wanted |= _held(wanted, people, current, guard)
    members = _told_apart(wanted)
    return MembershipPlan(
        begun=_begun(members, current),
        ended=_ended(groups, current),
        members=tuple(members.values()),
        changed=tuple(each for each in members.values() if current.get(each.user_id) != each),
        gone=tuple(current[user_id] for user_id in sorted(current.keys() - members.keys())),
        nested=nested,
    )


def _wanted(
    groups: Iterable[GroupRead], people: Mapping[str, Person]
) -> tuple[dict[str, Member], int]:
    ranks: dict[str, int] = {}
    ways: dict[str, dict[str, str]] = {}
    for group in groups:
        for each in group.memberships:
            rank = ROLES.index(group.role)
            ranks[each.user_id] = max(rank, ranks.get(each.user_id, 0))
            ways.setdefault(each.user_id, {})[each.membership_id] = group.group_id or ""
    members = {
        user_id: _member(people[user_id], ROLES[ranks[user_id]], ways[user_id])
        for user_id in sorted(ranks)
        if people[user_id].status != "nested"
    }
    return members, len(ranks) - len(members)


def _member(person: Person, role: Role, memberships: dict[str, str]) -> Member:
    states: dict[str, State] = {"enabled": "active", "disabled": "disabled", "unknown": "pending"}
    return Member(
        user_id=person.user_id,
        user_name=person.user_name,
        role=role,
        state=states[person.status],
        memberships=memberships,
    )


def _begun(
    members: Mapping[str, Member], current: Mapping[str, Member]
) -> dict[str, dict[str, str]]:
    known = {key for member in current.values() for key in member.memberships}
    begun: dict[str, dict[str, str]] = {}
    for member in members.values():
        for membership_id, group_id in member.memberships.items():
            if membership_id not in known:
                begun.setdefault(group_id, {})[membership_id] = member.user_id
    return begun


def _ended(groups: list[GroupRead], current: Mapping[str, Member]) -> dict[str, list[str]]:
    read = {group.group_id for group in groups}
    alive = {each.membership_id for group in groups for each in group.memberships}
    ended: dict[str, list[str]] = {}
    for member in current.values():
        for membership_id, group_id in member.memberships.items():
            if group_id in read and membership_id not in alive:
                ended.setdefault(group_id, []).append(membership_id)
    return ended


def _held(
    wanted: Mapping[str, Member],
    people: Mapping[str, Person],
    current: Mapping[str, Member],
    guard: MembershipGuard,
) -> dict[str, Member]:
    """Those who left, if they are suspiciously many. Nobody disabled or deleted is among them."""
    bound = [member for member in current.values() if member.state in BOUND]
    leaving = [
        member
        for member in bound
        if member.user_id not in wanted and people[member.user_id].status == "enabled"
    ]
    emptied = not any(member.state == "active" for member in wanted.values())
    many = len(leaving) > guard.max_remove_count
    share = len(leaving) * 100 > guard.max_remove_percent * len(bound)
    guarded = guard.max_remove_percent < _NO_GUARD
    if not leaving or not guarded or not (emptied or (many and share)):
        return {}
    held = {"state": "held", "memberships": {}}
    return {each.user_id: each.model_copy(update=held) for each in leaving}


def _told_apart(members: Mapping[str, Member]) -> dict[str, Member]:
    """Bound members whose names a cluster sees as one, or cannot carry, become `conflict`."""
    sessions = {
        user_id: (session_name(member.user_name) or "").casefold()
        for user_id, member in members.items()
        if member.state in BOUND
    }
    times = Counter(sessions.values())
    return {
        user_id: member.model_copy(update={"state": "conflict"})
        if user_id in sessions and (not sessions[user_id] or times[sessions[user_id]] > 1)
        else member
        for user_id, member in members.items()
    }
