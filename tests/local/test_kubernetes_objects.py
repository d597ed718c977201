"""The embedded Kubernetes API keeps objects as the real one does: versions, lists, deletion."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.local.kubernetes_process import MERGE, Cluster, config_map, namespace, running

MAPS = "/api/v1/namespaces/team-a/configmaps"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("kubernetes")) as started:
        started.create("/api/v1/namespaces", namespace("team-a"))
        yield started


def refused(answer: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    code, status = answer
    assert (status["kind"], status["status"], status["code"]) == ("Status", "Failure", code)
    return code, status["reason"]


def test_a_new_object_gets_its_metadata_from_the_server(cluster: Cluster) -> None:
    created = cluster.create(MAPS, config_map("fresh", uid="mine", resourceVersion="7"))
    meta = created["metadata"]
    assert meta["namespace"] == "team-a"
    assert meta["uid"] != "mine"
    assert int(meta["resourceVersion"]) > 7
    assert meta["creationTimestamp"].endswith("Z")
    assert "generation" not in meta
    assert cluster.get(f"{MAPS}/fresh") == created


def test_versions_grow_over_all_objects(cluster: Cluster) -> None:
    first = cluster.create(MAPS, config_map("first"))
    second = cluster.create(MAPS, config_map("second"))
    versions = [int(each["metadata"]["resourceVersion"]) for each in (first, second)]
    assert versions[0] < versions[1]
    assert int(cluster.get(MAPS)["metadata"]["resourceVersion"]) == versions[1]


def test_a_second_create_already_exists(cluster: Cluster) -> None:
    cluster.create(MAPS, config_map("twice"))
    code, status = cluster.call("POST", MAPS, config_map("twice"))
    assert refused((code, status)) == (409, "AlreadyExists")
    assert status["message"] == 'configmaps "twice" already exists'


def test_what_is_not_there_is_not_found_by_name(cluster: Cluster) -> None:
    for method in ("GET", "DELETE"):
        code, status = cluster.call(method, f"{MAPS}/nothing")
        assert refused((code, status)) == (404, "NotFound")
        assert status["details"] == {"name": "nothing", "kind": "configmaps"}
    answer = cluster.call("POST", "/api/v1/namespaces/nowhere/configmaps", config_map("x"))
    assert refused(answer) == (404, "NotFound")
    assert answer[1]["message"] == 'namespaces "nowhere" not found'


def test_an_update_of_an_old_version_is_a_conflict(cluster: Cluster) -> None:
    old = cluster.create(MAPS, config_map("busy"))
    newer = {**old, "data": {"a": "1"}}
    assert cluster.call("PUT", f"{MAPS}/busy", newer)[0] == 200
    answer = cluster.call("PUT", f"{MAPS}/busy", newer)
    assert refused(answer) == (409, "Conflict")
    assert "please apply your changes to the latest version" in answer[1]["message"]
    without = config_map("busy", {"a": "2"})
    assert cluster.call("PUT", f"{MAPS}/busy", without)[1]["data"] == {"a": "2"}


def test_an_update_that_changes_nothing_keeps_the_version(cluster: Cluster) -> None:
    created = cluster.create(MAPS, config_map("calm", {"a": "1"}))
    code, same = cluster.call("PUT", f"{MAPS}/calm", created)
    assert (code, same) == (200, created)


def test_a_merge_patch_adds_changes_and_removes(cluster: Cluster) -> None:
    cluster.create(MAPS, config_map("patched", {"a": "1", "b": "2"}))
    patch = {"data": {"a": None, "b": "3", "c": "4"}}
    code, document = cluster.call("PATCH", f"{MAPS}/patched", patch, MERGE)
    assert (code, document["data"]) == (200, {"b": "3", "c": "4"})


def test_patch_formats_that_are_not_served_say_so(cluster: Cluster) -> None:
    cluster.create(MAPS, config_map("formats"))
    answer = cluster.call("PATCH", f"{MAPS}/formats", [], "application/json-patch+json")
    assert refused(answer)[0] == 415
    code, document = cluster.call(
        "PATCH",
        f"{MAPS}/formats",
        {"data": {"k": "v"}},
        "application/strategic-merge-patch+json",
    )
    assert (code, document["data"]) == (200, {"k": "v"})
    strategic = {"data": {"$retainKeys": ["k"]}}
    answer = cluster.call(
        "PATCH", f"{MAPS}/formats", strategic, "application/strategic-merge-patch+json"
    )
    assert refused(answer)[0] == 415


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "Upper"},
        {"name": "a/b"},
        {"name": "x" * 254},
        {"name": "fine", "labels": {"team": "white space"}},
        {"name": "fine", "labels": {"": "x"}},
        {"name": "fine", "labels": {"x": "y" * 64}},
        {"name": "fine", "annotations": {"x": 5}},
    ],
)
def test_names_and_labels_must_be_well_formed(cluster: Cluster, metadata: dict[str, Any]) -> None:
    document = {**config_map("any"), "metadata": metadata}
    assert refused(cluster.call("POST", MAPS, document)) == (422, "Invalid")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"kind": "Secret"}, 400),
        ({"apiVersion": "v2"}, 400),
        ({"metadata": {"name": "other"}}, 400),
        ({"metadata": {"name": "mismatch", "namespace": "team-b"}}, 400),
        ({"metadata": "no"}, 400),
    ],
)
def test_a_body_about_something_else_is_refused(
    cluster: Cluster, change: dict[str, Any], code: int
) -> None:
    body = {**config_map("mismatch"), **change}
    answer = cluster.apply(f"{MAPS}/mismatch", body, "test")
    assert refused(answer)[0] == code


def test_labels_select(cluster: Cluster) -> None:
    for name, labels in {
        "sel-a": {"team": "a", "tier": "gold"},
        "sel-b": {"team": "b"},
        "sel-c": {"sel": "c"},
    }.items():
        cluster.create(MAPS, config_map(name, labels={**labels, "suite": "select"}))

    def selected(text: str) -> list[str]:
        return cluster.names(MAPS, labelSelector=f"suite=select,{text}")

    assert selected("team") == ["sel-a", "sel-b"]
    assert selected("!team") == ["sel-c"]
    assert selected("team=a") == ["sel-a"]
    assert selected("team==a,tier=gold") == ["sel-a"]
    assert selected("team!=a") == ["sel-b", "sel-c"]
    assert selected("team in (a, b),tier") == ["sel-a"]
    assert selected("team notin (a)") == ["sel-b", "sel-c"]
    assert refused(cluster.call("GET", MAPS, labelSelector="a b c"))[0] == 400


def test_fields_select_by_name_and_refuse_the_unknown(cluster: Cluster) -> None:
    cluster.create(MAPS, config_map("wanted"))
    assert cluster.names(MAPS, fieldSelector="metadata.name=wanted") == ["wanted"]
    assert "wanted" not in cluster.names(MAPS, fieldSelector="metadata.name!=wanted")
    everywhere = "/api/v1/configmaps"
    assert cluster.names(everywhere, fieldSelector="metadata.namespace=nowhere") == []
    assert refused(cluster.call("GET", MAPS, fieldSelector="data.a=1"))[0] == 400


def test_a_list_comes_in_pages_as_it_was_at_the_first(cluster: Cluster) -> None:
    cluster.create("/api/v1/namespaces", namespace("pages"))
    path = "/api/v1/namespaces/pages/configmaps"
    for number in range(5):
        cluster.create(path, config_map(f"m{number}"))
    first = cluster.get(path, limit=2)
    assert first["metadata"]["remainingItemCount"] == 3
    cluster.create(path, config_map("m15"))
    token = first["metadata"]["continue"]
    second = cluster.get(path, limit=2, **{"continue": token})
    last = cluster.get(path, limit=2, **{"continue": second["metadata"]["continue"]})
    pages = [[item["metadata"]["name"] for item in page["items"]] for page in (first, second, last)]
    assert pages == [["m0", "m1"], ["m2", "m3"], ["m4"]]
    assert "continue" not in last["metadata"]
    assert "continue" not in cluster.get(path, limit=6)["metadata"]
    assert len({page["metadata"]["resourceVersion"] for page in (first, second, last)}) == 1
    assert refused(cluster.call("GET", path, **{"continue": "0" * 32})) == (410, "Expired")


def test_items_of_built_in_kinds_do_not_repeat_their_kind(cluster: Cluster) -> None:
    listed = cluster.get("/api/v1/namespaces")
    assert listed["kind"] == "NamespaceList"
    assert all("kind" not in item for item in listed["items"])


def test_the_status_is_written_by_its_own_path_only(cluster: Cluster) -> None:
    path = "/api/v1/namespaces/team-a/persistentvolumeclaims"
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "disk"},
        "spec": {"accessModes": ["ReadWriteMany"]},
        "status": {"phase": "Bound"},
    }
    created = cluster.create(path, claim)
    assert "status" not in created
    patch = {"spec": {"accessModes": []}, "status": {"phase": "Bound"}}
    code, document = cluster.call("PATCH", f"{path}/disk/status", patch, MERGE)
    assert (code, document["status"], document["spec"]) == (
        200,
        {"phase": "Bound"},
        claim["spec"],
    )
    code, document = cluster.call("PATCH", f"{path}/disk", {"status": {"phase": "Lost"}}, MERGE)
    assert (code, document["status"]) == (200, {"phase": "Bound"})
    assert refused(cluster.call("GET", f"{MAPS}/kube/status"))[0] == 404


def test_generation_counts_changes_of_the_specification(cluster: Cluster) -> None:
    path = "/apis/networking.k8s.io/v1/namespaces/team-a/networkpolicies"
    policy = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "deny"},
        "spec": {"podSelector": {}},
    }
    created = cluster.create(path, policy)
    assert created["spec"]["policyTypes"] == ["Ingress"]
    assert created["metadata"]["generation"] == 1
    labelled = {"metadata": {"labels": {"a": "b"}}}
    assert cluster.call("PATCH", f"{path}/deny", labelled, MERGE)[1]["metadata"]["generation"] == 1
    changed = {"spec": {"policyTypes": ["Ingress", "Egress"]}}
    assert cluster.call("PATCH", f"{path}/deny", changed, MERGE)[1]["metadata"]["generation"] == 2


def test_finalizers_hold_a_deleted_object_until_they_are_gone(cluster: Cluster) -> None:
    cluster.create(MAPS, config_map("held", finalizers=["example.com/hold"]))
    code, held = cluster.call("DELETE", f"{MAPS}/held")
    assert (code, held["kind"]) == (200, "ConfigMap")
    assert held["metadata"]["deletionTimestamp"]
    again = cluster.call("DELETE", f"{MAPS}/held")[1]
    assert again["metadata"]["resourceVersion"] == held["metadata"]["resourceVersion"]
    cluster.call("PATCH", f"{MAPS}/held", {"metadata": {"finalizers": None}}, MERGE)
    assert cluster.call("GET", f"{MAPS}/held")[0] == 404


def test_a_delete_may_ask_for_one_very_object(cluster: Cluster) -> None:
    created = cluster.create(MAPS, config_map("very"))
    other = {"preconditions": {"uid": "another"}}
    assert refused(cluster.call("DELETE", f"{MAPS}/very", other)) == (409, "Conflict")
    own = {"preconditions": {"uid": created["metadata"]["uid"]}}
    code, status = cluster.call("DELETE", f"{MAPS}/very", own)
    assert (code, status["status"], status["details"]["name"]) == (200, "Success", "very")


def test_a_namespace_takes_everything_with_it(cluster: Cluster) -> None:
    cluster.create("/api/v1/namespaces", namespace("leaving"))
    path = "/api/v1/namespaces/leaving/configmaps"
    cluster.create(path, config_map("plain"))
    cluster.create(path, config_map("held", finalizers=["example.com/hold"]))
    code, gone = cluster.call("DELETE", "/api/v1/namespaces/leaving")
    assert (code, gone["status"]["phase"]) == (200, "Terminating")
    assert cluster.names(path) == ["held"]
    answer = cluster.call("POST", path, config_map("late"))
    assert refused(answer) == (403, "Forbidden")
    assert "because it is being terminated" in answer[1]["message"]
    cluster.call("PATCH", f"{path}/held", {"metadata": {"finalizers": None}}, MERGE)
    assert cluster.call("GET", "/api/v1/namespaces/leaving")[0] == 404


def test_a_namespace_names_itself_in_a_label(cluster: Cluster) -> None:
    labels = cluster.get("/api/v1/namespaces/team-a")["metadata"]["labels"]
    assert labels["kubernetes.io/metadata.name"] == "team-a"
    patch = {"metadata": {"labels": {"kubernetes.io/metadata.name": "team-b"}}}
    patched = cluster.call("PATCH", "/api/v1/namespaces/team-a", patch, MERGE)[1]
    assert patched["metadata"]["labels"]["kubernetes.io/metadata.name"] == "team-a"


def test_a_dry_run_stores_nothing(cluster: Cluster) -> None:
    created = cluster.create(MAPS, config_map("dry"), dryRun="All")
    assert created["metadata"]["uid"]
    assert cluster.call("GET", f"{MAPS}/dry")[0] == 404
    assert refused(cluster.call("POST", MAPS, config_map("dry"), dryRun="Some"))[0] == 400


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/api/v1/namespaces/team-a/endpoints", 404),
        ("GET", "/apis/apps/v2/deployments", 404),
        ("GET", "/apis/nowhere.example/v1", 404),
        ("POST", "/api/v1/configmaps", 405),
        ("POST", "/api/v1/namespaces/team-a/pods/p/eviction", 405),
        ("GET", "/api/v1/namespaces/team-a/pods/p/log", 405),
        ("PUT", "/api/v1/namespaces/team-a/finalize", 405),
        ("GET", "/api/v1/watch/namespaces", 405),
        ("GET", "/api/v1/namespaces/team-a/nodes", 404),
    ],
)
def test_what_is_not_served_is_refused(cluster: Cluster, method: str, path: str, code: int) -> None:
    assert refused(cluster.call(method, path))[0] == code


def test_each_cluster_has_objects_of_its_own(cluster: Cluster) -> None:
    other = cluster.named("other-eks")
    assert "team-a" not in other.names("/api/v1/namespaces")
    other.create("/api/v1/namespaces", namespace("team-z"))
    assert "team-z" not in cluster.names("/api/v1/namespaces")


def test_discovery_names_groups_versions_and_kinds(cluster: Cluster) -> None:
    assert cluster.get("/api")["versions"] == ["v1"]
    groups = {group["name"]: group for group in cluster.get("/apis")["groups"]}
    preferred = groups["kueue.x-k8s.io"]["preferredVersion"]["groupVersion"]
    assert preferred == "kueue.x-k8s.io/v1beta2"
    assert cluster.get("/apis/kueue.x-k8s.io")["versions"][1]["version"] == "v1beta1"
    resources = cluster.get("/apis/kueue.x-k8s.io/v1beta1")["resources"]
    assert {"workloads", "workloads/status", "clusterqueues"} <= {
        each["name"] for each in resources
    }
    assert cluster.get("/version")["major"] == "1"


def test_a_quota_counts_objects(cluster: Cluster) -> None:
    cluster.create("/api/v1/namespaces", namespace("counted"))
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "objects"},
        "spec": {"hard": {"configmaps": "2", "count/jobs.batch": "1", "requests.cpu": "4"}},
    }
    path = "/api/v1/namespaces/counted"
    cluster.create(f"{path}/resourcequotas", quota)
    for name in ("one", "two"):
        cluster.create(f"{path}/configmaps", config_map(name))
    answer = cluster.call("POST", f"{path}/configmaps", config_map("three"))
    assert refused(answer) == (403, "Forbidden")
    assert answer[1]["message"] == (
        'configmaps "three" is forbidden: exceeded quota: objects, requested: configmaps=1, '
        "used: configmaps=2, limited: configmaps=2"
    )
    status = cluster.get(f"{path}/resourcequotas/objects")["status"]
    assert status == {
        "hard": {"configmaps": "2", "count/jobs.batch": "1"},
        "used": {"configmaps": "2", "count/jobs.batch": "0"},
    }
    cluster.call("DELETE", f"{path}/configmaps/one")
    cluster.create(f"{path}/configmaps", config_map("three"))
    assert cluster.apply(f"{path}/configmaps/three", config_map("three"), "x")[0] == 200


def test_a_body_too_large_is_refused_as_a_status(cluster: Cluster) -> None:
    answer = cluster.call("POST", MAPS, config_map("large", {"a": "x" * 3 * 1024 * 1024}))
    assert refused(answer) == (413, "RequestEntityTooLarge")


def test_a_list_over_all_namespaces_may_name_one(cluster: Cluster) -> None:
    cluster.create(MAPS, config_map("named"))
    assert cluster.names("/api/v1/configmaps", fieldSelector="metadata.name=named") == ["named"]


def test_secrets_are_encoded_as_they_are_written(cluster: Cluster) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "key"},
        "stringData": {"a": "b"},
    }
    created = cluster.create("/api/v1/namespaces/team-a/secrets", secret)
    assert created["data"] == {"a": "Yg=="}
    assert "stringData" not in created
    assert created["type"] == "Opaque"
