"""RBAC: what no binding gives is forbidden, in the words of the API server."""

import uuid
from typing import Any

import pytest

from tests.contract.support import eventually, refused
from tests.kubernetes_api import RBAC, Cluster, binding, config_map, namespace, role

GIVES: dict[str, dict[str, Any]] = {
    "reads": {"apiGroups": [""], "resources": ["pods", "configmaps"], "verbs": ["get", "list"]},
    "status": {"apiGroups": [""], "resources": ["pods/status"], "verbs": ["get"]},
    "one": {
        "apiGroups": [""],
        "resources": ["secrets"],
        "resourceNames": ["known"],
        "verbs": ["get", "create"],
    },
    "all-kueue": {"apiGroups": ["kueue.x-k8s.io"], "resources": ["*"], "verbs": ["*"]},
}
HOME, NEXT_DOOR = (f"access-{uuid.uuid4().hex[:8]}" for _ in range(2))
MAPS = f"/api/v1/namespaces/{HOME}/configmaps"
ROLES = f"{RBAC}/namespaces/{HOME}/roles"
BINDINGS = f"{RBAC}/namespaces/{HOME}/rolebindings"


@pytest.fixture(scope="module", autouse=True)
def people(cluster: Cluster) -> None:
    for name in (HOME, NEXT_DOOR):
        cluster.create("/api/v1/namespaces", namespace(name))
    cluster.create(ROLES, role("member", *GIVES.values()))
    cluster.create(BINDINGS, binding("member", "alice"))
    cluster.create(MAPS, config_map("settings"))
    eventually(lambda: can(cluster.acting_as("alice"), "get", "pods"))


@pytest.fixture
def alice(cluster: Cluster) -> Cluster:
    return cluster.acting_as("alice")


def can(cluster: Cluster, verb: str, resource: str, namespace: str = HOME, **more: str) -> bool:
    asked = {"verb": verb, "resource": resource, "namespace": namespace, **more}
    review = {"spec": {"resourceAttributes": asked}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    return bool(cluster.create(path, review)["status"]["allowed"])


def test_a_binding_allows_at_home_and_nothing_next_door(alice: Cluster) -> None:
    assert "settings" in alice.names(MAPS)
    code, status = alice.call("GET", f"/api/v1/namespaces/{NEXT_DOOR}/configmaps")
    assert refused((code, status)) == (403, "Forbidden")
    assert status["message"] == (
        'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" '
        f'in the namespace "{NEXT_DOOR}"'
    )
    assert status["details"] == {"kind": "configmaps"}
    assert alice.call("GET", "/api/v1/configmaps")[1]["message"].endswith("at the cluster scope")


@pytest.mark.parametrize(
    ("method", "path", "verb"),
    [
        ("POST", "", "create"),
        ("PUT", "/settings", "update"),
        ("PATCH", "/settings", "patch"),
        ("DELETE", "/settings", "delete"),
        ("DELETE", "", "deletecollection"),
        ("GET", "", "watch"),
    ],
)
def test_each_verb_needs_its_own_permission(
    alice: Cluster, method: str, path: str, verb: str
) -> None:
    query = {"watch": "1"} if verb == "watch" else {}
    code, status = alice.call(method, MAPS + path, config_map("settings"), **query)
    assert refused((code, status)) == (403, "Forbidden")
    named = 'configmaps "settings"' if path else "configmaps"
    assert status["message"] == (
        f'{named} is forbidden: User "alice" cannot {verb} resource "configmaps" in API group "" '
        f'in the namespace "{HOME}"'
    )


def test_a_part_of_a_resource_is_named_with_it(alice: Cluster) -> None:
    path = f"/apis/apps/v1/namespaces/{HOME}/deployments/x/status"
    code, status = alice.call("PATCH", path, {}, "application/merge-patch+json")
    assert code == 403
    assert status["message"] == (
        'deployments.apps "x" is forbidden: User "alice" cannot patch resource '
        f'"deployments/status" in API group "apps" in the namespace "{HOME}"'
    )
    assert status["details"] == {"name": "x", "group": "apps", "kind": "deployments"}


def test_a_path_that_is_no_resource_is_named_as_it_is(alice: Cluster) -> None:
    code, status = alice.call("GET", "/metrics")
    assert refused((code, status)) == (403, "Forbidden")
    assert status["message"] == 'forbidden: User "alice" cannot get path "/metrics"'


def test_rules_know_subresources_names_groups_and_wildcards(alice: Cluster) -> None:
    assert can(alice, "get", "pods")
    assert can(alice, "get", "pods", subresource="status")
    assert not can(alice, "get", "pods", subresource="log")
    assert not can(alice, "list", "pods", subresource="status")
    assert can(alice, "get", "secrets", name="known")
    assert not can(alice, "get", "secrets", name="other")
    assert not can(alice, "list", "secrets")
    assert not can(alice, "create", "secrets")
    assert can(alice, "delete", "workloads", group="kueue.x-k8s.io")
    assert can(alice, "patch", "workloads", group="kueue.x-k8s.io", subresource="status")
    assert not can(alice, "delete", "workloads")
    assert not can(alice, "get", "pods", namespace=NEXT_DOOR)
    assert not can(alice, "get", "pods", namespace="")


def test_a_list_of_one_known_name_is_judged_like_a_get(cluster: Cluster) -> None:
    rule = {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["known"]}
    cluster.create(ROLES, role("lister", {**rule, "verbs": ["list"]}))
    cluster.create(BINDINGS, binding("lister", "lisa"))
    lisa = cluster.acting_as("lisa")
    path = f"/api/v1/namespaces/{HOME}/secrets"
    eventually(lambda: lisa.call("GET", path, fieldSelector="metadata.name=known")[0] == 200)
    assert lisa.names(path, fieldSelector="metadata.name=known") == []
    assert lisa.call("GET", path, fieldSelector="metadata.name=other")[0] == 403


def test_cluster_roles_hold_everywhere_or_in_one_namespace(cluster: Cluster) -> None:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}
    reader = f"{HOME}-reader"
    cluster.create(f"{RBAC}/clusterroles", role(reader, rule, kind="ClusterRole"))
    everywhere = binding(reader, "wide", "ClusterRole") | {"kind": "ClusterRoleBinding"}
    cluster.create(f"{RBAC}/clusterrolebindings", everywhere)
    cluster.create(BINDINGS, binding(reader, "narrow", "ClusterRole"))
    wide, narrow = cluster.acting_as("wide"), cluster.acting_as("narrow")
    assert eventually(lambda: can(wide, "get", "configmaps", namespace=NEXT_DOOR))
    assert eventually(lambda: can(narrow, "get", "configmaps"))
    assert not can(narrow, "get", "configmaps", namespace=NEXT_DOOR)


def test_groups_and_service_accounts_are_subjects_too(cluster: Cluster) -> None:
    subjects = [
        {"kind": "Group", "name": "staff"},
        {"kind": "ServiceAccount", "name": "bot", "namespace": NEXT_DOOR},
    ]
    many = {**binding("many", "nobody", role="member"), "subjects": subjects}
    cluster.create(BINDINGS, many)
    assert eventually(lambda: can(cluster.acting_as("someone", "staff"), "get", "pods"))
    assert can(cluster.acting_as(f"system:serviceaccount:{NEXT_DOOR}:bot"), "get", "pods")
    assert not can(cluster.acting_as(f"system:serviceaccount:{HOME}:bot"), "get", "pods")


def test_a_person_taken_out_of_the_binding_is_out(cluster: Cluster) -> None:
    cluster.create(BINDINGS, binding("leaving", "leo", role="member"))
    leo, mia = cluster.acting_as("leo"), cluster.acting_as("mia")
    eventually(lambda: leo.call("GET", MAPS)[0] == 200)
    instead = binding("leaving", "mia", role="member")
    cluster.apply(f"{BINDINGS}/leaving", instead, "x", force="true")
    eventually(lambda: leo.call("GET", MAPS)[0] == 403)
    assert mia.call("GET", MAPS)[0] == 200


def test_reading_the_own_namespace_is_within_it(cluster: Cluster) -> None:
    rule = {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}
    cluster.create(ROLES, role("self", rule))
    cluster.create(BINDINGS, binding("self", "sam"))
    sam = cluster.acting_as("sam")
    eventually(lambda: sam.call("GET", f"/api/v1/namespaces/{HOME}")[0] == 200)
    assert sam.call("GET", f"/api/v1/namespaces/{NEXT_DOOR}")[0] == 403
    assert sam.call("GET", "/api/v1/namespaces")[0] == 403


def test_somebody_without_any_binding_still_finds_their_way(cluster: Cluster) -> None:
    anybody = cluster.acting_as("anybody")
    for path in ("/api", "/apis", "/api/v1", "/apis/apps/v1", "/version"):
        assert anybody.call("GET", path)[0] == 200
