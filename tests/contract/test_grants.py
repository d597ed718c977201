"""Nobody gives away what they do not have, and a binding stays with its role."""

from typing import Any

import pytest

from tests.contract.support import eventually, refused
from tests.kubernetes_api import RBAC, Cluster, binding, role

GROUP = {"apiGroups": ["rbac.authorization.k8s.io"]}
OWN = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
WRITES = ["create", "update", "patch"]


@pytest.fixture(scope="module")
def roles(home: str) -> str:
    return f"{RBAC}/namespaces/{home}/roles"


@pytest.fixture(scope="module")
def bindings(home: str) -> str:
    return f"{RBAC}/namespaces/{home}/rolebindings"


@pytest.fixture(scope="module")
def gina(cluster: Cluster, roles: str, bindings: str) -> Cluster:
    """May write Roles and RoleBindings, and read pods."""
    rule = {**GROUP, "resources": ["roles", "rolebindings"], "verbs": WRITES}
    cluster.create(roles, role("granter", rule, OWN))
    cluster.create(roles, role("strong", {**OWN, "verbs": ["delete"]}))
    cluster.create(bindings, binding("granter", "gina"))
    granter = cluster.acting_as("gina")
    eventually(lambda: granter.call("POST", roles, role("probe"), dryRun="All")[0] == 201)
    return granter


def test_a_role_gives_no_more_than_its_writer_has(gina: Cluster, roles: str) -> None:
    gina.create(roles, role("same", {**OWN, "verbs": ["get"]}))
    code, status = gina.call("POST", roles, role("more", {**OWN, "verbs": ["watch"]}))
    assert refused((code, status)) == (403, "Forbidden")
    assert status["message"] == (
        'roles.rbac.authorization.k8s.io "more" is forbidden: user "gina" '
        '(groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently '
        'held:\n{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}'
    )


def test_a_role_is_not_widened_beyond_what_its_writer_has(gina: Cluster, roles: str) -> None:
    gina.create(roles, role("widened", OWN))
    wider = role("widened", {**OWN, "resources": ["*"]})
    assert refused(gina.apply(f"{roles}/widened", wider, "x", force="true"))[0] == 403


def test_a_binding_gives_no_more_than_its_writer_has(
    gina: Cluster, cluster: Cluster, roles: str, bindings: str
) -> None:
    cluster.create(roles, role("fair", {**OWN, "verbs": ["get"]}))
    eventually(lambda: gina.call("POST", bindings, binding("fair", "friend"))[0] == 201)
    code, status = gina.call("POST", bindings, binding("x", "friend", role="strong"))
    assert refused((code, status)) == (403, "Forbidden")
    assert "is attempting to grant RBAC permissions not currently held" in status["message"]
    everything = binding("y", "friend", "ClusterRole", "cluster-admin")
    assert refused(gina.call("POST", bindings, everything))[0] == 403


def test_a_role_that_is_not_there_yet_cannot_be_given(gina: Cluster, bindings: str) -> None:
    code, status = gina.call("POST", bindings, binding("z", "friend", role="not-there-yet"))
    assert refused((code, status)) == (404, "NotFound")


def test_a_role_that_is_not_there_yet_can_be_given_by_the_administrator(
    cluster: Cluster, bindings: str
) -> None:
    cluster.create(bindings, binding("early", "friend", role="not-there-yet"))


def test_bind_and_escalate_are_permissions_of_their_own(
    cluster: Cluster, roles: str, bindings: str
) -> None:
    rules = (
        {**GROUP, "resources": ["rolebindings"], "verbs": ["create"]},
        {**GROUP, "resources": ["roles"], "verbs": ["create", "escalate"]},
        {**GROUP, "resources": ["roles"], "resourceNames": ["bindable"], "verbs": ["bind"]},
    )
    cluster.create(roles, role("writer", *rules))
    cluster.create(roles, role("bindable", {**OWN, "verbs": ["delete"]}))
    cluster.create(bindings, binding("writer", "wes"))
    wes = cluster.acting_as("wes")
    anything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    eventually(lambda: wes.call("POST", roles, role("any", anything))[0] == 201)
    eventually(lambda: wes.call("POST", bindings, binding("bindable", "friend"))[0] == 201)
    eventually(lambda: cluster.call("GET", f"{roles}/any")[0] == 200)
    assert wes.call("POST", bindings, binding("any", "friend"))[0] == 403


@pytest.mark.parametrize(
    "change",
    [
        {"subjects": [{"kind": "Robot", "name": "x"}]},
        {"subjects": [{"kind": "ServiceAccount", "name": ""}]},
        {"subjects": [{"kind": "User", "name": ""}]},
        {"roleRef": {"kind": "Everything", "name": "x", "apiGroup": GROUP["apiGroups"][0]}},
        {"roleRef": {"kind": "Role", "name": "", "apiGroup": GROUP["apiGroups"][0]}},
    ],
)
def test_a_binding_that_makes_no_sense_is_invalid(
    cluster: Cluster, bindings: str, change: Any
) -> None:
    body = {**binding("bad", "alice"), **change}
    assert refused(cluster.call("POST", bindings, body)) == (422, "Invalid")


def test_a_service_account_of_all_the_cluster_names_its_namespace(cluster: Cluster) -> None:
    body = {
        **binding("bad", "x", "ClusterRole"),
        "kind": "ClusterRoleBinding",
        "subjects": [{"kind": "ServiceAccount", "name": "x"}],
    }
    answer = cluster.call("POST", f"{RBAC}/clusterrolebindings", body)
    assert refused(answer) == (422, "Invalid")


@pytest.mark.parametrize(
    "change", [{"subjects": ["alice"]}, {"roleRef": "member"}, {"subjects": {"kind": "User"}}]
)
def test_a_binding_that_cannot_be_read_is_refused(
    cluster: Cluster, bindings: str, change: Any
) -> None:
    body = {**binding("bad", "alice"), **change}
    assert refused(cluster.call("POST", bindings, body)) == (400, "BadRequest")


@pytest.mark.parametrize(
    "rule",
    [
        {"apiGroups": [""], "resources": ["pods"], "verbs": []},
        {"resources": ["pods"], "verbs": ["get"]},
        {"apiGroups": [""], "verbs": ["get"]},
        {"nonResourceURLs": ["/x"], "verbs": ["get"]},
    ],
)
def test_a_rule_that_makes_no_sense_is_invalid(cluster: Cluster, roles: str, rule: Any) -> None:
    assert refused(cluster.call("POST", roles, role("bad", rule))) == (422, "Invalid")


def test_a_subject_gets_its_group_from_the_server(cluster: Cluster, bindings: str) -> None:
    subjects = [
        {"kind": "User", "name": "u"},
        {"kind": "Group", "name": "g"},
        {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
    ]
    body = {**binding("filled", "u"), "subjects": subjects}
    del body["roleRef"]["apiGroup"]
    made = cluster.create(bindings, body)
    group = GROUP["apiGroups"][0]
    assert [each.get("apiGroup") for each in made["subjects"]] == [group, group, None]
    assert made["roleRef"]["apiGroup"] == group
