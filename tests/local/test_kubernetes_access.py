"""RBAC: what no binding gives is forbidden, in the words of the real API server."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from local.kubernetes import impersonation, seeds
from local.kubernetes.errors import ApiError
from local.kubernetes.rbac import User
from local.kubernetes.store import Store
from tests.local.kubernetes_process import (
    RBAC,
    Cluster,
    binding,
    config_map,
    namespace,
    role,
    running,
)

HOME = "/api/v1/namespaces/team-a"
NEXT_DOOR = "/api/v1/namespaces/team-b"
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


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("kubernetes")) as started:
        for name in ("team-a", "team-b"):
            started.create("/api/v1/namespaces", namespace(name))
        place = f"{RBAC}/namespaces/team-a"
        started.create(f"{place}/roles", role("member", *GIVES.values()))
        started.create(f"{place}/rolebindings", binding("member", "alice"))
        started.create(f"{HOME}/configmaps", config_map("settings"))
        yield started


@pytest.fixture
def alice(cluster: Cluster) -> Cluster:
    return cluster.acting_as("alice")


def can(cluster: Cluster, verb: str, resource: str, namespace: str = "team-a", **more: str) -> bool:
    asked = {"verb": verb, "resource": resource, "namespace": namespace, **more}
    review = {"spec": {"resourceAttributes": asked}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    return bool(cluster.create(path, review)["status"]["allowed"])


def test_a_binding_allows_at_home_and_nothing_next_door(alice: Cluster) -> None:
    assert alice.names(f"{HOME}/configmaps") == ["settings"]
    code, status = alice.call("GET", f"{NEXT_DOOR}/configmaps")
    assert (code, status["reason"]) == (403, "Forbidden")
    assert status["message"] == (
        'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" '
        'in the namespace "team-b"'
    )
    assert alice.call("GET", "/api/v1/configmaps")[1]["message"].endswith("at the cluster scope")


@pytest.mark.parametrize(
    ("method", "path", "verb"),
    [
        ("POST", "configmaps", "create"),
        ("PUT", "configmaps/settings", "update"),
        ("PATCH", "configmaps/settings", "patch"),
        ("DELETE", "configmaps/settings", "delete"),
        ("DELETE", "configmaps", "deletecollection"),
    ],
)
def test_each_verb_needs_its_own_permission(
    alice: Cluster, method: str, path: str, verb: str
) -> None:
    code, status = alice.call(method, f"{HOME}/{path}", config_map("settings"))
    assert code == 403
    named = 'configmaps "settings"' if "/" in path else "configmaps"
    assert status["message"].startswith(f'{named} is forbidden: User "alice" cannot {verb} ')


def test_a_watch_is_more_than_a_list(alice: Cluster) -> None:
    code, status = alice.call("GET", f"{HOME}/configmaps", watch="1")
    assert code == 403
    assert ' cannot watch resource "configmaps"' in status["message"]


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
    assert not can(alice, "get", "pods", namespace="team-b")
    assert not can(alice, "get", "pods", namespace="")


def test_a_list_of_one_known_name_is_judged_like_a_get(cluster: Cluster) -> None:
    rule = {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["known"]}
    place = f"{RBAC}/namespaces/team-a"
    cluster.create(f"{place}/roles", role("lister", {**rule, "verbs": ["list"]}))
    cluster.create(f"{place}/rolebindings", binding("lister", "lisa"))
    lisa = cluster.acting_as("lisa")
    assert lisa.names(f"{HOME}/secrets", fieldSelector="metadata.name=known") == []
    assert lisa.call("GET", f"{HOME}/secrets", fieldSelector="metadata.name=other")[0] == 403


def test_cluster_roles_hold_everywhere_or_in_one_namespace(cluster: Cluster) -> None:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}
    cluster.create(f"{RBAC}/clusterroles", role("reader", rule, kind="ClusterRole"))
    everywhere = binding("reader", "wide", "ClusterRole") | {"kind": "ClusterRoleBinding"}
    cluster.create(f"{RBAC}/clusterrolebindings", everywhere)
    narrow = binding("reader", "narrow", "ClusterRole")
    cluster.create(f"{RBAC}/namespaces/team-a/rolebindings", narrow)
    assert can(cluster.acting_as("wide"), "get", "configmaps", namespace="team-b")
    assert can(cluster.acting_as("narrow"), "get", "configmaps")
    assert not can(cluster.acting_as("narrow"), "get", "configmaps", namespace="team-b")


def test_groups_and_service_accounts_are_subjects_too(cluster: Cluster) -> None:
    place = f"{RBAC}/namespaces/team-a"
    subjects = [
        {"kind": "Group", "name": "staff"},
        {"kind": "ServiceAccount", "name": "bot", "namespace": "team-b"},
    ]
    cluster.create(
        f"{place}/rolebindings",
        {**binding("many", "nobody", role="member"), "subjects": subjects},
    )
    assert can(cluster.acting_as("someone", "staff"), "get", "pods")
    assert can(cluster.acting_as("system:serviceaccount:team-b:bot"), "get", "pods")
    assert not can(cluster.acting_as("system:serviceaccount:team-a:bot"), "get", "pods")


def test_a_person_taken_out_of_the_binding_is_out_at_the_next_call(cluster: Cluster) -> None:
    path = f"{RBAC}/namespaces/team-a/rolebindings"
    cluster.create(path, binding("leaving", "leo", role="member"))
    leo = cluster.acting_as("leo")
    assert leo.call("GET", f"{HOME}/configmaps")[0] == 200
    cluster.apply(f"{path}/leaving", binding("leaving", "mia", role="member"), "x", force="true")
    assert leo.call("GET", f"{HOME}/configmaps")[0] == 403
    assert cluster.acting_as("mia").call("GET", f"{HOME}/configmaps")[0] == 200


def test_reading_the_own_namespace_is_within_it(cluster: Cluster) -> None:
    rule = {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}
    place = f"{RBAC}/namespaces/team-a"
    cluster.create(f"{place}/roles", role("self", rule))
    cluster.create(f"{place}/rolebindings", binding("self", "sam"))
    sam = cluster.acting_as("sam")
    assert sam.call("GET", "/api/v1/namespaces/team-a")[0] == 200
    assert sam.call("GET", "/api/v1/namespaces/team-b")[0] == 403


def test_nobody_gives_what_they_do_not_have(cluster: Cluster) -> None:
    place = f"{RBAC}/namespaces/team-a"
    rule = {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"]}
    own = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
    cluster.create(f"{place}/roles", role("granter", {**rule, "verbs": ["*"]}, own))
    cluster.create(f"{place}/roles", role("strong", {**own, "verbs": ["delete"]}))
    cluster.create(f"{place}/rolebindings", binding("granter", "gina"))
    # `*` on roles includes escalate and bind; take just the plain verbs
    plain = {**rule, "verbs": ["create", "update", "patch"]}
    code, _ = cluster.apply(
        f"{place}/roles/granter", role("granter", plain, own), "x", force="true"
    )
    assert code == 200
    gina = cluster.acting_as("gina")
    gina.create(f"{place}/roles", role("same", {**own, "verbs": ["get"]}))
    code, status = gina.call("POST", f"{place}/roles", role("more", {**own, "verbs": ["watch"]}))
    assert (code, status["reason"]) == (403, "Forbidden")
    assert "is attempting to grant RBAC permissions not currently held" in status["message"]
    gina.create(f"{place}/rolebindings", binding("fair", "friend", role="same"))
    for stronger in ("strong", "not-there-yet"):
        answer = gina.call("POST", f"{place}/rolebindings", binding("x", "friend", role=stronger))
        assert answer[0] == 403
    everything = binding("y", "friend", "ClusterRole", "cluster-admin")
    assert gina.call("POST", f"{place}/rolebindings", everything)[0] == 403


def test_bind_and_escalate_are_permissions_of_their_own(cluster: Cluster) -> None:
    place = f"{RBAC}/namespaces/team-a"
    group = {"apiGroups": ["rbac.authorization.k8s.io"]}
    rules = (
        {**group, "resources": ["rolebindings"], "verbs": ["create"]},
        {**group, "resources": ["roles"], "verbs": ["create", "escalate"]},
        {**group, "resources": ["roles"], "resourceNames": ["member"], "verbs": ["bind"]},
    )
    cluster.create(f"{place}/roles", role("writer", *rules))
    cluster.create(f"{place}/rolebindings", binding("writer", "writer"))
    writer = cluster.acting_as("writer")
    anything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    writer.create(f"{place}/roles", role("any", anything))
    writer.create(f"{place}/rolebindings", binding("bound", "friend", role="member"))
    assert writer.call("POST", f"{place}/rolebindings", binding("z", "f", role="any"))[0] == 403


def test_acting_as_another_needs_permission() -> None:
    store = Store()
    seeds.sow(store, datetime(2026, 12, 1, tzinfo=UTC))
    alice, admin = User("alice"), User("admin", ("system:masters",))
    as_bob = [("impersonate-user", "bob"), ("Impersonate-Group", "system:masters")]
    with pytest.raises(ApiError, match='cannot impersonate resource "users"') as refusal:
        impersonation.acting(store, alice, as_bob)
    assert refusal.value.code == 403
    acting = impersonation.acting(store, admin, as_bob)
    assert (acting.name, acting.groups) == ("bob", ("system:masters", "system:authenticated"))
    with pytest.raises(ApiError, match="exactly one Impersonate-User"):
        impersonation.acting(store, admin, as_bob[1:])
    assert impersonation.acting(store, alice, [("Accept", "x")]) is alice


def test_what_is_not_served_of_impersonation_is_refused(alice: Cluster, cluster: Cluster) -> None:
    headers = {"Impersonate-User": "alice", "Impersonate-Uid": "7"}
    other = cluster.named("hp-eks")
    other.headers |= headers
    assert other.call("GET", f"{HOME}/pods")[0] == 405
    wishes = alice.create(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        {"spec": {"resourceAttributes": {"verb": "impersonate", "resource": "users"}}},
    )
    assert wishes["status"] == {"allowed": False}


def test_an_administrator_asks_for_others(cluster: Cluster, alice: Cluster) -> None:
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    attributes = {"verb": "get", "resource": "pods", "namespace": "team-a"}

    def allowed(user: str) -> bool:
        spec = {"user": user, "resourceAttributes": attributes}
        return bool(cluster.create(path, {"spec": spec})["status"]["allowed"])

    assert (allowed("alice"), allowed("mallory")) == (True, False)
    assert cluster.call("POST", path, {"spec": {"resourceAttributes": attributes}})[0] == 400
    assert cluster.call("POST", path, {"spec": {"user": "alice"}})[0] == 400
    assert alice.call("POST", path, {"spec": {"user": "bob"}})[0] == 403
    local = "/apis/authorization.k8s.io/v1/namespaces/team-b/localsubjectaccessreviews"
    asked = {"spec": {"user": "alice", "resourceAttributes": attributes}}
    assert cluster.call("POST", local, asked)[0] == 400


def test_people_see_their_rules_and_who_they_are(alice: Cluster) -> None:
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    status = alice.create(path, {"spec": {"namespace": "team-a"}})["status"]
    assert GIVES["reads"] in status["resourceRules"]
    elsewhere = alice.create(path, {"spec": {"namespace": "team-b"}})["status"]
    assert GIVES["reads"] not in elsewhere["resourceRules"]
    who = alice.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    assert who["status"]["userInfo"]["username"] == "alice"


@pytest.mark.parametrize(
    "change",
    [
        {"subjects": [{"kind": "Robot", "name": "x"}]},
        {"subjects": [{"kind": "ServiceAccount", "name": "x"}]},
        {"subjects": [{"kind": "User", "name": ""}]},
        {"subjects": ["alice"]},
        {"roleRef": {"kind": "Everything", "name": "x", "apiGroup": "rbac.authorization.k8s.io"}},
        {"roleRef": "member"},
    ],
)
def test_a_binding_that_makes_no_sense_is_invalid(cluster: Cluster, change: Any) -> None:
    body = {**binding("bad", "alice"), **change}
    code, status = cluster.call("POST", f"{RBAC}/namespaces/team-a/rolebindings", body)
    assert (code, status["reason"]) == (422, "Invalid")


@pytest.mark.parametrize(
    "rule",
    [
        {"apiGroups": [""], "resources": ["pods"], "verbs": []},
        {"resources": ["pods"], "verbs": ["get"]},
        {"apiGroups": [""], "verbs": ["get"]},
        {"nonResourceURLs": ["/x"], "verbs": ["get"]},
    ],
)
def test_a_rule_that_makes_no_sense_is_invalid(cluster: Cluster, rule: Any) -> None:
    answer = cluster.call("POST", f"{RBAC}/namespaces/team-a/roles", role("bad", rule))
    assert answer[0] == 422


def test_no_token_or_a_wrong_one_is_nobody(cluster: Cluster) -> None:
    stranger = cluster.named("hp-eks", token="guessed")
    assert stranger.call("GET", f"{HOME}/pods")[0] == 401
    stranger.headers = {}
    code, status = stranger.call("GET", f"{HOME}/pods")
    assert (code, status["reason"], status["message"]) == (401, "Unauthorized", "Unauthorized")
    assert stranger.call("GET", "/version")[0] == 200


def test_the_administrators_token_is_private(cluster: Cluster) -> None:
    for name in ("admin-token", "serving.key"):
        assert (cluster.home / "kubernetes" / name).stat().st_mode & 0o777 == 0o600
