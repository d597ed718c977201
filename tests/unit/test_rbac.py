"""The table of what a person may do, and the Roles made of it."""

from typing import Any, get_args

import pytest

from commons.domain import rbac
from commons.domain.membership import ROLES, Role

_KNOWN = {"get", "list", "watch", "create", "update", "patch", "delete"}
_WRITES = _KNOWN - {"get", "list", "watch"}


def granted(role: Role) -> set[tuple[str, str, str]]:
    """Group, resource and verb of everything a Role allows."""
    return {
        (group, resource, verb)
        for rule in rbac.rules(role)
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


@pytest.mark.parametrize("role", ROLES)
def test_a_role_grants_what_its_column_says_and_nothing_else(role: Role) -> None:
    column = {
        (line.group, resource, verb)
        for line in rbac.TABLE
        for resource in line.resources
        for verb in getattr(line, role)
    }

    assert granted(role) == column
    assert set(get_args(Role)) == set(ROLES)


@pytest.mark.parametrize("role", ROLES)
def test_no_rule_is_empty_or_says_everything(role: Role) -> None:
    for rule in rbac.rules(role):
        assert rule["verbs"]
        assert set(rule["verbs"]) <= _KNOWN
        assert "*" not in rule["resources"] + rule["apiGroups"]
        assert "resourceNames" not in rule


def test_a_lead_may_what_a_member_may_and_a_member_what_a_viewer_may() -> None:
    assert granted("viewer") < granted("member") < granted("lead")


def test_a_viewer_changes_nothing_and_reads_no_secret() -> None:
    assert {verb for _, _, verb in granted("viewer")} == {"get", "list", "watch"}
    seen = {resource for _, resource, _ in granted("viewer")}
    assert not seen & {"secrets", "pods/exec", "pods/attach", "pods/portforward"}


def test_a_lead_has_beyond_a_member_the_end_of_a_workload_and_sight_of_who_is_in() -> None:
    more = granted("lead") - granted("member")

    assert {(resource, verb) for _, resource, verb in more if verb in _WRITES} == {
        ("workloads", "delete")
    }
    assert {resource for _, resource, verb in more if verb == "list"} == {"roles", "rolebindings"}


def test_a_pod_is_made_and_ended_and_never_changed() -> None:
    verbs = {verb for _, resource, verb in granted("lead") if resource == "pods"}

    assert verbs == {"get", "list", "watch", "create", "delete"}


@pytest.mark.parametrize(
    "resource",
    [
        "namespaces",
        "nodes",
        "pods/binding",
        "pods/ephemeralcontainers",
        "pods/eviction",
        "pods/proxy",
        "pods/resize",
        "pods/status",
        "services/proxy",
        "serviceaccounts/token",
        "users",
        "groups",
        "workloads/status",
        "jobs/status",
        "endpoints",
        "endpointslices",
        "priorityclasses",
        "workloadpriorityclasses",
        "clusterqueues",
    ],
)
def test_nobody_may_anything_with(resource: str) -> None:
    assert resource not in {each for role in ROLES for _, each, _ in granted(role)}


@pytest.mark.parametrize(
    "resource",
    [
        "localqueues",
        "networkpolicies",
        "limitranges",
        "resourcequotas",
        "rolebindings",
        "roles",
        "serviceaccounts",
    ],
)
def test_nobody_may_change(resource: str) -> None:
    verbs = {verb for role in ROLES for _, each, verb in granted(role) if each == resource}

    assert not verbs & _WRITES


def test_a_kind_stands_in_one_group_only() -> None:
    """A rule of two kinds and two groups would allow four."""
    for line in rbac.TABLE:
        assert rbac.as_rule((line.group,), line.resources, rbac.READ)["apiGroups"] == [line.group]


def test_a_rule_may_be_for_names_only() -> None:
    rule: dict[str, Any] = rbac.as_rule(("",), ("pods",), rbac.READ, ("a",))

    assert rule["resourceNames"] == ["a"]
