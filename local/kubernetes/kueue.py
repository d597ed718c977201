"""Status of ClusterQueues and LocalQueues, written as Kueue's controllers would."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from local.kubernetes import apply, kueue_usage, objects
from local.kubernetes.kinds import Kind, named
from local.kubernetes.objects import Document, copy
from local.kubernetes.ownership import Manager
from local.kubernetes.store import Change, Store

GROUP = "kueue.x-k8s.io"
WORKLOADS, CLUSTER_QUEUES, LOCAL_QUEUES, FLAVORS = (
    named(plural, GROUP)
    for plural in ("workloads", "clusterqueues", "localqueues", "resourceflavors")
)
FINALIZER = "kueue.x-k8s.io/resource-in-use"
_WRITER = Manager("kueue", "Update", f"{GROUP}/v1beta2", "status")


@dataclass(frozen=True)
class _Active:
    """The Active condition of a queue."""

    status: str
    reason: str
    message: str


class QueueController:
    """Observer of a store that keeps the queues' statuses in step with the Workloads."""

    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self._store = store
        self._now = now

    def observe(self, change: Change) -> None:
        """Recompute what a change of a Kueue object can affect."""
        if change.kind.group != GROUP:
            return
        for queue in self._store.all(LOCAL_QUEUES):
            self._write_status(LOCAL_QUEUES, queue, self._local_status(queue))
        for queue in self._store.all(CLUSTER_QUEUES):
            self._settle_cluster_queue(queue)

    def _settle_cluster_queue(self, queue: Document) -> None:
        meta = queue["metadata"]
        held = FINALIZER in (meta.get("finalizers") or [])
        status = self._cluster_status(queue)
        if "deletionTimestamp" in meta:
            if held and not status["reservingWorkloads"]:
                self._release(queue)
            return
        if not held:
            queue = copy(queue)
            queue["metadata"].setdefault("finalizers", []).append(FINALIZER)
        self._write_status(CLUSTER_QUEUES, queue, status)

    def _release(self, queue: Document) -> None:
        left = copy(queue)
        left["metadata"]["finalizers"].remove(FINALIZER)
        if left["metadata"]["finalizers"]:
            self._store.put(CLUSTER_QUEUES, left)
        else:
            self._store.remove(CLUSTER_QUEUES, left)

    def _write_status(self, kind: Kind, queue: Document, status: Document) -> None:
        meta = queue["metadata"]
        stored = self._store.get(kind, meta.get("namespace", ""), meta["name"])
        if stored is None or (stored.get("status") == status and stored == queue):
            return
        after = {**copy(queue), "status": status}
        time = objects.timestamp(self._now())
        after["metadata"]["managedFields"] = apply.track_update(kind, _WRITER, time, stored, after)
        self._store.put(kind, after)

    def _waiting_in(self, queue: Document) -> list[Document]:
        meta = queue["metadata"]
        return [
            workload
            for workload in self._store.all(WORKLOADS, meta["namespace"])
            if workload.get("spec", {}).get("queueName") == meta["name"]
        ]

    def _cluster_status(self, queue: Document) -> Document:
        name, spec = objects.name_of(queue), queue.get("spec", {})
        reserving = [
            workload
            for workload in self._store.all(WORKLOADS)
            if kueue_usage.reserves(workload)
            and workload["status"]["admission"]["clusterQueue"] == name
        ]
        admitted = [workload for workload in reserving if kueue_usage.is_true(workload, "Admitted")]
        pending = sum(
            kueue_usage.is_pending(workload)
            for local in self._store.all(LOCAL_QUEUES)
            if local.get("spec", {}).get("clusterQueue") == name
            for workload in self._waiting_in(local)
        )
        borrowing = bool(spec.get("cohortName"))
        return {
            "conditions": self._conditions(queue, self._cluster_active(queue)),
            "flavorsReservation": kueue_usage.table(spec, kueue_usage.used(reserving), borrowing),
            "flavorsUsage": kueue_usage.table(spec, kueue_usage.used(admitted), borrowing),
            "pendingWorkloads": pending,
            "reservingWorkloads": len(reserving),
            "admittedWorkloads": len(admitted),
        }

    def _local_status(self, queue: Document) -> Document:
        target = queue.get("spec", {}).get("clusterQueue", "")
        cluster = self._store.get(CLUSTER_QUEUES, "", target)
        spec = (cluster or {}).get("spec", {})
        own = self._waiting_in(queue)
        reserving = [workload for workload in own if kueue_usage.reserves(workload)]
        admitted = [workload for workload in reserving if kueue_usage.is_true(workload, "Admitted")]
        return {
            "conditions": self._conditions(queue, self._local_active(queue, cluster)),
            "flavorsReservation": kueue_usage.table(spec, kueue_usage.used(reserving), None),
            "flavorsUsage": kueue_usage.table(spec, kueue_usage.used(admitted), None),
            "pendingWorkloads": sum(kueue_usage.is_pending(workload) for workload in own),
            "reservingWorkloads": len(reserving),
            "admittedWorkloads": len(admitted),
        }

    def _cluster_active(self, queue: Document) -> _Active:
        spec = queue.get("spec", {})
        if spec.get("stopPolicy", "None") != "None":
            return _Active("False", "Stopped", "Can't admit new workloads: is stopped.")
        wanted = [flavor for flavor, _ in kueue_usage.flavors(spec)]
        missing = [flavor for flavor in wanted if not self._store.get(FLAVORS, "", flavor)]
        if missing:
            problem = f"references missing ResourceFlavor(s): {','.join(missing)}."
            return _Active("False", "FlavorNotFound", f"Can't admit new workloads: {problem}")
        return _Active("True", "Ready", "Can admit new workloads")

    def _local_active(self, queue: Document, cluster: Document | None) -> _Active:
        if queue.get("spec", {}).get("stopPolicy", "None") != "None":
            return _Active("False", "Stopped", "LocalQueue is stopped")
        problem = "Can't submit new workloads to clusterQueue"
        if cluster is None:
            return _Active("False", "ClusterQueueDoesNotExist", problem)
        if self._cluster_active(cluster).status == "False":
            return _Active("False", "ClusterQueueIsInactive", problem)
        return _Active("True", "Ready", "Can submit new workloads to localQueue")

    def _conditions(self, queue: Document, active: _Active) -> list[dict[str, Any]]:
        before = (queue.get("status", {}).get("conditions") or [{}])[0]
        same = before.get("status") == active.status
        return [
            {
                "type": "Active",
                "status": active.status,
                "reason": active.reason,
                "message": active.message,
                "lastTransitionTime": before["lastTransitionTime"]
                if same
                else objects.timestamp(self._now()),
                "observedGeneration": queue["metadata"]["generation"],
            }
        ]
