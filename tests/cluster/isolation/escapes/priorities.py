"""Going before others with a priority that was not given."""

from tests.cluster.isolation.company import AMBER
from tests.cluster.isolation.escapes.attempt import KUEUE, at, patch, post, stopped
from tests.cluster.isolation.escapes.tasks import (
    CUSTOM,
    QUEUE,
    cron_job,
    custom,
    job,
    of_template,
    pod,
)

_PODS = at(AMBER, "pods")
_JOBS = at(AMBER, "jobs.batch/v1")
# Kueue's name of it is made at random
_WAITING = at(AMBER, f"workloads.{KUEUE}", "{workload}")
_HIGH = {**QUEUE, "kueue.x-k8s.io/priority-class": "inference-priority"}
_FIRST = {"priorityClassName": "system-node-critical"}


ATTEMPTS = (
    *stopped(
        "commons-priority",
        "amber member",
        (
            "high-pod",
            "run a pod with a priority that the namespace was not given",
            post(_PODS, pod(labels=_HIGH)),
        ),
        ("high-job", "run a Job with it", post(_JOBS, job(labels=_HIGH))),
        (
            "high-cron-job",
            "run a CronJob with it",
            post(at(AMBER, "cronjobs.batch/v1"), cron_job(labels=_HIGH)),
        ),
        (
            "high-deployment",
            "run a Deployment with it",
            post(at(AMBER, "deployments.apps/v1"), of_template("Deployment", labels=_HIGH)),
        ),
        (
            "high-stateful-set",
            "run a StatefulSet with it",
            post(at(AMBER, "statefulsets.apps/v1"), of_template("StatefulSet", labels=_HIGH)),
        ),
        (
            "higher-later",
            "raise the priority of a task that waits",
            patch(f"{_JOBS}/waiting", {"metadata": {"labels": _HIGH}}),
        ),
        (
            "critical-pod",
            "run a pod with a PriorityClass of Kubernetes itself",
            post(_PODS, pod(**_FIRST)),
        ),
        (
            "critical-job",
            "run a Job with it, whose pods push others off their nodes",
            post(_JOBS, job(**_FIRST)),
        ),
    ),
    *stopped(
        "commons-priority",
        "amber member",
        *(
            (f"high-{plural}", f"run a {kind} with it", custom(version, plural, kind, _HIGH))
            for version, plural, kind in CUSTOM
        ),
    ),
    *stopped(
        "commons-priority",
        "amber favourite",
        (
            "high-daemon-set",
            "run on every node with that priority",
            post(at(AMBER, "daemonsets.apps/v1"), of_template("DaemonSet", labels=_HIGH)),
        ),
        (
            "high-replica-set",
            "run a ReplicaSet with it",
            post(at(AMBER, "replicasets.apps/v1"), of_template("ReplicaSet", labels=_HIGH)),
        ),
        (
            "high-controller",
            "run a ReplicationController with it",
            post(
                at(AMBER, "replicationcontrollers"),
                of_template("ReplicationController", labels=_HIGH),
            ),
        ),
    ),
    *stopped(
        "commons-priority",
        "amber pod",
        ("high-by-pod", "run a Job with that priority", post(_JOBS, job(labels=_HIGH))),
    ),
    *stopped(
        "commons-priority",
        "administrator",
        (
            "critical-by-operator",
            "make a pod with a PriorityClass of Kubernetes itself",
            post(_PODS, pod(labels={}, **_FIRST)),
        ),
        (
            "high-by-operator",
            "make a Workload with a priority that the namespace was not given",
            patch(_WAITING, {"spec": {"priority": 90}}),
        ),
    ),
)
