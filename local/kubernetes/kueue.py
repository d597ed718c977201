"""Status of ClusterQueues and LocalQueues, written as Kueue's controllers would.

Kueue counts a Workload while its QuotaReserved condition is true and it is not finished; an
eviction counts from the moment the reservation is given back.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from local.kubernetes import apply, objects, quantities
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

type Usage = dict[tuple[str, str], Decimal]
"""Used amounts by flavor and resource."""


def is_true(workload: Document, condition: str) -> bool:
    """Whether the Workload's condition of that type is true."""
    conditions = workload.get("status", {}).get("conditions") or []
    return any(each["type"] == condition and each["status"] == "True" for each in conditions)


def _finished(workload: Document) -> bool:
    return is_true(workload, "Finished")


def _reserves(workload: Document) -> bool:
    return (
        is_true(workload, "QuotaReserved")
        and bool(workload["status"].get("admission"))
        and not _finished(workload)
    )


def _usage(workloads: Iterable[Document]) -> Usage:
    used: Usage = {}
    for workload in workloads:
        for assignment in workload["status"]["admission"]["podSetAssignments"]:
            amounts = assignment.get("resourceUsage") or {}
            for resource, flavor in (assignment.get("flavors") or {}).items():
                amount = quantities.parse(amounts.get(resource, "0"))
                used[flavor, resource] = used.get((flavor, resource), Decimal(0)) + amount
    return used


def _flavors(spec: Document) -> Iterable[tuple[str, list[tuple[str, Decimal]]]]:
    """Each flavor of a ClusterQueue with its resources and their nominal quotas."""
    for group in spec.get("resourceGroups") or []:
        for flavor in group["flavors"]:
            quotas = [
                (resource["name"], quantities.parse(resource["nominalQuota"]))
                for resource in flavor["resources"]
            ]
            yield flavor["name"], quotas


def _table(spec: Document, used: Usage, borrowing: bool | None) -> list[Document]:
    """Usage by flavor; with `borrowed` unless `borrowing` is None (a LocalQueue's table)."""
    table = []
    for flavor, quotas in _flavors(spec):
        resources = []
        for resource, nominal in quotas:
            total = used.get((flavor, resource), Decimal(0))
            entry = {"name": resource, "total": quantities.write(total, resource)}
            if borrowing is not None:
                borrowed = max(Decimal(0), total - nominal) if borrowing else Decimal(0)
                entry["borrowed"] = quantities.write(borrowed, resource)
            resources.append(entry)
        table.append({"name": flavor, "resources": resources})
    return table


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
            if _reserves(workload) and workload["status"]["admission"]["clusterQueue"] == name
        ]
        admitted = [workload for workload in reserving if is_true(workload, "Admitted")]
        pending = sum(
            _pending(workload)
            for local in self._store.all(LOCAL_QUEUES)
            if local.get("spec", {}).get("clusterQueue") == name
            for workload in self._waiting_in(local)
        )
        borrowing = bool(spec.get("cohortName"))
        return {
            "conditions": self._conditions(queue, self._cluster_active(queue)),
            "flavorsReservation": _table(spec, _usage(reserving), borrowing),
            "flavorsUsage": _table(spec, _usage(admitted), borrowing),
            "pendingWorkloads": pending,
            "reservingWorkloads": len(reserving),
            "admittedWorkloads": len(admitted),
        }

    def _local_status(self, queue: Document) -> Document:
        target = queue.get("spec", {}).get("clusterQueue", "")
        cluster = self._store.get(CLUSTER_QUEUES, "", target)
        spec = (cluster or {}).get("spec", {})
        own = self._waiting_in(queue)
        reserving = [workload for workload in own if _reserves(workload)]
        admitted = [workload for workload in reserving if is_true(workload, "Admitted")]
        return {
            "conditions": self._conditions(queue, self._local_active(queue, cluster)),
            "flavorsReservation": _table(spec, _usage(reserving), None),
            "flavorsUsage": _table(spec, _usage(admitted), None),
            "pendingWorkloads": sum(_pending(workload) for workload in own),
            "reservingWorkloads": len(reserving),
            "admittedWorkloads": len(admitted),
        }

    def _cluster_active(self, queue: Document) -> _Active:
        spec = queue.get("spec", {})
        if spec.get("stopPolicy", "None") != "None":
            return _Active("False", "Stopped", "Can't admit new workloads: is stopped.")
        wanted = [flavor for flavor, _ in _flavors(spec)]
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


def _pending(workload: Document) -> bool:
    active = workload.get("spec", {}).get("active", True)
    return active and not _reserves(workload) and not _finished(workload)
