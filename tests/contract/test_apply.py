"""Server-side apply: creates, merges, prunes, refuses; and a second apply changes nothing."""

from typing import Any

import pytest
from lightkube import ApiError, Client
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.models.rbac_v1 import PolicyRule
from lightkube.resources.core_v1 import ConfigMap
from lightkube.resources.rbac_authorization_v1 import Role

from tests.kubernetes_api import APPLY, KUEUE, MERGE, Cluster, binding, config_map, namespace

STRATEGIC = "application/strategic-merge-patch+json"


@pytest.fixture
def client(cluster: Cluster, home: str) -> Client:
    return cluster.lightkube(field_manager="gpu-commons", namespace=home)


def owners(document: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{each['manager']}/{each['operation']}": each["fieldsV1"]
        for each in document["metadata"].get("managedFields", [])
    }


def test_an_apply_creates_and_the_same_apply_changes_nothing(cluster: Cluster, maps: str) -> None:
    body = config_map("new", {"a": "1"}, labels={"x": "y"})
    code, created = cluster.apply(f"{maps}/new", body, "one")
    assert code == 201
    fields = {"f:data": {"f:a": {}}, "f:metadata": {"f:labels": {"f:x": {}}}}
    assert owners(created) == {"one/Apply": fields}
    assert cluster.apply(f"{maps}/new", body, "one") == (200, created)


def test_an_owner_is_told_with_version_time_and_kind_of_fields(cluster: Cluster, maps: str) -> None:
    created = cluster.apply(f"{maps}/told", config_map("told", {"a": "1"}), "one")[1]
    [entry] = created["metadata"]["managedFields"]
    assert entry == {
        "manager": "one",
        "operation": "Apply",
        "apiVersion": "v1",
        "time": created["metadata"]["creationTimestamp"],
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {"f:a": {}}},
    }


def test_two_managers_own_different_fields(cluster: Cluster, maps: str) -> None:
    cluster.apply(f"{maps}/shared", config_map("shared", {"a": "1"}), "one")
    code, document = cluster.apply(f"{maps}/shared", config_map("shared", {"b": "2"}), "two")
    assert (code, document["data"]) == (200, {"a": "1", "b": "2"})
    assert owners(document) == {
        "one/Apply": {"f:data": {"f:a": {}}},
        "two/Apply": {"f:data": {"f:b": {}}},
    }


def test_another_managers_field_is_a_conflict_unless_forced(cluster: Cluster, maps: str) -> None:
    path = f"{maps}/contested"
    cluster.apply(path, config_map("contested", {"a": "1", "b": "1"}), "one")
    code, status = cluster.apply(path, config_map("contested", {"a": "2"}), "two")
    assert (code, status["reason"]) == (409, "Conflict")
    assert status["message"] == 'Apply failed with 1 conflict: conflict with "one": .data.a'
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".data.a"}
    assert status["details"] == {"causes": [cause]}
    assert cluster.get(path)["data"]["a"] == "1"
    code, document = cluster.apply(path, config_map("contested", {"a": "2"}), "two", force="true")
    assert (code, document["data"]) == (200, {"a": "2", "b": "1"})
    assert owners(document) == {
        "one/Apply": {"f:data": {"f:b": {}}},
        "two/Apply": {"f:data": {"f:a": {}}},
    }


def test_each_conflict_is_told(cluster: Cluster, maps: str) -> None:
    path = f"{maps}/twice"
    cluster.apply(path, config_map("twice", {"a": "1", "b": "1"}), "one")
    status = cluster.apply(path, config_map("twice", {"a": "2", "b": "2"}), "two")[1]
    assert status["message"] == (
        'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b'
    )
    assert [cause["field"] for cause in status["details"]["causes"]] == [".data.a", ".data.b"]


def test_conflicts_with_several_are_told_by_owner(cluster: Cluster, maps: str) -> None:
    path = f"{maps}/many"
    cluster.apply(path, config_map("many", {"a": "1"}), "one")
    cluster.apply(path, config_map("many", {"b": "1", "c": "1"}), "two")
    status = cluster.apply(path, config_map("many", {"a": "2", "b": "2", "c": "2"}), "three")[1]
    assert status["message"] == (
        'Apply failed with 3 conflicts: conflicts with "one":\n- .data.a\n'
        'conflicts with "two":\n- .data.b\n- .data.c'
    )


def test_the_same_value_is_owned_by_both(cluster: Cluster, maps: str) -> None:
    path = f"{maps}/agreed"
    for manager in ("one", "two"):
        cluster.apply(path, config_map("agreed", {"a": "1"}), manager)
    without = {"apiVersion": "v1", "kind": "ConfigMap"}
    code, document = cluster.apply(path, without, "one")
    assert (code, document["data"]) == (200, {"a": "1"})
    assert list(owners(document)) == ["two/Apply"]


def test_a_field_that_its_owner_no_longer_names_goes(cluster: Cluster, maps: str) -> None:
    path = f"{maps}/pruned"
    first = config_map("pruned", {"a": "1", "b": "2"}, labels={"x": "y"})
    cluster.apply(path, first, "one")
    cluster.call("PATCH", path, {"data": {"c": "3"}}, MERGE, fieldManager="person")
    code, document = cluster.apply(path, config_map("pruned", {"a": "1"}), "one")
    assert (code, document["data"]) == (200, {"a": "1", "c": "3"})
    assert "labels" not in document["metadata"]


def test_an_update_takes_the_field_over(cluster: Cluster, maps: str) -> None:
    path = f"{maps}/taken"
    cluster.apply(path, config_map("taken", {"a": "1"}), "one")
    cluster.call("PATCH", path, {"data": {"a": "9"}}, MERGE, fieldManager="person")
    code, status = cluster.apply(path, config_map("taken", {"a": "1"}), "one")
    assert (code, status["message"]) == (
        409,
        'Apply failed with 1 conflict: conflict with "person" using v1: .data.a',
    )
    document = cluster.apply(path, config_map("taken", {"a": "1"}), "one", force="true")[1]
    assert document["data"] == {"a": "1"}
    assert owners(document)["one/Apply"] == {"f:data": {"f:a": {}}}


def test_labels_of_others_on_a_namespace_stay(cluster: Cluster, fresh: str) -> None:
    path = f"/api/v1/namespaces/{fresh}"
    cluster.apply(path, namespace(fresh, theirs="1", shared="1"), "sagemaker", force="true")
    cluster.apply(path, namespace(fresh, ours="1"), "commons", force="true")
    cluster.apply(path, namespace(fresh, ours="2", shared="2"), "commons", force="true")
    cluster.apply(path, namespace(fresh, theirs="1"), "sagemaker", force="true")
    document = cluster.apply(path, namespace(fresh, shared="2"), "commons", force="true")[1]
    labels = {"kubernetes.io/metadata.name": fresh, "theirs": "1", "shared": "2"}
    assert document["metadata"]["labels"] == labels
    assert document["spec"] == {"finalizers": ["kubernetes"]}


def test_subjects_of_a_binding_are_replaced_as_a_whole(cluster: Cluster, bindings: str) -> None:
    path = f"{bindings}/members"
    cluster.apply(path, binding("members", "alice"), "one")
    other = binding("members", "bob")
    other["subjects"] = [{"kind": "User", "name": name} for name in ("bob", "carol")]
    code, document = cluster.apply(path, other, "one")
    subjects = [(each["name"], each["apiGroup"]) for each in document["subjects"]]
    group = "rbac.authorization.k8s.io"
    assert (code, subjects) == (200, [("bob", group), ("carol", group)])
    assert cluster.apply(path, other, "one")[1] == document


def test_the_role_of_a_binding_never_changes(cluster: Cluster, bindings: str) -> None:
    cluster.apply(f"{bindings}/fixed", binding("fixed", "alice"), "one")
    other = binding("fixed", "alice", role="another")
    code, status = cluster.apply(f"{bindings}/fixed", other, "one")
    assert (code, status["reason"]) == (422, "Invalid")
    assert status["message"].startswith(
        'RoleBinding.rbac.authorization.k8s.io "fixed" is invalid: roleRef: Invalid value: '
    )
    assert status["message"].endswith("cannot change roleRef")


def deployment(name: str, *containers: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": list(containers)},
            },
        },
    }


def containers(document: dict[str, Any]) -> dict[str, Any]:
    found = document["spec"]["template"]["spec"]["containers"]
    return {each["name"]: (each.get("image"), each.get("env")) for each in found}


def test_lists_with_keys_merge_by_item(cluster: Cluster, home: str) -> None:
    path = f"/apis/apps/v1/namespaces/{home}/deployments/worker"
    env = [{"name": "A", "value": "1"}]
    main = {"name": "main", "image": "a", "env": env}
    code, document = cluster.apply(path, deployment("worker", main), "one")
    assert code == 201
    side = {"name": "side", "image": "b"}
    more = {"name": "main", "env": [{"name": "B", "value": "2"}]}
    code, document = cluster.apply(path, deployment("worker", side, more), "two")
    both = [*env, {"name": "B", "value": "2"}]
    assert (code, containers(document)) == (200, {"main": ("a", both), "side": ("b", None)})
    document = cluster.apply(path, deployment("worker", side), "two")[1]
    assert containers(document) == {"main": ("a", env), "side": ("b", None)}


def test_an_item_goes_with_its_owner_although_another_wrote_in_it(
    cluster: Cluster, home: str
) -> None:
    path = f"/apis/apps/v1/namespaces/{home}/deployments/patched"
    main = {"name": "main", "image": "a", "args": ["x"]}
    cluster.apply(path, deployment("patched", main), "one")
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "patched"}]}}}}
    code, document = cluster.call("PATCH", path, patch, STRATEGIC, fieldManager="person")
    assert (code, containers(document)) == (200, {"main": ("patched", None)})
    side = {"name": "side", "image": "b"}
    code, document = cluster.apply(path, deployment("patched", side), "one")
    assert (code, containers(document)) == (200, {"side": ("b", None)})


def test_an_applied_status_goes_to_the_status_only(cluster: Cluster, home: str) -> None:
    path = f"/api/v1/namespaces/{home}/persistentvolumeclaims/disk"
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "disk"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "none",
        },
        "status": {"conditions": [{"type": "Ours", "status": "True"}]},
    }
    document = cluster.apply(path, claim, "one")[1]
    assert "conditions" not in document["status"]
    changed = {**claim, "spec": {"volumeName": "another"}}
    code, answered = cluster.apply(f"{path}/status", changed, "meter")
    assert (code, answered["status"]["conditions"][0]["type"]) == (200, "Ours")
    assert answered["spec"] == document["spec"]
    entry = next(e for e in answered["metadata"]["managedFields"] if e["manager"] == "meter")
    assert (entry["operation"], entry["subresource"]) == ("Apply", "status")
    absent = {**claim, "metadata": {}}
    assert cluster.apply(f"{path}x/status", absent, "meter")[0] == 404


def test_an_apply_needs_a_manager_and_no_managed_fields(cluster: Cluster, maps: str) -> None:
    code, status = cluster.call("PATCH", f"{maps}/who", config_map("who"), APPLY)
    assert (code, status["reason"]) == (422, "Invalid")
    assert status["message"] == (
        'PatchOptions.meta.k8s.io "" is invalid: '
        "fieldManager: Required value: is required for apply patch"
    )
    body = config_map("who", managedFields=[{"manager": "x"}])
    code, status = cluster.apply(f"{maps}/who", body, "one")
    assert (code, status["message"]) == (400, "metadata.managedFields must be nil")


def test_an_apply_says_what_it_is_about(cluster: Cluster, maps: str) -> None:
    code, status = cluster.apply(f"{maps}/what", {"metadata": {"name": "what"}}, "one")
    assert (code, status["reason"]) == (400, "BadRequest")
    code, status = cluster.apply(f"{maps}/what", config_map("other"), "one")
    assert (code, status["message"]) == (
        400,
        "the name of the object (other) does not match the name on the URL (what)",
    )


def test_an_apply_may_name_the_version_it_read(cluster: Cluster, maps: str) -> None:
    path = f"{maps}/versioned"
    old = cluster.apply(path, config_map("versioned", {"a": "1"}), "one")[1]
    version = old["metadata"]["resourceVersion"]
    newer = config_map("versioned", {"a": "2"}, resourceVersion=version)
    assert cluster.apply(path, newer, "one")[0] == 200
    code, status = cluster.apply(path, newer, "one")
    assert (code, status["reason"]) == (409, "Conflict")
    unborn = config_map("unborn", {}, resourceVersion="5")
    assert cluster.apply(f"{maps}/unborn", unborn, "one")[0] == 201


def test_an_apply_to_another_of_that_name_is_refused(cluster: Cluster, maps: str) -> None:
    path = f"{maps}/same-name"
    cluster.apply(path, config_map("same-name"), "one")
    code, status = cluster.apply(path, config_map("same-name", uid="another"), "one")
    assert (code, status["reason"]) == (422, "Invalid")
    assert "metadata.uid" in status["message"]


def test_an_apply_in_a_namespace_that_is_gone_is_not_found(cluster: Cluster) -> None:
    path = "/api/v1/namespaces/nowhere/configmaps/x"
    code, status = cluster.apply(path, config_map("x"), "one")
    assert (code, status["message"]) == (404, 'namespaces "nowhere" not found')


def test_the_products_client_applies(client: Client, home: str) -> None:
    rule = PolicyRule(apiGroups=[""], resources=["pods"], verbs=["get"])
    role = Role(metadata=ObjectMeta(name="viewer", namespace=home), rules=[rule])
    first = client.apply(role)
    again = client.apply(role)
    assert first.metadata
    assert again.metadata
    assert first.metadata.resourceVersion == again.metadata.resourceVersion


def test_the_products_client_sees_a_conflict(client: Client, home: str) -> None:
    def wanted(value: str) -> ConfigMap:
        return ConfigMap(metadata=ObjectMeta(name="light", namespace=home), data={"a": value})

    client.apply(wanted("1"))
    with pytest.raises(ApiError) as conflict:
        client.apply(wanted("2"), field_manager="other")
    assert conflict.value.status.reason == "Conflict"
    client.apply(wanted("2"), field_manager="other", force=True)
    assert client.get(ConfigMap, "light").data == {"a": "2"}


def test_a_custom_kind_is_applied_like_any_other(cluster: Cluster, home: str) -> None:
    path = f"{KUEUE}/namespaces/{home}/localqueues/main"
    wanted = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "main", "namespace": home},
        "spec": {"clusterQueue": "cq-that-is-nowhere"},
    }
    assert cluster.apply(path, wanted, "one")[0] == 201
    held = {**wanted, "spec": {"stopPolicy": "Hold"}}
    code, document = cluster.apply(path, held, "two")
    spec = {"clusterQueue": "cq-that-is-nowhere", "stopPolicy": "Hold"}
    assert (code, document["spec"]) == (200, spec)
    code, status = cluster.apply(path, {**wanted, "spec": {"clusterQueue": "other"}}, "two")
    assert (code, status["reason"]) == (409, "Conflict")
