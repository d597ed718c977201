"""Tasks as a tenant writes them, right in everything but what is asked for."""

from typing import Any

from tests.cluster.isolation.company import AMBER
from tests.cluster.isolation.escapes.attempt import Call, at, post, queue, thing

QUEUE = queue(AMBER)
# more than any machine has: what asks for it waits for ever
MUCH = {"requests": {"cpu": "1000", "memory": "1Gi"}}
LITTLE = {"requests": {"cpu": "10m", "memory": "1Mi"}}
# tasks of operators: version, plural, kind
CUSTOM = (
    ("sagemaker.amazonaws.com/v1", "hyperpodpytorchjobs", "HyperPodPyTorchJob"),
    ("kubeflow.org/v1", "pytorchjobs", "PyTorchJob"),
    ("kubeflow.org/v1", "mpijobs", "MPIJob"),
    ("kubeflow.org/v1", "tfjobs", "TFJob"),
    ("ray.io/v1", "rayclusters", "RayCluster"),
    ("ray.io/v1", "rayjobs", "RayJob"),
    ("ray.io/v1", "raycronjobs", "RayCronJob"),
    ("ray.io/v1", "rayservices", "RayService"),
    (
        "inference.sagemaker.aws.amazon.com/v1",
        "inferenceendpointconfigs",
        "InferenceEndpointConfig",
    ),
    ("inference.sagemaker.aws.amazon.com/v1", "jumpstartmodels", "JumpStartModel"),
    ("workspace.jupyter.org/v1alpha1", "workspaces", "Workspace"),
)
_PICK = {"app": "escape"}


def spec(container: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A pod's; `container` adds to its only one."""
    main = {"name": "main", "image": "image", **(container or {})}
    return {"restartPolicy": "Never", "containers": [main], **more}


def pod(
    container: dict[str, Any] | None = None,
    labels: dict[str, str] = QUEUE,
    metadata: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    return thing("v1", "Pod", labels=labels, **(metadata or {}), spec=spec(container, **more))


def job(
    labels: dict[str, str] = QUEUE, metadata: dict[str, Any] | None = None, **of_pod: Any
) -> dict[str, Any]:
    template = {"spec": spec(**of_pod)}
    return thing("batch/v1", "Job", labels=labels, **(metadata or {}), spec={"template": template})


def cron_job(labels: dict[str, str] = QUEUE, **of_pod: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": labels}, "spec": {"template": {"spec": spec(**of_pod)}}}
    return thing("batch/v1", "CronJob", spec={"schedule": "0 0 1 1 *", "jobTemplate": template})


def of_template(kind: str, labels: dict[str, str] = QUEUE, **of_pod: Any) -> dict[str, Any]:
    """A Deployment or the like; `labels` are those of its pods."""
    own = {"labels": {**_PICK, **labels}}
    content: dict[str, Any] = {
        "template": {"metadata": own, "spec": spec(restartPolicy="Always", **of_pod)},
        "selector": {"matchLabels": _PICK},
    }
    if kind == "StatefulSet":
        content["serviceName"] = "escape"
    if kind == "ReplicationController":
        content["selector"] = _PICK
    version = "v1" if kind == "ReplicationController" else "apps/v1"
    return thing(version, kind, spec=content)


def volume(**source: Any) -> dict[str, Any]:
    """More of a pod: one volume."""
    return {"volumes": [{"name": "it", **source}]}


def custom(version: str, plural: str, kind: str, labels: dict[str, str] | None = None) -> Call:
    """A new task of an operator."""
    task = thing(version, kind, labels=labels or {}, spec={})
    return post(at(AMBER, f"{plural}.{version}"), task)
