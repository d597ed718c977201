"""A watch tells every change once, from a version on, through its selectors."""

import uuid

from lightkube.resources.core_v1 import ConfigMap

from tests.contract.support import refused
from tests.kubernetes_api import MERGE, Cluster, config_map, namespace


def test_a_watch_without_a_version_begins_with_what_is_there(cluster: Cluster, maps: str) -> None:
    cluster.create(maps, config_map("here", labels={"watch": "here"}))
    [(type_, document)] = cluster.watch(maps, 1, labelSelector="watch=here")
    assert (type_, document["metadata"]["name"], document["kind"]) == ("ADDED", "here", "ConfigMap")


def test_a_watch_from_a_version_tells_what_came_after(
    cluster: Cluster, maps: str, fresh: str
) -> None:
    before = cluster.create(maps, config_map("one"))["metadata"]["resourceVersion"]
    cluster.create(maps, config_map("two"))
    cluster.create(f"/api/v1/namespaces/{fresh}/configmaps", config_map("elsewhere"))
    cluster.call("PATCH", f"{maps}/one", {"data": {"a": "b"}}, MERGE)
    cluster.call("DELETE", f"{maps}/two")
    events = cluster.watch(maps, 3, resourceVersion=before)
    told = [(type_, document["metadata"]["name"]) for type_, document in events]
    assert told == [("ADDED", "two"), ("MODIFIED", "one"), ("DELETED", "two")]
    versions = [int(document["metadata"]["resourceVersion"]) for _, document in events]
    assert versions == sorted(versions)
    assert versions[0] > int(before)


def test_a_watch_goes_on_from_the_version_of_a_list(cluster: Cluster, maps: str) -> None:
    listed = cluster.get(maps)["metadata"]["resourceVersion"]
    cluster.create(maps, config_map("after-the-list"))
    [(type_, document)] = cluster.watch(maps, 1, resourceVersion=listed)
    assert (type_, document["metadata"]["name"]) == ("ADDED", "after-the-list")


def test_what_leaves_the_selector_looks_deleted(cluster: Cluster, maps: str) -> None:
    start = cluster.get(maps)["metadata"]["resourceVersion"]
    cluster.create(maps, config_map("labelled", labels={"in": "yes"}))
    cluster.call("PATCH", f"{maps}/labelled", {"metadata": {"labels": {"in": "no"}}}, MERGE)
    cluster.call("PATCH", f"{maps}/labelled", {"metadata": {"labels": {"in": "yes"}}}, MERGE)
    events = cluster.watch(maps, 3, resourceVersion=start, labelSelector="in=yes")
    assert [type_ for type_, _ in events] == ["ADDED", "DELETED", "ADDED"]


def test_a_watch_may_follow_one_object(cluster: Cluster, maps: str) -> None:
    start = cluster.get(maps)["metadata"]["resourceVersion"]
    for name in ("followed", "ignored"):
        cluster.create(maps, config_map(name))
    cluster.call("DELETE", f"{maps}/followed")
    query = {"resourceVersion": start, "fieldSelector": "metadata.name=followed"}
    events = cluster.watch(maps, 2, **query)
    assert [type_ for type_, _ in events] == ["ADDED", "DELETED"]


def test_a_watch_ends_when_its_time_is_up(cluster: Cluster, maps: str) -> None:
    version = cluster.get(maps)["metadata"]["resourceVersion"]
    assert cluster.watch(maps, 1, resourceVersion=version, timeoutSeconds=1) == []


def test_a_watch_of_namespaces_sees_one_come_and_go(cluster: Cluster) -> None:
    start = cluster.get("/api/v1/namespaces")["metadata"]["resourceVersion"]
    name = f"come-and-go-{uuid.uuid4().hex[:8]}"
    cluster.create("/api/v1/namespaces", namespace(name))
    cluster.call("DELETE", f"/api/v1/namespaces/{name}")
    query = {"resourceVersion": start, "fieldSelector": f"metadata.name={name}"}
    events = cluster.watch("/api/v1/namespaces", 2, **query)
    assert [type_ for type_, _ in events] == ["ADDED", "MODIFIED"]
    assert events[1][1]["status"]["phase"] == "Terminating"


def test_the_present_state_is_not_asked_for_by_events(cluster: Cluster, maps: str) -> None:
    answer = cluster.call("GET", maps, watch="true", sendInitialEvents="true")
    assert refused(answer) == (422, "Invalid")


def test_the_products_client_watches(cluster: Cluster, maps: str, home: str) -> None:
    cluster.create(maps, config_map("seen", labels={"by": "client"}))
    events = cluster.lightkube().watch(ConfigMap, namespace=home, labels={"by": "client"})
    type_, document = next(iter(events))
    assert (type_, document.metadata.name) == ("ADDED", "seen")
