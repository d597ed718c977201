"""A watch tells every change once, from a version on, through its selectors."""

from collections.abc import Iterator

import pytest
from lightkube.resources.core_v1 import ConfigMap

from local.kubernetes.errors import ApiError
from local.kubernetes.kinds import named
from local.kubernetes.store import KEPT_CHANGES, Store
from tests.local.kubernetes_process import MERGE, Cluster, config_map, namespace, running

MAPS = "/api/v1/namespaces/team-a/configmaps"


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("kubernetes")) as started:
        started.create("/api/v1/namespaces", namespace("team-a"))
        started.create("/api/v1/namespaces", namespace("team-b"))
        yield started


def test_a_watch_without_a_version_begins_with_what_is_there(cluster: Cluster) -> None:
    cluster.create(MAPS, config_map("here"))
    [(type_, document)] = cluster.watch(MAPS, 1)
    assert (type_, document["metadata"]["name"], document["kind"]) == ("ADDED", "here", "ConfigMap")


def test_a_watch_from_a_version_tells_what_came_after(cluster: Cluster) -> None:
    before = cluster.create(MAPS, config_map("one"))["metadata"]["resourceVersion"]
    cluster.create(MAPS, config_map("two"))
    cluster.create("/api/v1/namespaces/team-b/configmaps", config_map("elsewhere"))
    cluster.call("PATCH", f"{MAPS}/one", {"data": {"a": "b"}}, MERGE)
    cluster.call("DELETE", f"{MAPS}/two")
    events = cluster.watch(MAPS, 3, resourceVersion=before)
    told = [(type_, document["metadata"]["name"]) for type_, document in events]
    assert told == [("ADDED", "two"), ("MODIFIED", "one"), ("DELETED", "two")]
    versions = [int(document["metadata"]["resourceVersion"]) for _, document in events]
    assert versions == sorted(versions)
    assert versions[0] > int(before)


def test_what_leaves_the_selector_looks_deleted(cluster: Cluster) -> None:
    start = cluster.get(MAPS)["metadata"]["resourceVersion"]
    cluster.create(MAPS, config_map("labelled", labels={"in": "yes"}))
    cluster.call("PATCH", f"{MAPS}/labelled", {"metadata": {"labels": {"in": "no"}}}, MERGE)
    cluster.call("PATCH", f"{MAPS}/labelled", {"metadata": {"labels": {"in": "yes"}}}, MERGE)
    events = cluster.watch(MAPS, 3, resourceVersion=start, labelSelector="in=yes")
    assert [type_ for type_, _ in events] == ["ADDED", "DELETED", "ADDED"]


def test_a_watch_ends_when_its_time_is_up(cluster: Cluster) -> None:
    version = cluster.get(MAPS)["metadata"]["resourceVersion"]
    assert cluster.watch(MAPS, 1, resourceVersion=version, timeoutSeconds=1) == []


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


def test_the_products_client_watches(cluster: Cluster) -> None:
    cluster.create(MAPS, config_map("seen"))
    events = cluster.lightkube().watch(ConfigMap, namespace="team-a")
    type_, document = next(iter(events))
    assert (type_, document.metadata.name) == ("ADDED", "seen")
    assert cluster.call("GET", MAPS, watch="true", sendInitialEvents="true")[0] == 422
