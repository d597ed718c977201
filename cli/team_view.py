"""What `commons team` shows: the parts of a team from its table, as people and programs read it."""

from collections.abc import Mapping
from typing import Any

from cli import output, stack
from cli.errors import Failure
from commons.adapters.member_table import MemberTable
from commons.adapters.team_table import TeamTable
from commons.domain.documents import TeamDocument
from commons.domain.leavers import Leaver
from commons.domain.membership import BOUND, Member
from commons.domain.names import cluster_id, namespace_name
from commons.domain.status import Condition
from commons.domain.team import Accepted, NamespaceRecord, TeamStatus
from commons.domain.verification_outcome import VERIFIED

View = dict[str, Any]


def team_table() -> TeamTable:
    return TeamTable(stack.table("TeamTable"))


def known_team(table: TeamTable, team: str) -> Accepted[TeamDocument]:
    """Raises Failure if no document of that team was ever accepted."""
    accepted = table.find_team(team)
    if accepted is None:
        raise Failure(f"There is no team {team}; see: commons team list")
    return accepted


def summary(table: TeamTable, accepted: Accepted[TeamDocument]) -> View:
    """One line of `team list`."""
    document = accepted.document
    return {
        "team": document.team,
        "title": document.title,
        "state": document.state,
        "phase": phase(table.status(document.team), accepted),
        "namespaces": len(document.namespaces),
    }


def whole(table: TeamTable, accepted: Accepted[TeamDocument]) -> View:
    """What `team show --json` prints."""
    document = accepted.document
    status = table.status(document.team)
    people = MemberTable(stack.table("TeamTable"))
    groups = {pin.group_id: name for name, pin in people.pins(document.team).items()}
    members = people.members(document.team)
    return {
        "team": document.team,
        "title": document.title,
        "state": document.state,
        "phase": phase(status, accepted),
        "conditions": [_condition(each) for each in status.conditions],
        "members": [
            {
                **each.model_dump(include={"user_id", "user_name", "role", "state"}),
                "groups": [groups.get(group_id, group_id) for group_id in each.group_ids],
            }
            for each in members.values()
        ],
        "left": _left(members, people.left(document.team)),
        "access": [
            each.model_dump(include={"account", "permission_set", "role_arn"})
            for each in table.access(document.team)
        ],
        "namespaces": _namespaces(document, table.namespaces(document.team)),
    }


def _left(members: Mapping[str, Member], left: list[Leaver]) -> list[View]:
    """Who lost their access and has not got it back."""
    back = {user_id for user_id, member in members.items() if member.state in BOUND}
    told = {"user_id", "user_name", "role", "left_at", "sessions_until"}
    return [each.model_dump(include=told) for each in left if each.user_id not in back]


def phase(status: TeamStatus, accepted: Accepted[TeamDocument]) -> str:
    """The recorded phase; Converging while the newest document has not been reconciled yet."""
    if status.phase is None:
        return "Converging"
    behind = (status.reconciled_at or "") < accepted.accepted_at
    return "Converging" if behind and status.execution_arn else status.phase


def show(view: View) -> None:
    """For people: who may do what where, and why not."""
    headline = f"{view['team']} ({view['title']}): {view['phase']}"
    output.console.print(headline, style="bold", markup=False, highlight=False)
    columns = ["type", "status", "reason", "since", "message"]
    rows = [[condition[column] for column in columns] for condition in view["conditions"]]
    output.print_table("Conditions", ["condition", *columns[1:]], rows)
    output.print_table(
        "Members", ["user", "role", "state", "may", "because of"], map(_member, view["members"])
    )
    if view["left"]:
        columns = ["user_name", "role", "left_at", "sessions_until"]
        rows = [[each[column] for column in columns] for each in view["left"]]
        headers = ["user", "was", "refused in the clusters since", "sessions at AWS at most until"]
        output.print_table("Left", headers, rows)
    columns = ["account", "permission_set", "role_arn"]
    rows = [[access[column] for column in columns] for access in view["access"]]
    output.print_table("Access", ["account", "permission set", "role"], rows)
    output.print_table(
        "Namespaces",
        ["cluster", "namespace", "phase", "quota", "access", "why"],
        map(_namespace, view["namespaces"]),
    )


def _member(member: View) -> list[str]:
    because = "\n".join(member["groups"])
    return [member["user_name"], member["role"], member["state"], _may(member), because]


def _namespace(namespace: View) -> list[str]:
    place = [cluster_id(namespace["cluster"]), namespace["namespace"], namespace["phase"]]
    return [*place, _quota(namespace), _verified(namespace), _why(namespace)]


def _verified(namespace: View) -> str:
    """In short; what is wrong stands beside it."""
    for condition in namespace["conditions"]:
        if condition["type"] == VERIFIED:
            verified = (condition["status"], condition["reason"]) == ("True", "UpToDate")
            return f"verified since {condition['since']}" if verified else condition["reason"]
    return "not verified yet"


_MAY = {
    "viewer": "look at the team's tasks",
    "member": "run tasks",
    "lead": "run tasks, and end those of the team",
}


def _may(member: View) -> str:
    return _MAY[member["role"]] if member["state"] in ("active", "held") else "nothing"


def _quota(namespace: View) -> str:
    rows = (namespace["quota"] or {}).get("resources") or []
    return "\n".join(" ".join(str(value) for value in row.values()) for row in rows)


def _why(namespace: View) -> str:
    return "\n".join(c["message"] for c in namespace["conditions"] if c["status"] != "True")


def _namespaces(document: TeamDocument, records: list[NamespaceRecord]) -> list[View]:
    """Those of the document in its order; one that was never reconciled is converging."""
    known = {(record.cluster, record.namespace): record for record in records}
    views = []
    for spec in document.namespaces:
        name = namespace_name(document.team, spec.project)
        blank = NamespaceRecord(cluster=spec.cluster, namespace=name)
        record = known.get((spec.cluster, name), blank)
        views.append(
            {
                "cluster": spec.cluster,
                "project": spec.project,
                "namespace": name,
                "phase": record.phase,
                "conditions": [_condition(each) for each in record.conditions],
                "access_entry": record.access_entry,
                "quota": record.quota.model_dump() if record.quota else None,
            }
        )
    return views


def _condition(condition: Condition) -> View:
    return condition.model_dump(include={"type", "status", "reason", "message", "since"})
