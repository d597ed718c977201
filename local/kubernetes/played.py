"""What Kueue writes about a played task: documents only, no calls."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from commons.domain import instance_types
from local.kubernetes.objects import Document, timestamp
from local.kubernetes.quantities import write

if TYPE_CHECKING:
    from local.kubernetes.play import Task

_QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
_PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
_POD_SET = "pods"


def owner(task: Task, api_version: str) -> Document:
    """The object that asked for the task."""
    labels = {_QUEUE_LABEL: task.queue}
    if task.priority_class:
        labels[_PRIORITY_LABEL] = task.priority_class
    meta = {"name": task.name, "namespace": task.namespace, "labels": labels}
    return {"apiVersion": api_version, "kind": task.owner_kind, "metadata": meta}


def job(task: Task) -> Document:
    """A Job as a person submits it: suspended until Kueue admits it.

    Its pods end when they are told to; a pod whose machine fails is made again elsewhere.
    """
    lost = {"type": "DisruptionTarget", "status": "True"}
    failed = {"operator": "NotIn", "values": [0]}
    return {
        **owner(task, "batch/v1"),
        "spec": {
            "suspend": True,
            "parallelism": task.pods,
            "completions": task.pods,
            "podFailurePolicy": {
                "rules": [
                    {"action": "Ignore", "onPodConditions": [lost]},
                    {"action": "FailJob", "onExitCodes": failed},
                ]
            },
            "template": _template(task),
        },
    }


def workload(task: Task, owned_by: Document, priority: int | None = None) -> Document:
    """The Workload that Kueue makes of its owner."""
    reference = {
        "apiVersion": owned_by["apiVersion"],
        "kind": task.owner_kind,
        "name": task.name,
        "uid": owned_by["metadata"]["uid"],
        "controller": True,
    }
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {
            "name": task.workload,
            "namespace": task.namespace,
            "labels": {"kueue.x-k8s.io/job-uid": owned_by["metadata"]["uid"]},
            "ownerReferences": [reference],
        },
        "spec": {
            "queueName": task.queue,
            "active": True,
            "podSets": [_pod_set(task)],
            **_importance(task, priority),
        },
    }


def _importance(task: Task, priority: int | None) -> Document:
    found: Document = {} if priority is None else {"priority": priority}
    if task.priority_class:
        kind = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass"}
        found["priorityClassRef"] = {**kind, "name": task.priority_class}
    return found


def _pod_set(task: Task) -> Document:
    return {"name": _POD_SET, "count": task.pods, "template": _template(task)}


def _template(task: Task) -> Document:
    asked = {resource: write(amount, resource) for resource, amount in _requests(task, 1).items()}
    resources = {"requests": asked, "limits": _devices(asked)}
    container = {"name": "main", "image": "train", "resources": resources}
    return {"spec": {"containers": [container], "restartPolicy": "Never"}}


def _devices(asked: dict[str, str]) -> dict[str, str]:
    """What cannot be overcommitted, so Kubernetes wants it as a limit as well."""
    return {name: amount for name, amount in asked.items() if name not in ("cpu", "memory")}


def _requests(task: Task, pods: int) -> dict[str, Decimal]:
    """Devices, and of vCPUs and memory the same share of the node; raises ValueError."""
    kind = instance_types.find(task.instance_type)
    if kind is None:
        raise ValueError(f"no figures are known for {task.instance_type}")
    devices = Decimal(task.devices_per_pod * pods)
    share = devices / kind.devices
    return {
        "cpu": Decimal(int(share * kind.vcpu)),
        "memory": Decimal(int(share * kind.memory_gib * 1024) * 1024**2),
        kind.resource: devices,
    }


def admitted(before: Document, task: Task, at: datetime) -> Document:
    """Quota reserved and admitted at once, all on the flavor of the instance type."""
    usage = _requests(task, task.pods)
    assignment = {
        "name": _POD_SET,
        "count": task.pods,
        "flavors": dict.fromkeys(usage, task.instance_type),
        "resourceUsage": {resource: write(amount, resource) for resource, amount in usage.items()},
    }
    reserved = f"Quota reserved in ClusterQueue {task.cluster_queue}"
    conditions = [
        _condition("QuotaReserved", "True", "QuotaReserved", reserved, at),
        _condition("Admitted", "True", "Admitted", "The workload is admitted", at),
    ]
    for earlier in _true(before, "Evicted", "Preempted"):
        message = f"Previously: {earlier['message']}"
        conditions.append(_condition(earlier["type"], "False", "QuotaReserved", message, at))
    return {
        "conditions": _changed(before, conditions),
        "admission": {"clusterQueue": task.cluster_queue, "podSetAssignments": [assignment]},
    }


def evicted(before: Document, at: datetime, preemption: str) -> Document:
    """The reservation is given back; the Workload is queued again."""
    message = f"Preempted to accommodate a workload due to {preemption}"
    conditions = [
        _condition("QuotaReserved", "False", "Pending", message, at),
        _condition("Admitted", "False", "NoReservation", "The workload has no reservation", at),
        _condition("Evicted", "True", "Preempted", message, at),
        _condition("Preempted", "True", preemption, message, at),
        _condition("Requeued", "True", "Preempted", message, at),
    ]
    evictions = (before.get("schedulingStats") or {}).get("evictions") or [{"count": 0}]
    count = evictions[0]["count"] + 1
    return {
        "conditions": _changed(before, conditions),
        "admission": None,
        "schedulingStats": {
            "evictions": [{"reason": "Preempted", "underlyingCause": "", "count": count}]
        },
    }


def finished(before: Document, at: datetime, reason: str) -> Document:
    """The task ended; what it had reserved stays readable."""
    message = "Job finished successfully" if reason == "Succeeded" else "Job failed"
    return {"conditions": _changed(before, [_condition("Finished", "True", reason, message, at)])}


def _condition(type_: str, status: str, reason: str, message: str, at: datetime) -> Document:
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": timestamp(at),
        "observedGeneration": 1,
    }


def _true(status: Document, *types: str) -> list[Document]:
    return [
        each
        for each in status.get("conditions") or []
        if each["type"] in types and each["status"] == "True"
    ]


def _changed(before: Document, conditions: list[Document]) -> list[Document]:
    """Earlier conditions with these in their place; a status that stays keeps its time."""
    merged = {each["type"]: each for each in before.get("conditions") or []}
    for condition in conditions:
        earlier = merged.get(condition["type"])
        if earlier and earlier["status"] == condition["status"]:
            condition = {**condition, "lastTransitionTime": earlier["lastTransitionTime"]}
        merged[condition["type"]] = condition
    return list(merged.values())
