"""What the members facet says: counts only, since names of people stay in the `teams` table."""

from collections import Counter
from collections.abc import Iterable, Mapping

from commons.domain.facets import Outcome
from commons.domain.membership import GroupRead, Member, MembershipPlan
from commons.domain.status import Condition

MEMBERS = "MembersReady"
GROUPS = "GroupsFound"


def outcome(
    groups: Iterable[GroupRead], plan: MembershipPlan, current: Mapping[str, Member]
) -> Outcome:
    groups = list(groups)
    actions = _actions(plan, current)
    return Outcome(conditions=[_members(plan), _found(groups)], actions=actions)


def _actions(plan: MembershipPlan, current: Mapping[str, Member]) -> list[str]:
    added = sum(member.user_id not in current for member in plan.changed)
    counts = {
        "add {} people": added,
        "change {} people": len(plan.changed) - added,
        "remove {} people": len(plan.gone),
    }
    return [text.format(count) for text, count in counts.items() if count]


def _members(plan: MembershipPlan) -> Condition:
    """The worst that is true of the members; the rest is visible in their states."""
    states = Counter(member.state for member in plan.members)
    if states["held"]:
        return _not_ready(
            "Held",
            f"{states['held']} people left all groups of the team at once and keep their access: "
            "put them back in the directory, or let them go by membership_guard: "
            "{max_remove_percent: 100} in the cluster document",
        )
    if states["conflict"]:
        return _not_ready(
            "Conflict",
            f"{states['conflict']} people cannot be told apart in a cluster, or their user names "
            "cannot be session names: give them other user names in the directory",
        )
    if states["pending"]:
        return _not_ready(
            "StillConverging", f"{states['pending']} people are not in the directory yet"
        )
    text = f"{states['active']} people may use the team's namespaces"
    if plan.nested:
        text += f"; {plan.nested} groups inside its groups are skipped: add their people directly"
        return Condition(type=MEMBERS, status="True", reason="NestedGroupsSkipped", message=text)
    return Condition(type=MEMBERS, status="True", reason="UpToDate", message=text)


def _not_ready(reason: str, message: str) -> Condition:
    return Condition(type=MEMBERS, status="False", reason=reason, message=message)


def _found(groups: list[GroupRead]) -> Condition:
    renewed = [group.display_name for group in groups if group.fault == "renewed"]
    missing = [group.display_name for group in groups if group.fault == "missing"]
    if renewed:
        text = (
            f"{', '.join(renewed)} was deleted, and another group has its name: to adopt that one, "
            "take the name out of the document, and put it in again"
        )
        return Condition(type=GROUPS, status="False", reason="Conflict", message=text)
    if missing:
        text = (
            f"{', '.join(missing)} is not in the directory: create it there, assign it to the "
            "enterprise application, or take it out of the document"
        )
        return Condition(type=GROUPS, status="False", reason="GroupMissing", message=text)
    text = f"{len(groups)} groups of the document are in the directory"
    return Condition(type=GROUPS, status="True", reason="Found", message=text)
