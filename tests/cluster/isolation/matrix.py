"""Asks the server, signed in as each person, what they may do in each namespace."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any, NamedTuple

from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.company import HOMES, PLATFORM, TEAMS
from tests.cluster.isolation.specification import (
    ACTS,
    ANYWHERE,
    AT_HOME,
    CLUSTER_WIDE,
    ROLES,
    Act,
    allowed,
)

_REVIEWS = "/apis/authorization.k8s.io/v1/self"
_EVERYWHERE = ""
_AT_ONCE = 4

Rule = tuple[str, str]
"""A verb and a kind."""


class Cell(NamedTuple):
    """One question, and what must be answered."""

    team: str
    role: str
    namespace: str
    act: Act
    expected: bool

    def __str__(self) -> str:
        where = self.namespace or "all namespaces"
        may = "must be allowed to" if self.expected else "must not"
        return f"{self.team} {self.role} {may} {self.act.verb} {self.act.kind} in {where}"


def cells(roles: Iterable[str] = ROLES, acts: Iterable[Act] = ACTS) -> Iterator[Cell]:
    """Every person, in every namespace and in all at once; what has none is asked only so."""
    for team, role, act in product(TEAMS, roles, acts):
        for namespace in (_EVERYWHERE,) if act.kind in CLUSTER_WIDE else _NAMESPACES:
            at_home = namespace in HOMES[team]
            yield Cell(team, role, namespace, act, allowed(role, act, at_home))


def wrong(asked: Iterable[Cell], callers: Callers) -> list[Cell]:
    """Those to which the server gave the other answer."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return [cell for cell in pool.map(lambda cell: _judged(cell, callers), asked) if cell]


def rules(team: str, role: str, namespace: str, callers: Callers) -> set[Rule]:
    """All that Roles of any kind give somebody in a namespace, in the server's own words."""
    answer = _review("subjectrulesreviews", {"namespace": namespace}, team, role, callers)
    return {
        (verb, _kind(resource, group))
        for rule in answer["resourceRules"]
        for verb, resource, group in product(rule["verbs"], rule["resources"], rule["apiGroups"])
    }


def expected_rules(role: str, at_home: bool) -> set[Rule]:
    """The same by the specification."""
    own = {(verb, kind) for kind, by_role in AT_HOME.items() for verb in by_role[role]}
    return (own if at_home else set()) | ANYWHERE


_NAMESPACES = (*(home for homes in HOMES.values() for home in homes), *PLATFORM, _EVERYWHERE)


def _judged(cell: Cell, callers: Callers) -> Cell | None:
    group, resource, subresource = cell.act.group, cell.act.resource, cell.act.subresource
    attributes = {
        "verb": cell.act.verb,
        "group": group,
        "resource": resource,
        "subresource": subresource,
        "namespace": cell.namespace,
        # to the authorizer a Namespace lies in itself
        "name": cell.namespace if resource == "namespaces" else "",
    }
    spec = {"resourceAttributes": {key: value for key, value in attributes.items() if value}}
    answer = _review("subjectaccessreviews", spec, cell.team, cell.role, callers)
    return None if answer["allowed"] == cell.expected else cell


def _review(kind: str, spec: Any, team: str, role: str, callers: Callers) -> dict[str, Any]:
    caller = callers[f"{team} {role}"]
    return dict(caller.create(f"{_REVIEWS}{kind}", {"spec": spec})["status"])


def _kind(resource: str, group: str) -> str:
    return f"{resource}.{group}" if group else resource
