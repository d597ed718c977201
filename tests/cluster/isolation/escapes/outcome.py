"""Attempts that the server takes in, and that come to nothing: what becomes of each."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.company import AMBER, COBALT
from tests.cluster.isolation.escapes.attempt import KUEUE, MERGE, at, thing
from tests.cluster.isolation.escapes.tasks import LITTLE, MUCH, QUEUE, job, pod
from tests.kubernetes_api import Cluster

_PATIENCE = 30
_JOBS, _PODS, _MAPS = at(AMBER, "jobs.batch/v1"), at(AMBER, "pods"), at(AMBER, "configmaps")
_CLAIMS, _VOLUMES = "persistentvolumeclaims", "/api/v1/persistentvolumes"
_VOLUME = {
    "capacity": {"storage": "1Gi"},
    "accessModes": ["ReadWriteMany"],
    "persistentVolumeReclaimPolicy": "Retain",
    "storageClassName": "none",
    "csi": {"driver": "fsx.csi.aws.com", "volumeHandle": "fs-of-cobalt"},
}


class Outcome(NamedTuple):
    """`what` completes "can somebody ..."; `try_` makes it for real and tells what came of it."""

    id: str
    what: str
    try_: Callable[[Cluster, Cluster], str]
    """Member and administrator in, out a sentence that starts as `begins`."""
    begins: str


def other_queue(member: Cluster, administrator: Cluster) -> str:
    task = job(labels={"kueue.x-k8s.io/queue-name": f"{COBALT}-localqueue"})
    with _made(member, _JOBS, task):
        return _waits(administrator, "job-escape-")


def bigger_later(member: Cluster, administrator: Cluster) -> str:
    """Two pods of a group that may start before all are there; the queue sees the small one."""
    labels = {**QUEUE, "kueue.x-k8s.io/pod-group-name": "escape-group"}
    notes = {"pod-group-total-count": "2", "pod-group-fast-admission": "true"}
    metadata = {"annotations": {f"kueue.x-k8s.io/{key}": value for key, value in notes.items()}}
    first, second = (
        _named(name, pod({"resources": asked}, labels=labels, metadata=metadata))
        for name, asked in (("escape-first", LITTLE), ("escape-bigger", MUCH))
    )
    with _made(member, _PODS, first), _made(member, _PODS, second):
        came = _gated(administrator, "escape-bigger")
    for each in (first, second):  # Kueue keeps the pods of a group until all have ended
        path = f"{_PODS}/{each['metadata']['name']}"
        administrator.call("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
    return came


def other_scheduler(member: Cluster, administrator: Cluster) -> str:
    made = _named("escape-scheduler", pod({"resources": MUCH}, schedulerName="mine"))
    with _made(member, _PODS, made):
        return _gated(administrator, "escape-scheduler")


def others_volume(member: Cluster, administrator: Cluster) -> str:
    theirs = thing("v1", "PersistentVolumeClaim", "theirs", spec=_claim("of-cobalt"))
    reference = {"namespace": COBALT, "name": "theirs"}
    volume = thing("v1", "PersistentVolume", "of-cobalt", spec={**_VOLUME, "claimRef": reference})
    mine = thing("v1", "PersistentVolumeClaim", "escape", spec=_claim("of-cobalt"))
    with (
        _made(administrator, _VOLUMES, volume),
        _made(administrator, at(COBALT, _CLAIMS), theirs),
    ):
        _until(lambda: _phase(administrator, at(COBALT, _CLAIMS, "theirs")) == "Bound")
        with _made(member, at(AMBER, _CLAIMS), mine):
            time.sleep(2)  # the controller has looked at it by then
            found = _phase(administrator, at(AMBER, _CLAIMS, "escape"))
            return f"the claim is {found}, the volume stays the other team's"


def owner_next_door(member: Cluster, administrator: Cluster) -> str:
    """An object owned by one that is not in its namespace is taken for an orphan."""
    theirs = administrator.get(at(COBALT, "configmaps", "notes"))["metadata"]
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "notes", "uid": theirs["uid"]}
    with _made(member, _MAPS, thing("v1", "ConfigMap", ownerReferences=[owner])):
        _until(lambda: administrator.call("GET", f"{_MAPS}/escape")[0] == 404)
    administrator.get(at(COBALT, "configmaps", "notes"))
    return "their own object is deleted as an orphan, the one next door stays"


def more_pods(member: Cluster, administrator: Cluster) -> str:
    """More pods for a task that the queue has admitted with one."""
    task = _named("escape-more", job(container={"resources": LITTLE}))
    task["spec"]["parallelism"] = 1
    with _made(member, _JOBS, task):
        path = f"{_JOBS}/escape-more"
        _until(lambda: not administrator.get(path)["spec"]["suspend"])
        more = {"spec": {"parallelism": 500}}
        status, answer = member.call("PATCH", path, more, MERGE)
        if status >= 400:
            return str(answer["message"])
        _until(lambda: administrator.get(path)["spec"]["suspend"])
        return "the task is suspended and waits for the queue to admit all of it"


OUTCOMES = (
    Outcome("others-queue", "name another team's queue", other_queue, "waits: "),
    Outcome(
        "bigger-later",
        "have a group of pods admitted by a small one, and let a big one follow",
        bigger_later,
        "the pod stays gated",
    ),
    Outcome(
        "other-scheduler", "name a scheduler of their own", other_scheduler, "the pod stays gated"
    ),
    Outcome(
        "others-volume",
        "claim another team's volume by its name",
        others_volume,
        "the claim is Pending",
    ),
    Outcome(
        "owner-next-door",
        "own an object next door's by an owner reference across namespaces",
        owner_next_door,
        "their own object is deleted",
    ),
    Outcome(
        "more-pods",
        "let a running task have more pods than were admitted",
        more_pods,
        "the task is suspended",
    ),
)


def came_of(outcome: Outcome, callers: Callers) -> str:
    """What the server, Kueue and the controllers made of it."""
    return outcome.try_(callers["amber member"], callers.administrator)


def _named(name: str, document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "metadata": {**document["metadata"], "name": name}}


def _claim(volume: str) -> dict[str, Any]:
    return {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "none",
        "volumeName": volume,
    }


@contextmanager
def _made(caller: Cluster, path: str, document: dict[str, Any]) -> Iterator[None]:
    """Really there, and gone afterwards."""
    caller.create(path, document)
    try:
        yield
    finally:
        name = document["metadata"]["name"]
        caller.call("DELETE", f"{path}/{name}", propagationPolicy="Background")


def _until(look: Callable[[], Any]) -> Any:
    until = time.monotonic() + _PATIENCE
    while not (found := look()):
        assert time.monotonic() < until, "nothing came of it"
        time.sleep(0.2)
    return found


def _waits(administrator: Cluster, workload: str) -> str:
    """Why Kueue does not admit the Workload whose name begins so."""

    def told() -> str:
        for each in administrator.get(at(AMBER, f"workloads.{KUEUE}"))["items"]:
            if each["metadata"]["name"].startswith(workload):
                for condition in each.get("status", {}).get("conditions", []):
                    if condition["type"] == "QuotaReserved" and condition["status"] == "False":
                        return f"waits: {condition['message']}"
        return ""

    return str(_until(told))


def _gated(administrator: Cluster, name: str) -> str:
    time.sleep(2)  # Kueue has looked at it by then
    found = administrator.get(f"{_PODS}/{name}")
    gates = [gate["name"] for gate in found["spec"].get("schedulingGates", [])]
    placed = found["spec"].get("nodeName")
    return f"the pod stays gated by {', '.join(gates)}" if gates and not placed else "the pod runs"


def _phase(administrator: Cluster, path: str) -> str:
    return str(administrator.get(path).get("status", {}).get("phase"))
