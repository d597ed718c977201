"""Asking what somebody may do, acting as somebody else, and being nobody."""

import pytest

from tests.contract.support import eventually, refused
from tests.kubernetes_api import RBAC, Cluster, binding, role

AUTHORIZATION = "/apis/authorization.k8s.io/v1"
RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}


@pytest.fixture(scope="module")
def asked(cluster: Cluster, home: str) -> dict[str, str]:
    """What rita may do at home."""
    cluster.create(f"{RBAC}/namespaces/{home}/roles", role("reads", RULE))
    cluster.create(f"{RBAC}/namespaces/{home}/rolebindings", binding("reads", "rita"))
    attributes = {"verb": "get", "resource": "pods", "namespace": home}
    eventually(lambda: allowed(cluster, "rita", attributes))
    return attributes


def allowed(cluster: Cluster, user: str, attributes: dict[str, str], *groups: str) -> bool:
    spec = {"user": user, "groups": list(groups), "resourceAttributes": attributes}
    made = cluster.create(f"{AUTHORIZATION}/subjectaccessreviews", {"spec": spec})
    assert made["kind"] == "SubjectAccessReview"
    return bool(made["status"]["allowed"])


def test_an_administrator_asks_for_others(cluster: Cluster, asked: dict[str, str]) -> None:
    assert allowed(cluster, "rita", asked)
    assert not allowed(cluster, "mallory", asked)
    assert not allowed(cluster, "rita", {**asked, "namespace": "default"})
    assert not allowed(cluster, "rita", {**asked, "subresource": "exec", "verb": "create"})
    assert allowed(cluster, "", asked, "system:masters")


def test_why_is_told_where_it_is_allowed_only(cluster: Cluster, asked: dict[str, str]) -> None:
    path = f"{AUTHORIZATION}/subjectaccessreviews"

    def status(user: str) -> dict[str, object]:
        body = {"spec": {"user": user, "resourceAttributes": asked}}
        found: dict[str, object] = cluster.create(path, body)["status"]
        return found

    assert status("mallory") == {"allowed": False}
    given = status("rita")
    assert given["allowed"] is True
    assert given["reason"] == (
        f'RBAC: allowed by RoleBinding "reads/{asked["namespace"]}" of Role "reads" to User "rita"'
    )


@pytest.mark.parametrize(
    "spec",
    [
        {"resourceAttributes": {"verb": "get", "resource": "pods"}},
        {"user": "rita"},
        {
            "user": "rita",
            "resourceAttributes": {"verb": "get"},
            "nonResourceAttributes": {"verb": "get"},
        },
    ],
)
def test_a_review_that_asks_nothing_is_invalid(cluster: Cluster, spec: dict[str, object]) -> None:
    answer = cluster.call("POST", f"{AUTHORIZATION}/subjectaccessreviews", {"spec": spec})
    assert refused(answer) == (422, "Invalid")


def test_a_local_review_asks_about_its_own_namespace(
    cluster: Cluster, asked: dict[str, str]
) -> None:
    spec = {"spec": {"user": "rita", "resourceAttributes": asked}}
    own = f"{AUTHORIZATION}/namespaces/{asked['namespace']}/localsubjectaccessreviews"
    assert cluster.create(own, spec)["status"]["allowed"] is True
    other = f"{AUTHORIZATION}/namespaces/default/localsubjectaccessreviews"
    assert refused(cluster.call("POST", other, spec)) == (422, "Invalid")


def test_people_do_not_ask_for_others(cluster: Cluster, asked: dict[str, str]) -> None:
    spec = {"spec": {"user": "bob", "resourceAttributes": asked}}
    rita = cluster.acting_as("rita")
    answer = rita.call("POST", f"{AUTHORIZATION}/subjectaccessreviews", spec)
    assert refused(answer) == (403, "Forbidden")


def test_people_ask_for_themselves(cluster: Cluster, asked: dict[str, str]) -> None:
    path = f"{AUTHORIZATION}/selfsubjectaccessreviews"
    rita = cluster.acting_as("rita")
    assert rita.create(path, {"spec": {"resourceAttributes": asked}})["status"]["allowed"]
    paths = {"spec": {"nonResourceAttributes": {"verb": "get", "path": "/metrics"}}}
    assert not rita.create(path, paths)["status"]["allowed"]


def test_people_see_their_rules_and_who_they_are(cluster: Cluster, asked: dict[str, str]) -> None:
    rita = cluster.acting_as("rita")
    path = f"{AUTHORIZATION}/selfsubjectrulesreviews"
    here = rita.create(path, {"spec": {"namespace": asked["namespace"]}})["status"]
    assert RULE in here["resourceRules"]
    elsewhere = rita.create(path, {"spec": {"namespace": "default"}})["status"]
    assert RULE not in elsewhere["resourceRules"]
    who = rita.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    assert who["status"]["userInfo"]["username"] == "rita"
    assert who["status"]["userInfo"]["groups"] == ["system:authenticated"]


def test_acting_as_another_needs_permission(cluster: Cluster, asked: dict[str, str]) -> None:
    headers = {"Impersonate-User": "rita", "Impersonate-Group": "system:masters"}
    assert cluster.sending(**headers).call("GET", "/api/v1/secrets")[0] == 200
    without = cluster.sending(**{"Impersonate-Group": "system:masters"})
    assert refused(without.call("GET", "/api/v1/secrets")) == (400, "BadRequest")
    body = {"verb": "impersonate", "resource": "users", "name": "bob"}
    assert not allowed(cluster, "rita", body)


def test_the_user_that_is_acted_as_is_in_the_group_of_all_who_signed_in(cluster: Cluster) -> None:
    acting = cluster.acting_as("rita", "staff")
    who = acting.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    assert who["status"]["userInfo"]["groups"] == ["staff", "system:authenticated"]


def test_no_token_or_a_wrong_one_is_nobody(cluster: Cluster) -> None:
    code, status = cluster.signed_in("guessed").call("GET", "/api/v1/pods")
    assert refused((code, status)) == (401, "Unauthorized")
    assert status["message"] == "Unauthorized"


def test_without_a_token_one_may_ask_for_the_version_only(cluster: Cluster) -> None:
    anonymous = cluster.signed_in("")
    for path in ("/api/v1/pods", "/api", "/openapi/v3"):
        assert refused(anonymous.call("GET", path)) == (401, "Unauthorized")
    assert anonymous.call("GET", "/version")[0] == 200
