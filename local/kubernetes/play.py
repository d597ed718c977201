"""Plays tasks where no operator runs: their owners and Workloads, as Kueue would write them.

Times may lie in the past. A Workload can be admitted, evicted and admitted again; what the
ClusterQueues then say about usage is the cluster's own doing.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lightkube import ApiError, Client, KubeConfig
from lightkube.generic_resource import GenericNamespacedResource, create_namespaced_resource
from lightkube.types import PatchType

from commons.domain import names
from local.kubernetes import played
from local.kubernetes.objects import Document

_INFERENCE = "inference.sagemaker.aws.amazon.com"
_OWNERS = {
    "HyperPodPyTorchJob": ("sagemaker.amazonaws.com", "v1", "hyperpodpytorchjobs"),
    "Job": ("batch", "v1", "jobs"),
    "Workspace": ("workspace.jupyter.org", "v1alpha1", "workspaces"),
    "InferenceEndpointConfig": (_INFERENCE, "v1", "inferenceendpointconfigs"),
    "JumpStartModel": (_INFERENCE, "v1", "jumpstartmodels"),
}
KINDS = tuple(_OWNERS)
WORKLOAD = create_namespaced_resource("kueue.x-k8s.io", "v1beta2", "Workload", "workloads")


@dataclass(frozen=True)
class Task:
    """A task of a team: what it is called, what it asks for."""

    namespace: str
    name: str
    instance_type: str
    pods: int
    devices_per_pod: int
    priority_class: str = "training-priority"
    owner_kind: str = "HyperPodPyTorchJob"

    @property
    def queue(self) -> str:
        """The LocalQueue of the namespace, as a compute quota names it."""
        return names.local_queue_name(self.namespace)

    @property
    def cluster_queue(self) -> str:
        """The ClusterQueue of the namespace, as a compute quota names it."""
        return names.cluster_queue_name(self.namespace)

    @property
    def workload(self) -> str:
        """Name of the Workload: owner's kind and name, and five digits made of them."""
        digest = hashlib.sha256(f"{self.namespace}/{self.owner_kind}/{self.name}".encode())
        return f"{self.owner_kind.lower()}-{self.name}-{digest.hexdigest()[:5]}"


def administrator(home: Path, endpoint: str) -> Client:
    """A client with the local administrator's token; `home` is the folder of the local cloud."""
    folder = home / "kubernetes"
    config = {
        "current-context": "local",
        "clusters": [
            {
                "name": "local",
                "cluster": {
                    "server": endpoint,
                    "certificate-authority": str(folder / "ca.crt"),
                },
            }
        ],
        "users": [{"name": "local", "user": {"token": (folder / "admin-token").read_text()}}],
        "contexts": [{"name": "local", "context": {"cluster": "local", "user": "local"}}],
    }
    return Client(config=KubeConfig.from_dict(config), field_manager="commons-play")


def submit(client: Client, task: Task, priority: int | None = None) -> Document:
    """Create the owner, suspended, and its Workload, pending; answers the Workload.

    `priority`: of its class; Kueue itself asks for it.
    """
    owner = _create(client, _owner(task), played.owner(task, _api_version(task)))
    return _create(client, WORKLOAD, played.workload(task, owner, priority))


def admit(client: Client, task: Task, at: datetime) -> Document:
    """The task gets its quota and starts, submitted before if it was not."""
    current = submit(client, task)
    return _become(client, task, played.admitted(current.get("status") or {}, task, at))


def evict(
    client: Client, task: Task, at: datetime, preemption: str = "InCohortReclamation"
) -> Document:
    """Another task takes the quota back; the Workload waits in its queue again."""
    return _become(client, task, played.evicted(_status(client, task), at, preemption))


def finish(client: Client, task: Task, at: datetime, reason: str = "Succeeded") -> Document:
    """The task ends, as `Succeeded` or `Failed`."""
    return _become(client, task, played.finished(_status(client, task), at, reason))


def remove(client: Client, task: Task) -> None:
    """Delete owner and Workload, as happens soon after a HyperPod job's end."""
    client.delete(WORKLOAD, task.workload, namespace=task.namespace)
    client.delete(_owner(task), task.name, namespace=task.namespace)


def _owner(task: Task) -> type[GenericNamespacedResource]:
    group, version, plural = _OWNERS[task.owner_kind]
    return create_namespaced_resource(group, version, task.owner_kind, plural)


def _api_version(task: Task) -> str:
    group, version, _ = _OWNERS[task.owner_kind]
    return f"{group}/{version}"


def _create(
    client: Client, resource: type[GenericNamespacedResource], wanted: Document
) -> Document:
    meta = wanted["metadata"]
    try:
        return document(client.create(resource.from_dict(wanted)))
    except ApiError as error:
        if error.status.reason != "AlreadyExists":
            raise
    return document(client.get(resource, meta["name"], namespace=meta["namespace"]))


def _status(client: Client, task: Task) -> Document:
    found = client.get(WORKLOAD, task.workload, namespace=task.namespace)
    status: Document = found.get("status") or {}
    return status


def _become(client: Client, task: Task, status: Document) -> Document:
    answered = client.patch(
        WORKLOAD.Status,
        task.workload,
        {"status": status},
        namespace=task.namespace,
        patch_type=PatchType.MERGE,
    )
    return document(answered)


def document(answered: Any) -> Document:
    """Lightkube's generic objects are documents with attributes; its types do not tell."""
    return dict(answered.to_dict())
