"""Which paths and bodies are served, what the others get, and how a client finds its way."""

import httpx2
import pytest

from tests.contract.support import refused
from tests.kubernetes_api import KUEUE, Cluster, config_map


def plain(cluster: Cluster, method: str, path: str) -> tuple[int, str]:
    """Code and text of an answer that may be no JSON."""
    answer = httpx2.request(
        method,
        f"{cluster.url}{path}",
        headers={"Authorization": f"Bearer {cluster.token}"},
        verify=str(cluster.authority),
    )
    return answer.status_code, answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/widgets",
        "/apis/apps/v2/deployments",
        "/apis/apps/v1/widgets",
        "/api/v1/namespaces/default/nodes",
    ],
)
def test_a_built_in_group_does_not_know_the_resource(cluster: Cluster, path: str) -> None:
    code, status = cluster.call("GET", path)
    assert refused((code, status)) == (404, "NotFound")
    assert status["message"] == "the server could not find the requested resource"


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/apis/nowhere.example/v1",
        "/apis/nowhere.example/v1/widgets",
        f"{KUEUE}/widgets",
        "/apis/kueue.x-k8s.io/v9/workloads",
    ],
)
def test_a_group_that_is_not_there_is_no_page(cluster: Cluster, path: str) -> None:
    code, text = plain(cluster, "GET", path)
    assert (code, text.strip()) == (404, "404 page not found")


def test_what_belongs_to_a_namespace_is_not_written_without_one(cluster: Cluster) -> None:
    code, status = cluster.call("POST", "/api/v1/configmaps", config_map("x"))
    assert refused((code, status)) == (405, "MethodNotAllowed")
    assert status["message"] == "the server does not allow this method on the requested resource"


def test_a_body_in_another_format_is_refused(cluster: Cluster, maps: str) -> None:
    for method, path in (("POST", maps), ("PATCH", f"{maps}/x")):
        answer = cluster.call(method, path, config_map("x"), "text/plain")
        assert refused(answer) == (415, "UnsupportedMediaType")


@pytest.mark.parametrize("content", ["x", "[]", '"text"', "{"])
def test_a_body_that_is_no_object_is_refused(cluster: Cluster, maps: str, content: str) -> None:
    answer = httpx2.post(
        f"{cluster.url}{maps}",
        content=content,
        headers={"Authorization": f"Bearer {cluster.token}", "Content-Type": "application/json"},
        verify=str(cluster.authority),
    )
    assert refused((answer.status_code, answer.json())) == (400, "BadRequest")


def test_a_body_too_large_is_refused(cluster: Cluster, maps: str) -> None:
    large = config_map("large", {"a": "x" * 3 * 1024 * 1024})
    code, status = cluster.call("POST", maps, large)
    assert refused((code, status)) == (413, "RequestEntityTooLarge")


def test_a_second_create_already_exists(cluster: Cluster, maps: str) -> None:
    cluster.create(maps, config_map("twice"))
    code, status = cluster.call("POST", maps, config_map("twice"))
    assert refused((code, status)) == (409, "AlreadyExists")
    assert status["message"] == 'configmaps "twice" already exists'
    assert status["details"] == {"name": "twice", "kind": "configmaps"}


def test_what_is_not_there_is_not_found_by_name(cluster: Cluster, maps: str) -> None:
    for method in ("GET", "DELETE"):
        code, status = cluster.call(method, f"{maps}/nothing")
        assert refused((code, status)) == (404, "NotFound")
        assert status["message"] == 'configmaps "nothing" not found'
        assert status["details"] == {"name": "nothing", "kind": "configmaps"}
    path = f"{KUEUE}/clusterqueues/nothing"
    code, status = cluster.call("GET", path)
    assert status["message"] == 'clusterqueues.kueue.x-k8s.io "nothing" not found'
    details = {"name": "nothing", "group": "kueue.x-k8s.io", "kind": "clusterqueues"}
    assert status["details"] == details
    answer = cluster.call("POST", "/api/v1/namespaces/nowhere/configmaps", config_map("x"))
    assert refused(answer) == (404, "NotFound")
    assert answer[1]["message"] == 'namespaces "nowhere" not found'


def test_discovery_names_groups_versions_and_kinds(cluster: Cluster) -> None:
    assert "v1" in cluster.get("/api")["versions"]
    groups = {group["name"]: group for group in cluster.get("/apis")["groups"]}
    assert {"apps", "batch", "rbac.authorization.k8s.io", "networking.k8s.io"} <= set(groups)
    kueue = groups["kueue.x-k8s.io"]
    assert kueue["preferredVersion"]["groupVersion"] == "kueue.x-k8s.io/v1beta2"
    versions = [each["version"] for each in cluster.get("/apis/kueue.x-k8s.io")["versions"]]
    assert versions == ["v1beta2", "v1beta1"]
    for version in versions:
        listed = cluster.get(f"/apis/kueue.x-k8s.io/{version}")
        names = {each["name"] for each in listed["resources"]}
        assert {"workloads", "workloads/status", "clusterqueues", "localqueues"} <= names


def test_discovery_tells_scope_verbs_and_short_names(cluster: Cluster) -> None:
    resources = {each["name"]: each for each in cluster.get("/api/v1")["resources"]}
    namespaces, maps = resources["namespaces"], resources["configmaps"]
    assert (namespaces["namespaced"], maps["namespaced"]) == (False, True)
    assert (maps["kind"], maps["shortNames"]) == ("ConfigMap", ["cm"])
    assert {"get", "list", "watch", "create", "patch", "delete"} <= set(maps["verbs"])
    assert resources["namespaces/status"]["kind"] == "Namespace"


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("api/v1", "/api/v1/namespaces/{namespace}/configmaps/{name}"),
        (
            "apis/kueue.x-k8s.io/v1beta2",
            "/apis/kueue.x-k8s.io/v1beta2/namespaces/{namespace}/localqueues/{name}",
        ),
    ],
)
def test_kubectl_is_told_that_the_server_judges_fields(
    cluster: Cluster, place: str, path: str
) -> None:
    listed = cluster.get("/openapi/v3")["paths"]
    assert f"/openapi/v3/{place}" in listed[place]["serverRelativeURL"]
    patch = cluster.get(f"/openapi/v3/{place}")["paths"][path]["patch"]
    assert {"fieldValidation", "dryRun"} <= {each["name"] for each in patch["parameters"]}
    assert patch["x-kubernetes-group-version-kind"]["kind"] in {"ConfigMap", "LocalQueue"}


def test_the_version_is_told(cluster: Cluster) -> None:
    version = cluster.get("/version")
    assert version["major"] == "1"
    assert int(version["minor"].rstrip("+")) >= 30
    assert version["gitVersion"].startswith("v1.")


def test_health_is_told_in_a_word(cluster: Cluster) -> None:
    for path in ("/readyz", "/livez", "/healthz"):
        assert plain(cluster, "GET", path) == (200, "ok")
