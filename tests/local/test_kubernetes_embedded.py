"""What the embedded Kubernetes API does in its own way, and what it refuses."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from local.kubernetes.apply import Applied, apply
from local.kubernetes.errors import ApiError
from local.kubernetes.kinds import named
from local.kubernetes.ownership import Manager
from local.kubernetes.store import KEPT_CHANGES, KEPT_PAGES, Store
from tests.contract.support import refused
from tests.kubernetes_api import MERGE, config_map, namespace
from tests.local.kubernetes_process import Embedded, running

MAPS = "/api/v1/namespaces/team-a/configmaps"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with running(tmp_path_factory.mktemp("kubernetes")) as started:
        started.create("/api/v1/namespaces", namespace("team-a"))
        yield started


def test_each_cluster_has_objects_of_its_own(cluster: Embedded) -> None:
    other = cluster.named("other-eks")
    assert "team-a" not in other.names("/api/v1/namespaces")
    other.create("/api/v1/namespaces", namespace("team-z"))
    assert "team-z" not in cluster.names("/api/v1/namespaces")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/namespaces/team-a/pods/p/eviction"),
        ("GET", "/api/v1/namespaces/team-a/pods/p/log"),
        ("POST", "/api/v1/namespaces/team-a/pods/p/exec"),
        ("PATCH", "/apis/apps/v1/namespaces/team-a/deployments/d/scale"),
        ("PUT", "/api/v1/namespaces/team-a/finalize"),
        ("GET", "/api/v1/watch/namespaces"),
    ],
)
def test_what_is_not_played_is_refused(cluster: Embedded, method: str, path: str) -> None:
    assert refused(cluster.call(method, path)) == (405, "MethodNotAllowed")


def test_patch_formats_that_are_not_served_say_so(cluster: Embedded) -> None:
    cluster.create(MAPS, config_map("formats"))
    answer = cluster.call("PATCH", f"{MAPS}/formats", [], "application/json-patch+json")
    assert refused(answer) == (415, "UnsupportedMediaType")
    directive = {"data": {"$retainKeys": ["k"]}}
    strategic = "application/strategic-merge-patch+json"
    answer = cluster.call("PATCH", f"{MAPS}/formats", directive, strategic)
    assert refused(answer) == (415, "UnsupportedMediaType")


def test_an_owner_does_not_wait_for_what_it_owns(cluster: Embedded) -> None:
    cluster.create(MAPS, config_map("patient"))
    answer = cluster.call("DELETE", f"{MAPS}/patient", {"propagationPolicy": "Foreground"})
    assert refused(answer) == (400, "BadRequest")
    assert cluster.get(f"{MAPS}/patient")


def test_a_list_as_it_once_was_is_refused(cluster: Embedded) -> None:
    answer = cluster.call("GET", MAPS, resourceVersionMatch="Exact", resourceVersion="1")
    assert refused(answer) == (400, "BadRequest")


def test_what_is_not_served_of_impersonation_is_refused(cluster: Embedded) -> None:
    acting = cluster.sending(**{"Impersonate-User": "alice", "Impersonate-Uid": "7"})
    assert refused(acting.call("GET", MAPS)) == (405, "MethodNotAllowed")


def test_the_administrators_token_is_private(cluster: Embedded) -> None:
    for name in ("admin-token", "serving.key"):
        assert (cluster.home / "kubernetes" / name).stat().st_mode & 0o777 == 0o600


def test_a_version_too_old_is_expired() -> None:
    store, maps = Store(), named("configmaps")
    for number in range(KEPT_CHANGES):
        store.put(maps, config_map("noisy", {"n": str(number)}))
    assert store.changes_since(1)[0].version == 2
    store.put(maps, config_map("noisy"))
    assert store.changes_since(2)[0].version == 3
    with pytest.raises(ApiError) as expired:
        store.changes_since(1)
    assert (expired.value.code, expired.value.reason) == (410, "Expired")


def test_a_page_too_old_is_expired() -> None:
    store = Store()
    first = store.keep_page([config_map("rest")], 1)
    assert store.page(first) == (1, [config_map("rest")])
    for _ in range(KEPT_PAGES):
        store.keep_page([], 2)
    with pytest.raises(ApiError) as expired:
        store.page(first)
    assert (expired.value.code, expired.value.reason) == (410, "Expired")


def test_the_time_of_an_owner_changes_with_what_it_owns_only() -> None:
    manager = Manager("one", "Apply", "v1")

    def applied(live: dict[str, Any] | None, data: dict[str, str], time: str) -> dict[str, Any]:
        request = Applied(named("configmaps"), manager, time, force=False)
        return apply(request, live, config_map("x", data))

    def time_of(document: dict[str, Any]) -> str:
        return str(document["metadata"]["managedFields"][0]["time"])

    first = applied(None, {"a": "1"}, "one o'clock")
    again = applied(first, {"a": "1"}, "two o'clock")
    assert again == first
    more = applied(first, {"a": "1", "b": "2"}, "two o'clock")
    assert (time_of(first), time_of(more)) == ("one o'clock", "two o'clock")


def test_an_owner_elsewhere_owns_nothing(cluster: Embedded) -> None:
    cluster.create("/api/v1/namespaces", namespace("team-b"))
    owner = cluster.create(MAPS, config_map("owner"))
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
    }
    elsewhere = "/api/v1/namespaces/team-b/configmaps"
    cluster.create(elsewhere, config_map("owned", ownerReferences=[reference]))
    cluster.call("DELETE", f"{MAPS}/owner")
    assert cluster.get(f"{elsewhere}/owned")


def test_the_last_owner_takes_it_along(cluster: Embedded) -> None:
    owners = [cluster.create(MAPS, config_map(name)) for name in ("one-owner", "two-owner")]
    references = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
        }
        for owner in owners
    ]
    cluster.create(MAPS, config_map("shared", ownerReferences=references))
    cluster.call("DELETE", f"{MAPS}/one-owner")
    assert cluster.get(f"{MAPS}/shared")
    cluster.call("DELETE", f"{MAPS}/two-owner")
    assert cluster.call("GET", f"{MAPS}/shared")[0] == 404


def test_a_new_value_of_a_secret_is_encoded(cluster: Embedded) -> None:
    path = "/api/v1/namespaces/team-a/secrets"
    cluster.create(path, {"metadata": {"name": "key"}, "stringData": {"a": "b"}})
    code, patched = cluster.call("PATCH", f"{path}/key", {"stringData": {"a": "c"}}, MERGE)
    assert (code, patched["data"]) == (200, {"a": base64.b64encode(b"c").decode()})
