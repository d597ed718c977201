"""Kueue objects as the API hands them out, in both versions."""

from typing import Any

from tests.unit.tasks_support import NAMESPACE, P5, at


def condition(kind: str, time: str, status: str = "True", reason: str = "") -> dict[str, Any]:
    moment = at(time).isoformat().replace("+00:00", "Z")
    return {
        "type": kind,
        "status": status,
        "reason": reason or kind,
        "message": "",
        "lastTransitionTime": moment,
    }


def workload(
    *conditions: dict[str, Any], version: str = "v1beta2", admitted: bool = True, **changes: Any
) -> dict[str, Any]:
    """A task of two pods with eight GPUs each."""
    priority: dict[str, Any] = {
        "v1beta1": {
            "priorityClassName": "training-priority",
            "priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass",
        },
        "v1beta2": {
            "priorityClassRef": {
                "group": "kueue.x-k8s.io",
                "kind": "WorkloadPriorityClass",
                "name": "training-priority",
            }
        },
    }[version]
    admission = {
        "clusterQueue": f"{NAMESPACE}-clusterqueue",
        "podSetAssignments": [
            {
                "name": "pods",
                "count": 2,
                "flavors": {"nvidia.com/gpu": P5, "cpu": P5, "memory": P5},
                "resourceUsage": {"nvidia.com/gpu": "16", "cpu": "184", "memory": "2000Gi"},
            }
        ],
    }
    return {
        "apiVersion": f"kueue.x-k8s.io/{version}",
        "kind": "Workload",
        "metadata": {
            "name": "job-train-a1b2c",
            "namespace": NAMESPACE,
            "uid": "uid-1",
            "resourceVersion": "1000",
            "creationTimestamp": "2026-10-02T09:00:00Z",
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Pod", "name": "helper", "uid": "o-0"},
                {
                    "apiVersion": "batch/v1",
                    "kind": "Job",
                    "name": "train",
                    "uid": "o-1",
                    "controller": True,
                },
            ],
        }
        | changes,
        "spec": {
            "queueName": f"{NAMESPACE}-localqueue",
            "priority": 70,
            "podSets": [{"name": "pods", "count": 2}],
            **priority,
        },
        "status": {"conditions": list(conditions)} | ({"admission": admission} if admitted else {}),
    }


def cluster_queue(
    nominal: str = "8",
    total: str = "0",
    borrowed: str = "0",
    name: str = f"{NAMESPACE}-clusterqueue",
) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": name, "uid": f"uid-{name}"},
        "spec": {
            "cohortName": "shared-pool",
            "resourceGroups": [
                {
                    "coveredResources": ["nvidia.com/gpu", "cpu", "memory"],
                    "flavors": [
                        {
                            "name": P5,
                            "resources": [
                                {"name": "nvidia.com/gpu", "nominalQuota": nominal},
                                {"name": "cpu", "nominalQuota": "192"},
                                {"name": "memory", "nominalQuota": "2Ti"},
                            ],
                        }
                    ],
                }
            ],
        },
        "status": {
            "flavorsUsage": [
                {
                    "name": P5,
                    "resources": [
                        {"name": "nvidia.com/gpu", "total": total, "borrowed": borrowed},
                        {"name": "cpu", "total": "184", "borrowed": "0"},
                    ],
                }
            ]
        },
    }


def local_queue(namespace: str = NAMESPACE, queue: str | None = None) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": f"{namespace}-localqueue", "namespace": namespace, "uid": "lq"},
        "spec": {"clusterQueue": queue or f"{namespace}-clusterqueue"},
    }


def pod(gpus: str = "8", phase: str = "Running", **metadata: Any) -> dict[str, Any]:
    """A pod that nobody queued, on a machine since 10:00."""
    ended = {"terminated": {"finishedAt": "2026-10-02T12:00:00Z"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "sneaked", "namespace": NAMESPACE, "uid": "pod-1", **metadata},
        "spec": {
            "nodeName": "machine",
            "containers": [
                {"name": "main", "resources": {"limits": {"nvidia.com/gpu": gpus, "cpu": "8"}}}
            ],
        },
        "status": {
            "phase": phase,
            "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": "2026-10-02T10:05:00Z"},
                condition("PodScheduled", "10:00"),
            ],
            "containerStatuses": [{"state": ended if phase == "Succeeded" else {}}],
        },
    }


def node(instance_type: str = P5) -> dict[str, Any]:
    labels = {"node.kubernetes.io/instance-type": instance_type}
    return {"kind": "Node", "metadata": {"name": "machine", "uid": "node-1", "labels": labels}}
