"""Objects are kept as the API server keeps them: versions, updates, patches, status, dry run."""

import uuid
from typing import Any

import pytest

from tests.contract.support import refused
from tests.kubernetes_api import KUEUE, MERGE, Cluster, config_map, namespace

JSON = "application/json"


def test_a_new_object_gets_its_metadata_from_the_server(
    cluster: Cluster, maps: str, home: str
) -> None:
    created = cluster.create(maps, config_map("fresh", uid="mine"))
    meta = created["metadata"]
    assert meta["namespace"] == home
    assert meta["uid"] != "mine"
    assert int(meta["resourceVersion"]) > 0
    assert meta["creationTimestamp"].endswith("Z")
    assert "generation" not in meta
    assert cluster.get(f"{maps}/fresh") == created


def test_a_new_object_has_no_version_yet(cluster: Cluster, maps: str) -> None:
    code, status = cluster.call("POST", maps, config_map("versioned", resourceVersion="7"))
    assert (code, status["message"]) == (
        500,
        "resourceVersion should not be set on objects to be created",
    )


def test_a_name_is_made_where_only_its_beginning_is_given(cluster: Cluster, maps: str) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "part-"}}
    name = cluster.create(maps, body)["metadata"]["name"]
    assert name.startswith("part-")
    assert len(name) == len("part-") + 5


def test_versions_grow_over_all_objects(cluster: Cluster, maps: str) -> None:
    first = cluster.create(maps, config_map("first"))
    second = cluster.create(maps, config_map("second"))
    versions = [int(each["metadata"]["resourceVersion"]) for each in (first, second)]
    assert versions[0] < versions[1]
    assert int(cluster.get(maps)["metadata"]["resourceVersion"]) >= versions[1]


def test_an_update_of_an_old_version_is_a_conflict(cluster: Cluster, maps: str) -> None:
    old = cluster.create(maps, config_map("busy"))
    newer = {**old, "data": {"a": "1"}}
    assert cluster.call("PUT", f"{maps}/busy", newer)[0] == 200
    answer = cluster.call("PUT", f"{maps}/busy", newer)
    assert refused(answer) == (409, "Conflict")
    assert answer[1]["message"] == (
        'Operation cannot be fulfilled on configmaps "busy": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    assert answer[1]["details"] == {"name": "busy", "kind": "configmaps"}
    without = config_map("busy", {"a": "2"})
    assert cluster.call("PUT", f"{maps}/busy", without)[1]["data"] == {"a": "2"}


def test_an_update_of_another_object_of_that_name_is_a_conflict(
    cluster: Cluster, maps: str
) -> None:
    cluster.create(maps, config_map("reborn"))
    answer = cluster.call("PUT", f"{maps}/reborn", config_map("reborn", uid="another"))
    assert refused(answer) == (409, "Conflict")
    assert "Precondition failed: UID in precondition: another" in answer[1]["message"]


def test_an_update_of_nothing_is_not_found(cluster: Cluster, maps: str) -> None:
    assert refused(cluster.call("PUT", f"{maps}/no", config_map("no"))) == (404, "NotFound")
    assert refused(cluster.call("PATCH", f"{maps}/no", {}, MERGE)) == (404, "NotFound")


def test_an_update_of_a_custom_kind_names_its_version(cluster: Cluster, home: str) -> None:
    path = f"{KUEUE}/namespaces/{home}/localqueues"
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "updated"},
        "spec": {"clusterQueue": "nowhere"},
    }
    cluster.create(path, queue)
    code, status = cluster.call("PUT", f"{path}/updated", queue)
    assert refused((code, status)) == (422, "Invalid")
    assert "metadata.resourceVersion" in status["message"]
    assert status["message"].endswith("must be specified for an update")


def test_an_update_that_changes_nothing_keeps_the_version(cluster: Cluster, maps: str) -> None:
    created = cluster.create(maps, config_map("calm", {"a": "1"}))
    code, same = cluster.call("PUT", f"{maps}/calm", created)
    assert (code, same) == (200, created)


def test_a_merge_patch_adds_changes_and_removes(cluster: Cluster, maps: str) -> None:
    cluster.create(maps, config_map("patched", {"a": "1", "b": "2"}))
    patch = {"data": {"a": None, "b": "3", "c": "4"}}
    code, document = cluster.call("PATCH", f"{maps}/patched", patch, MERGE)
    assert (code, document["data"]) == (200, {"b": "3", "c": "4"})


def test_a_patch_may_name_the_version_it_read(cluster: Cluster, maps: str) -> None:
    old = cluster.create(maps, config_map("read"))["metadata"]["resourceVersion"]
    patch = {"metadata": {"resourceVersion": old}, "data": {"a": "1"}}
    assert cluster.call("PATCH", f"{maps}/read", patch, MERGE)[0] == 200
    patch["data"] = {"a": "2"}
    assert refused(cluster.call("PATCH", f"{maps}/read", patch, MERGE)) == (409, "Conflict")


def test_a_strategic_patch_merges_maps_of_built_in_kinds_only(
    cluster: Cluster, maps: str, home: str
) -> None:
    strategic = "application/strategic-merge-patch+json"
    cluster.create(maps, config_map("strategic", {"a": "1"}))
    code, document = cluster.call("PATCH", f"{maps}/strategic", {"data": {"b": "2"}}, strategic)
    assert (code, document["data"]) == (200, {"a": "1", "b": "2"})
    path = f"{KUEUE}/namespaces/{home}/localqueues/any"
    answer = cluster.call("PATCH", path, {}, strategic)
    assert refused(answer) == (415, "UnsupportedMediaType")


def test_the_status_is_written_by_its_own_path_only(cluster: Cluster, home: str) -> None:
    path = f"/api/v1/namespaces/{home}/persistentvolumeclaims"
    spec = {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "none",
    }
    condition = {"type": "Ours", "status": "True"}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "disk"},
        "spec": spec,
        "status": {"conditions": [condition]},
    }
    created = cluster.create(path, claim)
    assert "conditions" not in created["status"]
    patch = {"spec": {"volumeName": "x"}, "status": {"conditions": [condition]}}
    code, document = cluster.call("PATCH", f"{path}/disk/status", patch, MERGE)
    assert (code, document["status"]["conditions"][0]["type"]) == (200, "Ours")
    assert document["spec"] == created["spec"]
    code, document = cluster.call("PATCH", f"{path}/disk", {"status": {"conditions": []}}, MERGE)
    assert (code, document["status"]["conditions"][0]["type"]) == (200, "Ours")


def test_a_kind_without_status_has_no_such_path(cluster: Cluster, maps: str) -> None:
    cluster.create(maps, config_map("plain"))
    assert refused(cluster.call("GET", f"{maps}/plain/status")) == (404, "NotFound")


def test_generation_counts_changes_of_the_specification(cluster: Cluster, home: str) -> None:
    path = f"/apis/networking.k8s.io/v1/namespaces/{home}/networkpolicies"
    policy = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "deny"},
        "spec": {"podSelector": {}},
    }
    created = cluster.create(path, policy)
    assert created["metadata"]["generation"] == 1
    labelled = {"metadata": {"labels": {"a": "b"}}}
    assert cluster.call("PATCH", f"{path}/deny", labelled, MERGE)[1]["metadata"]["generation"] == 1
    changed = {"spec": {"policyTypes": ["Ingress", "Egress"]}}
    assert cluster.call("PATCH", f"{path}/deny", changed, MERGE)[1]["metadata"]["generation"] == 2


def test_a_dry_run_stores_nothing(cluster: Cluster, maps: str) -> None:
    created = cluster.create(maps, config_map("dry"), dryRun="All")
    assert created["metadata"]["uid"]
    assert cluster.call("GET", f"{maps}/dry")[0] == 404
    applied = cluster.apply(f"{maps}/dry", config_map("dry"), "one", dryRun="All")
    assert applied[0] == 201
    assert cluster.call("GET", f"{maps}/dry")[0] == 404
    answer = cluster.call("POST", maps, config_map("dry"), dryRun="Some")
    assert refused(answer) == (422, "Invalid")


def test_a_dry_run_deletes_nothing(cluster: Cluster, maps: str) -> None:
    cluster.create(maps, config_map("kept"))
    assert cluster.call("DELETE", f"{maps}/kept", dryRun="All")[0] == 200
    assert cluster.get(f"{maps}/kept")


def test_a_namespace_names_itself_in_a_label(cluster: Cluster, fresh: str) -> None:
    path = f"/api/v1/namespaces/{fresh}"
    assert cluster.get(path)["metadata"]["labels"] == {"kubernetes.io/metadata.name": fresh}
    patch = {"metadata": {"labels": {"kubernetes.io/metadata.name": "another"}}}
    patched = cluster.call("PATCH", path, patch, MERGE)[1]
    assert patched["metadata"]["labels"]["kubernetes.io/metadata.name"] == fresh


def test_a_new_namespace_is_active(cluster: Cluster) -> None:
    created = cluster.create("/api/v1/namespaces", namespace(f"lively-{uuid.uuid4().hex[:8]}"))
    assert (created["status"], created["spec"]) == (
        {"phase": "Active"},
        {"finalizers": ["kubernetes"]},
    )


def test_secrets_are_encoded_as_they_are_written(cluster: Cluster, home: str) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "key"},
        "stringData": {"a": "b"},
    }
    created = cluster.create(f"/api/v1/namespaces/{home}/secrets", secret)
    assert created["data"] == {"a": "Yg=="}
    assert "stringData" not in created
    assert created["type"] == "Opaque"


@pytest.mark.parametrize(
    ("metadata", "code", "reason"),
    [
        ({"name": "Upper"}, 422, "Invalid"),
        ({"name": "a/b"}, 422, "Invalid"),
        ({"name": "x" * 254}, 422, "Invalid"),
        ({}, 422, "Invalid"),
        ({"name": "fine", "labels": {"team": "white space"}}, 422, "Invalid"),
        ({"name": "fine", "labels": {"": "x"}}, 422, "Invalid"),
        ({"name": "fine", "labels": {"x": "y" * 64}}, 422, "Invalid"),
        ({"name": "fine", "labels": ["x"]}, 400, "BadRequest"),
        ({"name": "fine", "labels": {"x": 5}}, 400, "BadRequest"),
        ({"name": "fine", "annotations": {"x": 5}}, 400, "BadRequest"),
        ("no", 400, "BadRequest"),
    ],
)
def test_names_and_labels_must_be_well_formed(
    cluster: Cluster, maps: str, metadata: Any, code: int, reason: str
) -> None:
    document = {**config_map("any"), "metadata": metadata}
    assert refused(cluster.call("POST", maps, document)) == (code, reason)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "Secret"},
        {"apiVersion": "v2"},
        {"metadata": {"name": "mismatch", "namespace": "elsewhere"}},
    ],
)
def test_a_body_about_something_else_is_refused(
    cluster: Cluster, maps: str, change: dict[str, Any]
) -> None:
    body = {**config_map("mismatch"), **change}
    assert refused(cluster.call("POST", maps, body)) == (400, "BadRequest")


def test_what_an_invalid_object_breaks_is_told_field_by_field(cluster: Cluster, maps: str) -> None:
    _, status = cluster.call("POST", maps, config_map("Upper"))
    [cause] = status["details"]["causes"]
    assert (cause["reason"], cause["field"]) == ("FieldValueInvalid", "metadata.name")
    assert status["details"]["kind"] == "ConfigMap"
    assert status["message"] == (f'ConfigMap "Upper" is invalid: metadata.name: {cause["message"]}')
