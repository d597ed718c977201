"""Server-side apply: creates, merges, prunes, refuses; and a second apply changes nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
from lightkube import ApiError, Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.models.rbac_v1 import PolicyRule
from lightkube.resources.core_v1 import ConfigMap, ResourceQuota
from lightkube.resources.rbac_authorization_v1 import Role

from local.kubernetes.apply import Applied, apply
from local.kubernetes.kinds import named
from local.kubernetes.ownership import Manager
from tests.local.kubernetes_process import (
    APPLY,
    MERGE,
    Cluster,
    binding,
    config_map,
    namespace,
    running,
)

MAPS = "/api/v1/namespaces/team-a/configmaps"
BINDINGS = "/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/rolebindings"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("kubernetes")) as started:
        started.create("/api/v1/namespaces", namespace("team-a"))
        yield started


@pytest.fixture
def client(cluster: Cluster) -> Client:
    return cluster.lightkube(field_manager="gpu-commons", namespace="team-a")


def owners(document: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{each['manager']}/{each['operation']}": each["fieldsV1"]
        for each in document["metadata"]["managedFields"]
    }


def test_an_apply_creates_and_the_same_apply_changes_nothing(cluster: Cluster) -> None:
    body = config_map("new", {"a": "1"}, labels={"x": "y"})
    code, created = cluster.apply(f"{MAPS}/new", body, "one")
    assert code == 201
    fields = {"f:data": {"f:a": {}}, "f:metadata": {"f:labels": {"f:x": {}}}}
    assert owners(created) == {"one/Apply": fields}
    assert cluster.apply(f"{MAPS}/new", body, "one") == (200, created)


def test_two_managers_own_different_fields(cluster: Cluster) -> None:
    cluster.apply(f"{MAPS}/shared", config_map("shared", {"a": "1"}), "one")
    code, document = cluster.apply(f"{MAPS}/shared", config_map("shared", {"b": "2"}), "two")
    assert (code, document["data"]) == (200, {"a": "1", "b": "2"})
    assert owners(document) == {
        "one/Apply": {"f:data": {"f:a": {}}},
        "two/Apply": {"f:data": {"f:b": {}}},
    }


def test_another_managers_field_is_a_conflict_unless_forced(cluster: Cluster) -> None:
    path = f"{MAPS}/contested"
    cluster.apply(path, config_map("contested", {"a": "1", "b": "1"}), "one")
    code, status = cluster.apply(path, config_map("contested", {"a": "2"}), "two")
    assert (code, status["reason"]) == (409, "Conflict")
    assert status["message"] == 'Apply failed with 1 conflict: conflict with "one": .data.a'
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".data.a"}
    assert status["details"]["causes"] == [cause]
    assert cluster.get(path)["data"]["a"] == "1"
    code, document = cluster.apply(path, config_map("contested", {"a": "2"}), "two", force="true")
    assert (code, document["data"]) == (200, {"a": "2", "b": "1"})
    assert owners(document) == {
        "one/Apply": {"f:data": {"f:b": {}}},
        "two/Apply": {"f:data": {"f:a": {}}},
    }


def test_the_same_value_is_owned_by_both(cluster: Cluster) -> None:
    path = f"{MAPS}/agreed"
    for manager in ("one", "two"):
        cluster.apply(path, config_map("agreed", {"a": "1"}), manager)
    without = {"apiVersion": "v1", "kind": "ConfigMap"}
    code, document = cluster.apply(path, without, "one")
    assert (code, document["data"]) == (200, {"a": "1"})
    assert list(owners(document)) == ["two/Apply"]


def test_a_field_that_its_owner_no_longer_names_goes(cluster: Cluster) -> None:
    path = f"{MAPS}/pruned"
    first = config_map("pruned", {"a": "1", "b": "2"}, labels={"x": "y"})
    cluster.apply(path, first, "one")
    cluster.call("PATCH", path, {"data": {"c": "3"}}, MERGE, fieldManager="person")
    code, document = cluster.apply(path, config_map("pruned", {"a": "1"}), "one")
    assert (code, document["data"]) == (200, {"a": "1", "c": "3"})
    assert "labels" not in document["metadata"]


def test_an_update_takes_the_field_over(cluster: Cluster) -> None:
    path = f"{MAPS}/taken"
    cluster.apply(path, config_map("taken", {"a": "1"}), "one")
    cluster.call("PATCH", path, {"data": {"a": "9"}}, MERGE, fieldManager="person")
    code, status = cluster.apply(path, config_map("taken", {"a": "1"}), "one")
    assert code == 409
    assert 'conflict with "person" using v1 at ' in status["message"]
    document = cluster.apply(path, config_map("taken", {"a": "1"}), "one", force="true")[1]
    assert document["data"] == {"a": "1"}
    assert list(owners(document)) == ["one/Apply"]


def test_subjects_of_a_binding_are_replaced_as_a_whole(cluster: Cluster) -> None:
    path = f"{BINDINGS}/members"
    cluster.apply(path, binding("members", "alice"), "one")
    other = binding("members", "bob")
    del other["subjects"][0]
    other["subjects"] = [{"kind": "User", "name": name} for name in ("bob", "carol")]
    code, document = cluster.apply(path, other, "one")
    subjects = [(each["name"], each["apiGroup"]) for each in document["subjects"]]
    group = "rbac.authorization.k8s.io"
    assert (code, subjects) == (200, [("bob", group), ("carol", group)])
    assert cluster.apply(path, other, "one")[1] == document


def test_the_role_of_a_binding_never_changes(cluster: Cluster) -> None:
    cluster.apply(f"{BINDINGS}/fixed", binding("fixed", "alice"), "one")
    other = binding("fixed", "alice", role="another")
    code, status = cluster.apply(f"{BINDINGS}/fixed", other, "one")
    assert (code, status["reason"]) == (422, "Invalid")
    assert "cannot change roleRef" in status["message"]


def pod(*containers: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "worker"},
        "spec": {"containers": list(containers)},
    }


def test_lists_with_keys_merge_by_item(cluster: Cluster) -> None:
    path = "/api/v1/namespaces/team-a/pods/worker"
    main = {"name": "main", "image": "a", "env": [{"name": "A", "value": "1"}]}
    cluster.apply(path, pod(main), "one")
    side = {"name": "side", "image": "b"}
    more = {"name": "main", "env": [{"name": "B", "value": "2"}]}
    code, document = cluster.apply(path, pod(side, more), "two")
    assert code == 200
    assert document["spec"]["containers"] == [
        {**main, "env": [*main["env"], {"name": "B", "value": "2"}]},
        side,
    ]
    document = cluster.apply(path, pod(side), "two")[1]
    assert document["spec"]["containers"] == [main, side]
    document = cluster.apply(path, pod(more), "two", force="true")[1]
    assert [each["name"] for each in document["spec"]["containers"]] == ["main"]


def test_an_item_that_another_wrote_to_stays_with_its_key(cluster: Cluster) -> None:
    path = "/api/v1/namespaces/team-a/pods/worker-two"
    main = {"name": "main", "image": "a", "args": ["x"]}
    cluster.apply(path, {**pod(main), "metadata": {}}, "one")
    patch = {"spec": {"containers": [{"name": "main", "image": "patched"}]}}
    strategic = "application/strategic-merge-patch+json"
    code, document = cluster.call("PATCH", path, patch, strategic, fieldManager="person")
    assert (code, document["spec"]["containers"]) == (200, [{**main, "image": "patched"}])
    document = cluster.apply(path, {**pod({"name": "side"}), "metadata": {}}, "one")[1]
    assert document["spec"]["containers"] == [
        {"name": "main", "image": "patched"},
        {"name": "side"},
    ]


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


def test_an_applied_status_goes_to_the_status_only(cluster: Cluster) -> None:
    path = "/api/v1/namespaces/team-a/persistentvolumeclaims/disk"
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "disk"},
        "spec": {"volumeName": "one"},
        "status": {"phase": "Bound"},
    }
    document = cluster.apply(path, claim, "one")[1]
    assert "status" not in document
    changed = {**claim, "spec": {"volumeName": "two"}}
    code, document = cluster.apply(f"{path}/status", changed, "meter")
    assert (code, document["status"], document["spec"]) == (
        200,
        {"phase": "Bound"},
        {"volumeName": "one"},
    )
    entry = document["metadata"]["managedFields"][1]
    assert (entry["manager"], entry["subresource"]) == ("meter", "status")
    assert cluster.apply(f"{path}x/status", {**claim, "metadata": {}}, "meter")[0] == 404


def test_an_apply_needs_a_manager_and_no_managed_fields(cluster: Cluster) -> None:
    code, status = cluster.call("PATCH", f"{MAPS}/who", config_map("who"), APPLY)
    assert (code, status["reason"]) == (422, "Invalid")
    body = config_map("who", managedFields=[{"manager": "x"}])
    assert cluster.apply(f"{MAPS}/who", body, "one")[0] == 400


def test_an_apply_may_name_the_version_it_read(cluster: Cluster) -> None:
    path = f"{MAPS}/versioned"
    old = cluster.apply(path, config_map("versioned", {"a": "1"}), "one")[1]
    version = old["metadata"]["resourceVersion"]
    newer = config_map("versioned", {"a": "2"}, resourceVersion=version)
    assert cluster.apply(path, newer, "one")[0] == 200
    assert cluster.apply(path, newer, "one")[0] == 409
    unborn = config_map("unborn", {}, resourceVersion="5")
    assert cluster.apply(f"{MAPS}/unborn", unborn, "one")[0] == 409


def test_the_products_client_applies(client: Client) -> None:
    rule = PolicyRule(apiGroups=[""], resources=["pods"], verbs=["get"])
    role = Role(metadata=ObjectMeta(name="viewer", namespace="team-a"), rules=[rule])
    first = client.apply(role)
    again = client.apply(role)
    assert first.metadata
    assert again.metadata
    assert first.metadata.resourceVersion == again.metadata.resourceVersion
    quota = ResourceQuota(metadata=ObjectMeta(name="light", namespace="team-a"))
    assert client.apply(quota).apiVersion == "v1"


def test_the_products_client_sees_a_conflict(client: Client) -> None:
    mine = ConfigMap(metadata=ObjectMeta(name="light", namespace="team-a"), data={"a": "1"})
    client.apply(mine)
    with pytest.raises(ApiError) as conflict:
        client.apply(
            ConfigMap(metadata=ObjectMeta(name="light", namespace="team-a"), data={"a": "2"}),
            field_manager="other",
        )
    assert conflict.value.status.reason == "Conflict"
    client.apply(
        ConfigMap(metadata=ObjectMeta(name="light", namespace="team-a"), data={"a": "2"}),
        field_manager="other",
        force=True,
    )
    assert client.get(ConfigMap, "light").data == {"a": "2"}


def test_the_products_client_applies_generic_kinds(client: Client) -> None:
    queue = create_namespaced_resource("kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues")
    wanted = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "main", "namespace": "team-a"},
        "spec": {"clusterQueue": "cq"},
    }
    applied = client.apply(queue.from_dict(wanted))
    assert applied["spec"] == {"clusterQueue": "cq"}
    assert applied["status"]["conditions"][0]["reason"] == "ClusterQueueDoesNotExist"
    assert [each.metadata.name for each in client.list(queue, namespace="*") if each.metadata] == [
        "main"
    ]
