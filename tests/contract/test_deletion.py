"""Deletion: finalizers hold it, preconditions guard it, a namespace takes all with it."""

from tests.contract.support import eventually, refused
from tests.kubernetes_api import MERGE, Cluster, config_map

HELD = ["example.com/hold"]


def test_a_delete_tells_what_is_gone(cluster: Cluster, maps: str) -> None:
    created = cluster.create(maps, config_map("plain"))
    code, status = cluster.call("DELETE", f"{maps}/plain")
    assert code == 200
    assert status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "plain", "kind": "configmaps", "uid": created["metadata"]["uid"]},
    }
    code, status = cluster.call("DELETE", f"{maps}/plain")
    assert refused((code, status)) == (404, "NotFound")
    assert status["message"] == 'configmaps "plain" not found'


def test_finalizers_hold_a_deleted_object_until_they_are_gone(cluster: Cluster, maps: str) -> None:
    cluster.create(maps, config_map("held", finalizers=HELD))
    code, held = cluster.call("DELETE", f"{maps}/held")
    assert (code, held["kind"]) == (200, "ConfigMap")
    assert held["metadata"]["deletionTimestamp"]
    assert held["metadata"]["deletionGracePeriodSeconds"] == 0
    again = cluster.call("DELETE", f"{maps}/held")[1]
    assert again["metadata"]["deletionTimestamp"] == held["metadata"]["deletionTimestamp"]
    cluster.call("PATCH", f"{maps}/held", {"metadata": {"finalizers": None}}, MERGE)
    assert cluster.call("GET", f"{maps}/held")[0] == 404


def test_no_finalizer_is_added_to_what_goes(cluster: Cluster, maps: str) -> None:
    cluster.create(maps, config_map("going", finalizers=HELD))
    cluster.call("DELETE", f"{maps}/going")
    more = {"metadata": {"finalizers": [*HELD, "example.com/more"]}}
    answer = cluster.call("PATCH", f"{maps}/going", more, MERGE)
    assert refused(answer) == (422, "Invalid")
    assert "metadata.finalizers" in answer[1]["message"]
    cluster.call("PATCH", f"{maps}/going", {"metadata": {"finalizers": None}}, MERGE)


def test_a_delete_may_ask_for_one_very_object(cluster: Cluster, maps: str) -> None:
    created = cluster.create(maps, config_map("very"))
    other = {"preconditions": {"uid": "another"}}
    assert refused(cluster.call("DELETE", f"{maps}/very", other)) == (409, "Conflict")
    older = {"preconditions": {"resourceVersion": "1"}}
    assert refused(cluster.call("DELETE", f"{maps}/very", older)) == (409, "Conflict")
    own = {"preconditions": {"uid": created["metadata"]["uid"]}}
    assert cluster.call("DELETE", f"{maps}/very", own)[0] == 200


def test_a_delete_of_many_takes_what_the_selector_lets_through(cluster: Cluster, maps: str) -> None:
    for name in ("many-a", "many-b"):
        cluster.create(maps, config_map(name, labels={"go": name}))
    code, listed = cluster.call("DELETE", maps, labelSelector="go=many-a")
    assert (code, listed["kind"]) == (200, "ConfigMapList")
    assert cluster.names(maps, labelSelector="go") == ["many-b"]


def test_what_is_owned_goes_after_its_owner(cluster: Cluster, maps: str) -> None:
    owner = cluster.create(maps, config_map("owner"))
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
    }
    cluster.create(maps, config_map("owned", ownerReferences=[reference]))
    cluster.call("DELETE", f"{maps}/owner")
    eventually(lambda: cluster.call("GET", f"{maps}/owned")[0] == 404)


def test_what_is_owned_may_be_left_behind(cluster: Cluster, maps: str) -> None:
    owner = cluster.create(maps, config_map("gone"))
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "gone",
        "uid": owner["metadata"]["uid"],
    }
    cluster.create(maps, config_map("orphan", ownerReferences=[reference]))
    cluster.call("DELETE", f"{maps}/gone", {"propagationPolicy": "Orphan"})
    eventually(lambda: cluster.call("GET", f"{maps}/gone")[0] == 404)
    assert "ownerReferences" not in cluster.get(f"{maps}/orphan")["metadata"]


def test_a_namespace_takes_everything_with_it(cluster: Cluster, fresh: str) -> None:
    path = f"/api/v1/namespaces/{fresh}"
    cluster.create(f"{path}/configmaps", config_map("plain"))
    cluster.create(f"{path}/configmaps", config_map("held", finalizers=HELD))
    code, going = cluster.call("DELETE", path)
    assert (code, going["kind"], going["status"]["phase"]) == (200, "Namespace", "Terminating")
    answer = cluster.call("POST", f"{path}/configmaps", config_map("late"))
    assert refused(answer) == (403, "Forbidden")
    assert answer[1]["message"] == (
        f'configmaps "late" is forbidden: unable to create new content in namespace {fresh} '
        "because it is being terminated"
    )
    [cause] = answer[1]["details"]["causes"]
    assert cause["reason"] == "NamespaceTerminating"
    eventually(lambda: cluster.call("GET", f"{path}/configmaps/plain")[0] == 404)
    assert cluster.get(f"{path}/configmaps/held")["metadata"]["deletionTimestamp"]
    assert cluster.get(path)["status"]["phase"] == "Terminating"
    gone = {"metadata": {"finalizers": None}}
    cluster.call("PATCH", f"{path}/configmaps/held", gone, MERGE)
    eventually(lambda: cluster.call("GET", path)[0] == 404)
