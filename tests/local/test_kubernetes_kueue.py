"""Queues tell usage and borrowing as Kueue would; both of its versions read the same objects."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from local.kubernetes import play, quantities
from local.kubernetes.play import Task
from tests.kubernetes_api import KUEUE, MERGE, Cluster, namespace
from tests.local.kubernetes_process import Embedded, running

OLD = "/apis/kueue.x-k8s.io/v1beta1"
NINE = datetime(2026, 10, 2, 9, tzinfo=UTC)
P5 = "ml.p5.48xlarge"


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with running(tmp_path_factory.mktemp("kubernetes")) as started:
        flavor = {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ResourceFlavor",
            "metadata": {"name": P5},
        }
        started.create(f"{KUEUE}/resourceflavors", flavor)
        for team, devices in (("a", 16), ("b", 8)):
            name = f"hyperpod-ns-{team}"
            started.create("/api/v1/namespaces", namespace(name))
            started.create(f"{KUEUE}/clusterqueues", cluster_queue(name, devices))
            started.create(f"{KUEUE}/namespaces/{name}/localqueues", local_queue(name))
        yield started


def cluster_queue(team: str, devices: int, **spec: Any) -> dict[str, Any]:
    quotas = [
        {"name": "nvidia.com/gpu", "nominalQuota": devices, "borrowingLimit": 8},
        {"name": "memory", "nominalQuota": "4Ti"},
    ]
    group = {
        "coveredResources": ["nvidia.com/gpu", "memory"],
        "flavors": [{"name": P5, "resources": quotas}],
    }
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": f"{team}-clusterqueue"},
        "spec": {"cohortName": "shared-pool", "resourceGroups": [group], **spec},
    }


def local_queue(team: str) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": f"{team}-localqueue"},
        "spec": {"clusterQueue": f"{team}-clusterqueue"},
    }


def task(team: str, name: str, pods: int, devices: int = 8) -> Task:
    return Task(f"hyperpod-ns-{team}", name, P5, pods, devices)


@pytest.fixture
def player(cluster: Embedded) -> Any:
    return play.administrator(cluster.home, f"{cluster.root}/clusters/hp-eks")


def status_of(cluster: Cluster, team: str, version: str = KUEUE) -> dict[str, Any]:
    path = f"{version}/clusterqueues/hyperpod-ns-{team}-clusterqueue"
    status: dict[str, Any] = cluster.get(path)["status"]
    return status


def devices(status: dict[str, Any], table: str = "flavorsUsage") -> tuple[str, str]:
    [flavor] = status[table]
    assert flavor["name"] == P5
    found = {each["name"]: each for each in flavor["resources"]}["nvidia.com/gpu"]
    return found["total"], found["borrowed"]


def test_an_idle_queue_tells_zeros_and_that_it_is_active(cluster: Cluster) -> None:
    status = status_of(cluster, "a")
    assert devices(status) == ("0", "0")
    assert (status["pendingWorkloads"], status["admittedWorkloads"]) == (0, 0)
    [condition] = status["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == (
        "Active",
        "True",
        "Ready",
    )


def test_a_pending_task_waits(cluster: Cluster, player: Any) -> None:
    play.submit(player, task("a", "waits", 1))
    status = status_of(cluster, "a")
    assert (status["pendingWorkloads"], devices(status)) == (1, ("0", "0"))


def test_what_exceeds_the_own_quota_is_borrowed(cluster: Cluster, player: Any) -> None:
    play.admit(player, task("b", "own", 1), NINE)
    assert devices(status_of(cluster, "b")) == ("8", "0")
    play.admit(player, task("b", "more", 1, devices=4), NINE + timedelta(hours=1))
    status = status_of(cluster, "b")
    assert devices(status) == devices(status, "flavorsReservation") == ("12", "4")
    assert status["admittedWorkloads"] == status["reservingWorkloads"] == 2
    assert devices(status_of(cluster, "a")) == ("0", "0")
    memory = status["flavorsUsage"][0]["resources"][1]
    assert memory == {"name": "memory", "total": "3Ti", "borrowed": "0"}


def test_a_queue_without_a_cohort_borrows_nothing(cluster: Cluster, player: Any) -> None:
    path = f"{KUEUE}/clusterqueues/hyperpod-ns-b-clusterqueue"
    cluster.call("PATCH", path, {"spec": {"cohortName": None}}, MERGE)
    play.admit(player, task("b", "big", 2), NINE)
    assert devices(status_of(cluster, "b")) == ("16", "0")


def test_an_evicted_task_gives_back_and_waits_again(cluster: Cluster, player: Any) -> None:
    big = task("b", "big", 2)
    play.admit(player, big, NINE)
    workload = play.evict(player, big, NINE + timedelta(hours=2))
    status = status_of(cluster, "b")
    assert (devices(status), status["pendingWorkloads"]) == (("0", "0"), 1)
    conditions = {each["type"]: each for each in workload["status"]["conditions"]}
    assert conditions["Evicted"]["reason"] == "Preempted"
    assert conditions["Preempted"]["reason"] == "InCohortReclamation"
    assert conditions["Evicted"]["lastTransitionTime"] == "2026-10-02T11:00:00Z"
    assert "admission" not in workload["status"]


def test_a_task_admitted_again_is_no_longer_evicted(cluster: Cluster, player: Any) -> None:
    big = task("b", "big", 2)
    play.admit(player, big, NINE)
    play.evict(player, big, NINE + timedelta(hours=2))
    workload = play.admit(player, big, NINE + timedelta(hours=3))
    conditions = {each["type"]: each for each in workload["status"]["conditions"]}
    assert conditions["Admitted"]["lastTransitionTime"] == "2026-10-02T12:00:00Z"
    assert conditions["Evicted"]["status"] == "False"
    assert conditions["Evicted"]["message"].startswith("Previously: Preempted")
    assert devices(status_of(cluster, "b")) == ("16", "8")
    play.evict(player, big, NINE + timedelta(hours=4))
    again = play.admit(player, big, NINE + timedelta(hours=5))
    assert again["status"]["schedulingStats"]["evictions"][0]["count"] == 2


def test_a_finished_task_holds_nothing_and_can_vanish(cluster: Cluster, player: Any) -> None:
    short = task("a", "short", 2)
    play.admit(player, short, NINE)
    done = play.finish(player, short, NINE + timedelta(hours=1))
    assert done["status"]["admission"]["clusterQueue"] == "hyperpod-ns-a-clusterqueue"
    status = status_of(cluster, "a")
    assert (devices(status), status["pendingWorkloads"]) == (("0", "0"), 0)
    play.remove(player, short)
    assert cluster.names(f"{KUEUE}/workloads") == []


def test_a_condition_that_stays_keeps_its_time(cluster: Cluster, player: Any) -> None:
    short = task("a", "short", 1)
    play.admit(player, short, NINE)
    again = play.admit(player, short, NINE + timedelta(hours=1))
    times = {each["lastTransitionTime"] for each in again["status"]["conditions"]}
    assert times == {"2026-10-02T09:00:00Z"}


def test_a_workload_looks_as_kueue_makes_it(cluster: Cluster, player: Any) -> None:
    workload = play.admit(player, task("a", "llama", 2), NINE)
    meta, spec = workload["metadata"], workload["spec"]
    assert meta["name"].startswith("hyperpodpytorchjob-llama-")
    [owner] = meta["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("HyperPodPyTorchJob", "llama")
    assert meta["labels"]["kueue.x-k8s.io/job-uid"] == owner["uid"]
    assert spec["queueName"] == "hyperpod-ns-a-localqueue"
    [assignment] = workload["status"]["admission"]["podSetAssignments"]
    assert assignment["resourceUsage"]["nvidia.com/gpu"] == "16"
    assert assignment["flavors"]["nvidia.com/gpu"] == P5
    requests = spec["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"]
    assert requests["nvidia.com/gpu"] == "8"


def test_a_local_queue_tells_its_own_part(cluster: Cluster, player: Any) -> None:
    play.admit(player, task("a", "llama", 1), NINE)
    path = "namespaces/hyperpod-ns-a/localqueues/hyperpod-ns-a-localqueue"
    status = cluster.get(f"{KUEUE}/{path}")["status"]
    assert status["flavorsUsage"][0]["resources"][0] == {"name": "nvidia.com/gpu", "total": "8"}
    assert (status["admittedWorkloads"], status["pendingWorkloads"]) == (1, 0)
    older = cluster.get(f"{OLD}/{path}")["status"]
    assert older["flavorUsage"] == status["flavorsUsage"]
    assert "flavorsUsage" not in older


def test_the_older_version_names_cohort_and_priority_its_own_way(
    cluster: Cluster, player: Any
) -> None:
    play.admit(player, task("a", "llama", 1), NINE)
    queue = cluster.get(f"{OLD}/clusterqueues/hyperpod-ns-a-clusterqueue")
    assert queue["apiVersion"] == "kueue.x-k8s.io/v1beta1"
    assert (queue["spec"]["cohort"], "cohortName" in queue["spec"]) == ("shared-pool", False)
    [workload] = cluster.get(f"{OLD}/workloads")["items"]
    assert workload["spec"]["priorityClassName"] == "training-priority"
    assert workload["spec"]["priorityClassSource"] == "kueue.x-k8s.io/workloadpriorityclass"
    assert "priorityClassRef" not in workload["spec"]


def test_what_is_written_in_the_older_version_reads_in_the_newer(cluster: Cluster) -> None:
    path = "/namespaces/hyperpod-ns-a/workloads"
    body = {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "Workload",
        "metadata": {"name": "old"},
        "spec": {
            "queueName": "q",
            "priorityClassName": "high",
            "priorityClassSource": "scheduling.k8s.io/priorityclass",
        },
    }
    assert cluster.apply(f"{OLD}{path}/old", body, "test")[0] == 201
    reference = {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "high"}
    assert cluster.get(f"{KUEUE}{path}/old")["spec"]["priorityClassRef"] == reference
    patch = {"spec": {"priorityClassName": "low"}}
    assert cluster.call("PATCH", f"{OLD}{path}/old", patch, MERGE)[0] == 200
    assert cluster.get(f"{KUEUE}{path}/old")["spec"]["priorityClassRef"]["name"] == "low"
    wrong = {**body, "apiVersion": "kueue.x-k8s.io/v1beta2"}
    assert cluster.apply(f"{OLD}{path}/old", wrong, "test")[0] == 400
    [(_, seen)] = cluster.watch(f"{OLD}{path}", 1)
    assert seen["spec"]["priorityClassName"] == "low"


def test_a_queue_that_cannot_admit_says_why(cluster: Cluster) -> None:
    cluster.call("DELETE", f"{KUEUE}/resourceflavors/{P5}")
    assert status_of(cluster, "a")["conditions"][0]["reason"] == "FlavorNotFound"
    path = f"{KUEUE}/clusterqueues/hyperpod-ns-a-clusterqueue"
    cluster.call("PATCH", path, {"spec": {"stopPolicy": "Hold"}}, MERGE)
    assert status_of(cluster, "a")["conditions"][0]["reason"] == "Stopped"
    local = f"{KUEUE}/namespaces/hyperpod-ns-a/localqueues/hyperpod-ns-a-localqueue"
    condition = cluster.get(local)["status"]["conditions"][0]
    assert (condition["status"], condition["reason"]) == ("False", "ClusterQueueIsInactive")


def test_a_queue_in_use_is_kept_until_it_is_free(cluster: Cluster, player: Any) -> None:
    path = f"{KUEUE}/clusterqueues/hyperpod-ns-a-clusterqueue"
    play.admit(player, task("a", "llama", 1), NINE)
    assert cluster.get(path)["metadata"]["finalizers"] == ["kueue.x-k8s.io/resource-in-use"]
    assert cluster.call("DELETE", path)[0] == 200
    assert cluster.get(path)["metadata"]["deletionTimestamp"]
    play.finish(player, task("a", "llama", 1), NINE + timedelta(hours=1))
    assert cluster.call("GET", path)[0] == 404


def test_a_queue_that_is_free_goes_at_once(cluster: Cluster) -> None:
    path = f"{KUEUE}/clusterqueues/hyperpod-ns-a-clusterqueue"
    cluster.call("DELETE", path)
    assert cluster.call("GET", path)[0] == 404


def test_usage_only_changes_the_queues_when_it_changed(cluster: Cluster, player: Any) -> None:
    play.admit(player, task("a", "llama", 1), NINE)
    path = f"{KUEUE}/clusterqueues/hyperpod-ns-a-clusterqueue"
    before = cluster.get(path)
    play.submit(player, task("b", "other", 1))
    assert cluster.get(path) == before
    assert before["metadata"]["generation"] == 1


@pytest.mark.parametrize(
    "spec",
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
def test_a_queue_that_cannot_be_read_is_invalid(cluster: Cluster, spec: Any) -> None:
    body = cluster_queue("bad", 1, **spec)
    code, status = cluster.call("POST", f"{KUEUE}/clusterqueues", body)
    assert (code, status["reason"]) == (422, "Invalid")


@pytest.mark.parametrize(
    ("text", "value", "resource", "canonical"),
    [
        ("184", 184, "cpu", "184"),
        ("1500m", Decimal("1.5"), "cpu", "1500m"),
        ("2000", 2000, "nvidia.com/gpu", "2k"),
        ("2000Gi", 2000 * 2**30, "memory", "2000Gi"),
        ("2048Gi", 2 * 2**40, "memory", "2Ti"),
        ("1e3", 1000, "cpu", "1k"),
        (0, 0, "memory", "0"),
    ],
)
def test_quantities_are_read_exactly_and_written_canonically(
    text: str | int, value: Decimal, resource: str, canonical: str
) -> None:
    assert quantities.parse(text) == value
    assert quantities.write(Decimal(value), resource) == canonical


def test_what_is_no_quantity_is_refused() -> None:
    for text in ("", "Gi", "1X", "1 Gi", "ten", "1.2.3", ".", "1e999"):
        with pytest.raises(ValueError, match="quantities"):
            quantities.parse(text)
