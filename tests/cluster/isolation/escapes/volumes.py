"""Mounting what is the node's, or another's."""

from typing import Any

from tests.cluster.isolation.company import AMBER, HOST_PATH
from tests.cluster.isolation.escapes.attempt import (
    Call,
    at,
    post,
    stopped,
    thing,
)
from tests.cluster.isolation.escapes.tasks import cron_job, job, of_template, pod, volume

_PODS = at(AMBER, "pods")
_DISK = {"hostPath": {"path": "/"}}


def _path(path: str) -> Call:
    return _pod(volumes=[{"name": "it", "hostPath": {"path": path}}])


def _pod(container: dict[str, Any] | None = None, **more: Any) -> Call:
    return post(_PODS, pod(container, **more))


ATTEMPTS = (
    *stopped(
        "commons-pods",
        "amber member",
        ("host-root", "mount the whole node", _path("/")),
        ("host-slashes", "mount it under another spelling", _path("//")),
        ("host-dot", "mount it under one more", _path(f"{HOST_PATH}/.")),
        (
            "host-below",
            "mount what lies below a path of the namespace's list",
            _path(f"{HOST_PATH}/others"),
        ),
        ("host-alike", "mount a path that begins like one of the list", _path(f"{HOST_PATH}0")),
        ("host-above", "mount what lies above a path of the list", _path("/mnt/k8s-disks")),
        (
            "host-socket",
            "mount the socket of the container runtime",
            _path("/run/containerd/containerd.sock"),
        ),
        (
            "host-in-job",
            "mount the node from a Job",
            post(at(AMBER, "jobs.batch/v1"), job(**volume(**_DISK))),
        ),
        (
            "host-in-cron-job",
            "mount the node from a CronJob",
            post(at(AMBER, "cronjobs.batch/v1"), cron_job(**volume(**_DISK))),
        ),
        (
            "host-in-deployment",
            "mount the node from a Deployment",
            post(at(AMBER, "deployments.apps/v1"), of_template("Deployment", **volume(**_DISK))),
        ),
        (
            "host-in-stateful-set",
            "mount the node from a StatefulSet",
            post(at(AMBER, "statefulsets.apps/v1"), of_template("StatefulSet", **volume(**_DISK))),
        ),
        (
            "foreign-server",
            "mount a file server that they name themselves, past the claims",
            _pod(**volume(nfs={"server": "10.0.0.9", "path": "/"})),
        ),
    ),
    *stopped(
        "Kubernetes",
        "amber member",
        ("host-dots", "mount the node with dots in the path", _path(f"{HOST_PATH}/../..")),
    ),
    *stopped(
        "roles",
        "amber lead",
        (
            "host-volume",
            "make a PersistentVolume of the node's disk",
            post("/api/v1/persistentvolumes", thing("v1", "PersistentVolume", spec=_DISK)),
        ),
    ),
)
