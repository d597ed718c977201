"""Kueue's queues: both served versions, what they get by default, and what they say of themselves.

Nothing runs here: how tasks are admitted is what the embedded cluster plays and the real one does.
"""

import uuid
from typing import Any

import pytest

from tests.contract.support import eventually, refused
from tests.kubernetes_api import KUEUE, MERGE, Cluster

OLD = "/apis/kueue.x-k8s.io/v1beta1"
TABLES = ("flavorsUsage", "flavorsReservation")


@pytest.fixture
def flavor(cluster: Cluster) -> str:
    name = f"flavor-{uuid.uuid4().hex[:8]}"
    cluster.create(f"{KUEUE}/resourceflavors", document("ResourceFlavor", name, {}))
    return name


@pytest.fixture
def queue(cluster: Cluster, flavor: str) -> str:
    """A ClusterQueue in a cohort."""
    name = f"queue-{uuid.uuid4().hex[:8]}"
    cluster.create(f"{KUEUE}/clusterqueues", document("ClusterQueue", name, spec(flavor)))
    return name


def document(kind: str, name: str, content: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": kind,
        "metadata": {"name": name},
        "spec": content,
    }


def spec(flavor: str, **more: Any) -> dict[str, Any]:
    gpus = {"name": "nvidia.com/gpu", "nominalQuota": 16, "borrowingLimit": 8}
    group = {"coveredResources": [gpus["name"]], "flavors": [{"name": flavor, "resources": [gpus]}]}
    return {
        "cohortName": "contract",
        "namespaceSelector": {},
        "resourceGroups": [group],
        **more,
    }


def active(cluster: Cluster, path: str, status: str, reason: str) -> dict[str, Any]:
    """The object, as soon as its Active condition says that."""

    def look() -> dict[str, Any] | None:
        found = cluster.get(path)
        conditions = (found.get("status") or {}).get("conditions") or []
        told = [(c["status"], c["reason"]) for c in conditions if c["type"] == "Active"]
        return found if told == [(status, reason)] else None

    answer: dict[str, Any] = eventually(look)
    return answer


def test_an_idle_queue_tells_zeros_and_that_it_is_active(
    cluster: Cluster, queue: str, flavor: str
) -> None:
    status = active(cluster, f"{KUEUE}/clusterqueues/{queue}", "True", "Ready")["status"]
    zero = {"name": "nvidia.com/gpu", "total": "0", "borrowed": "0"}
    for table in TABLES:
        assert status[table] == [{"name": flavor, "resources": [zero]}]
    counts = ("pendingWorkloads", "reservingWorkloads", "admittedWorkloads")
    assert [status.get(count, 0) for count in counts] == [0, 0, 0]
    [condition] = status["conditions"]
    assert condition["message"] == "Can admit new workloads"
    assert condition["lastTransitionTime"].endswith("Z")


def test_a_queue_gets_what_it_does_not_say_by_default(cluster: Cluster, queue: str) -> None:
    made = cluster.get(f"{KUEUE}/clusterqueues/{queue}")["spec"]
    assert (made["queueingStrategy"], made["stopPolicy"]) == ("BestEffortFIFO", "None")
    assert made["preemption"] == {
        "borrowWithinCohort": {"policy": "Never"},
        "reclaimWithinCohort": "Never",
        "withinClusterQueue": "Never",
    }
    assert made["flavorFungibility"] == {
        "whenCanBorrow": "MayStopSearch",
        "whenCanPreempt": "TryNextFlavor",
    }


def test_the_older_version_names_the_cohort_its_own_way(cluster: Cluster, queue: str) -> None:
    older = cluster.get(f"{OLD}/clusterqueues/{queue}")
    assert older["apiVersion"] == "kueue.x-k8s.io/v1beta1"
    assert (older["spec"]["cohort"], "cohortName" in older["spec"]) == ("contract", False)


def test_what_is_written_in_the_older_version_reads_in_the_newer(
    cluster: Cluster, fresh: str
) -> None:
    place = f"/namespaces/{fresh}/localqueues"
    body = document("LocalQueue", "old", {"clusterQueue": "nowhere", "stopPolicy": "Hold"})
    older = {**body, "apiVersion": "kueue.x-k8s.io/v1beta1"}
    assert cluster.apply(f"{OLD}{place}/old", older, "test")[0] == 201
    newer = cluster.get(f"{KUEUE}{place}/old")
    assert newer["apiVersion"] == "kueue.x-k8s.io/v1beta2"
    assert newer["spec"] == {"clusterQueue": "nowhere", "stopPolicy": "Hold"}
    [(_, seen)] = cluster.watch(f"{OLD}{place}", 1)
    assert seen["apiVersion"] == "kueue.x-k8s.io/v1beta1"
    wrong = cluster.apply(f"{OLD}{place}/old", body, "test")
    assert refused(wrong)[0] in {400, 404, 415, 422}


def test_a_queue_that_cannot_admit_says_why(cluster: Cluster, queue: str) -> None:
    path = f"{KUEUE}/clusterqueues/{queue}"
    active(cluster, path, "True", "Ready")
    cluster.call("PATCH", path, {"spec": {"stopPolicy": "Hold"}}, MERGE)
    active(cluster, path, "False", "Stopped")
    cluster.call("PATCH", path, {"spec": {"stopPolicy": "None"}}, MERGE)
    active(cluster, path, "True", "Ready")


def test_a_queue_whose_flavor_is_missing_says_so(cluster: Cluster) -> None:
    name = f"queue-{uuid.uuid4().hex[:8]}"
    cluster.create(f"{KUEUE}/clusterqueues", document("ClusterQueue", name, spec("no-such")))
    active(cluster, f"{KUEUE}/clusterqueues/{name}", "False", "FlavorNotFound")


def test_a_local_queue_tells_whether_it_leads_anywhere(
    cluster: Cluster, queue: str, fresh: str
) -> None:
    place = f"{KUEUE}/namespaces/{fresh}/localqueues"
    for name, target in (("leads", queue), ("leads-nowhere", "no-such-queue")):
        cluster.create(place, document("LocalQueue", name, {"clusterQueue": target}))
    active(cluster, f"{place}/leads", "True", "Ready")
    active(cluster, f"{place}/leads-nowhere", "False", "ClusterQueueDoesNotExist")
    held = {"spec": {"stopPolicy": "Hold"}}
    cluster.call("PATCH", f"{place}/leads", held, MERGE)
    active(cluster, f"{place}/leads", "False", "Stopped")


def test_a_local_queue_stays_with_its_cluster_queue(
    cluster: Cluster, queue: str, fresh: str
) -> None:
    place = f"{KUEUE}/namespaces/{fresh}/localqueues"
    cluster.create(place, document("LocalQueue", "stays", {"clusterQueue": queue}))
    moved = {"spec": {"clusterQueue": "another"}}
    answer = cluster.call("PATCH", f"{place}/stays", moved, MERGE)
    assert refused(answer) == (422, "Invalid")
    assert "field is immutable" in answer[1]["message"]


def test_a_queue_that_is_free_goes(cluster: Cluster, queue: str) -> None:
    path = f"{KUEUE}/clusterqueues/{queue}"
    active(cluster, path, "True", "Ready")
    finalizers = cluster.get(path)["metadata"]["finalizers"]
    assert finalizers == ["kueue.x-k8s.io/resource-in-use"]
    cluster.call("DELETE", path)
    eventually(lambda: cluster.call("GET", path)[0] == 404)


@pytest.mark.parametrize(
    "change",
    [
        {"resourceGroups": [{"coveredResources": ["x"], "flavors": [{"name": "f"}]}]},
        {"stopPolicy": "Sometimes"},
        {
            "resourceGroups": [
                {
                    "coveredResources": ["x"],
                    "flavors": [
                        {"name": "f", "resources": [{"name": "x", "nominalQuota": "many"}]}
                    ],
                }
            ]
        },
    ],
)
def test_a_queue_that_cannot_be_read_is_refused(cluster: Cluster, change: Any) -> None:
    body = document("ClusterQueue", "bad", spec("f", **change))
    code, status = cluster.call("POST", f"{KUEUE}/clusterqueues", body)
    assert code in {400, 403, 422}, status


def test_the_status_of_a_queue_is_written_by_its_own_path_only(
    cluster: Cluster, queue: str
) -> None:
    path = f"{KUEUE}/clusterqueues/{queue}"
    before = active(cluster, path, "True", "Ready")["status"]["conditions"]
    cluster.call("PATCH", path, {"status": {"conditions": []}}, MERGE)
    assert cluster.get(path)["status"]["conditions"] == before
