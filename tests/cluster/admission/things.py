"""Tasks, and what else a tenant might make."""

import itertools
from typing import Any

from tests.cluster.admission.api import NAMESPACE, Object

QUEUE = {"kueue.x-k8s.io/queue-name": f"{NAMESPACE}-localqueue"}
PRIORITY = "kueue.x-k8s.io/priority-class"
_names = (f"a-{number}" for number in itertools.count())


def thing(kind: str, version: str = "v1", namespace: str | None = NAMESPACE, **more: Any) -> Object:
    """An object with a new name; `labels` and the like go into its metadata."""
    metadata: Object = {"name": next(_names)}
    if namespace:
        metadata["namespace"] = namespace
    for name in ("labels", "annotations", "ownerReferences", "name"):
        if name in more:
            metadata[name] = more.pop(name)
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}


def spec(**more: Any) -> Object:
    """A pod's, with one container; `container` adds to that one."""
    container = {"name": "main", "image": "image", **more.pop("container", {})}
    return {"restartPolicy": "Never", "containers": [container], **more}


def pod(labels: Object | None = None, **more: Any) -> Object:
    return thing("Pod", labels=QUEUE if labels is None else labels, spec=spec(**more))


def volume(**source: Any) -> Object:
    """For `pod` and `job`: one volume of that source."""
    return {"volumes": [{"name": "v", **source}]}


def job(labels: Object | None = None, **more: Any) -> Object:
    template = {"metadata": {}, "spec": spec(**more)}
    labels = QUEUE if labels is None else labels
    return thing("Job", "batch/v1", labels=labels, spec={"template": template})


def with_template(kind: str, labels: dict[str, str], own: dict[str, str] | None = None) -> Any:
    template = {"metadata": {"labels": {"a": "b", **labels}}, "spec": spec(restartPolicy="Always")}
    return thing(
        kind,
        "apps/v1",
        labels=own or {},
        spec={"selector": {"matchLabels": {"a": "b"}}, "serviceName": "a", "template": template},
    )


def cron(labels: dict[str, str]) -> Any:
    template = {"metadata": {"labels": labels}, "spec": job()["spec"]}
    spec = {"schedule": "0 0 1 1 *", "jobTemplate": template}
    return thing("CronJob", "batch/v1", spec=spec)


def workload(group: str, name: str, priority: int, version: str = "v1beta2") -> Any:
    kinds = {"kueue.x-k8s.io": "WorkloadPriorityClass", "scheduling.k8s.io": "PriorityClass"}
    reference = {"priorityClassRef": {"group": group, "kind": kinds.get(group), "name": name}}
    sets = [{"name": "main", "count": 1, "template": {"spec": spec()}}]
    return thing(
        "Workload",
        f"kueue.x-k8s.io/{version}",
        spec={"podSets": sets, "priority": priority, **(reference if name else {})},
    )


WITHOUT = {
    "pod": pod({}),
    "pod with an empty name": pod({"kueue.x-k8s.io/queue-name": ""}),
    "job": job({}),
    "cron job": cron({}),
    "deployment": with_template("Deployment", {}),
    "stateful set": with_template("StatefulSet", {}),
    "job of SageMaker": thing("HyperPodPyTorchJob", "sagemaker.amazonaws.com/v1", spec={}),
    "Space": thing("Workspace", "workspace.jupyter.org/v1alpha1", spec={"displayName": "a"}),
}
WITH = {
    "pod": pod(),
    "job": job(),
    "cron job": cron(QUEUE),
    "deployment": with_template("Deployment", QUEUE),
    "stateful set": with_template("StatefulSet", QUEUE),
    "job of SageMaker": thing(
        "HyperPodPyTorchJob", "sagemaker.amazonaws.com/v1", labels=QUEUE, spec={}
    ),
    "Space": thing(
        "Workspace", "workspace.jupyter.org/v1alpha1", labels=QUEUE, spec={"displayName": "a"}
    ),
}
