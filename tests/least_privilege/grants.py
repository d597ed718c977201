"""What the roles of the stack are granted, statement by statement, and how to take it away."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tests.least_privilege.record import Judged


@dataclass(frozen=True)
class Role:
    """A role of the stack: its logical id and its name."""

    logical: str
    name: str


@dataclass(frozen=True)
class Grant:
    """One action of one statement of a role's own policy."""

    role: Role
    policy: str
    statement: int
    action: str
    resources: tuple[str, ...]

    def covers(self, judged: Judged) -> bool:
        return (
            judged.allowed
            and judged.role == self.role.name
            and judged.action == self.action
            and any(fnmatchcase(judged.resource, each) for each in self.resources)
        )

    def used_resources(self, judgements: set[Judged]) -> set[str]:
        """Those of its patterns by which a call was allowed."""
        found = [each.resource for each in judgements if self.covers(each)]
        return {p for p in self.resources if any(fnmatchcase(each, p) for each in found)}


def read(iam: Any, role: Role) -> list[Grant]:
    """The grants of the policies that are the product's own; what SAM attaches is AWS's."""
    names = iam.list_role_policies(RoleName=role.name)["PolicyNames"]
    found = []
    for policy in names:
        for number, statement in enumerate(_statements(iam, role, policy)):
            resources = tuple(_listed(statement["Resource"]))
            found += [
                Grant(role, policy, number, action, resources)
                for action in _listed(statement["Action"])
            ]
    return found


@contextmanager
def without(iam: Any, grant: Grant) -> Iterator[None]:
    """The role lacks the action of the statement, until the end of the block."""
    whole = _statements(iam, grant.role, grant.policy)
    less = [dict(each) for each in whole]
    actions = _listed(less[grant.statement]["Action"])
    less[grant.statement]["Action"] = [each for each in actions if each != grant.action]
    _put(iam, grant, [each for each in less if each["Action"]])
    try:
        yield
    finally:
        _put(iam, grant, whole)


def _statements(iam: Any, role: Role, policy: str) -> list[dict[str, Any]]:
    document = iam.get_role_policy(RoleName=role.name, PolicyName=policy)["PolicyDocument"]
    found: list[dict[str, Any]] = document["Statement"]
    return found


def _put(iam: Any, grant: Grant, statements: list[dict[str, Any]]) -> None:
    if not statements:
        iam.delete_role_policy(RoleName=grant.role.name, PolicyName=grant.policy)
        return
    document = json.dumps({"Version": "2012-10-17", "Statement": statements})
    iam.put_role_policy(RoleName=grant.role.name, PolicyName=grant.policy, PolicyDocument=document)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
