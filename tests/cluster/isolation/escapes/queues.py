"""Passing the queue by: running what it did not admit."""

from tests.cluster.isolation.company import AMBER
from tests.cluster.isolation.escapes.attempt import at, patch, post, stopped
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
_OWNER = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "name": "waiting",
    "uid": "00000000-0000-0000-0000-000000000000",
    "controller": True,
}
_OWNED = {"ownerReferences": [_OWNER]}
_TAKEN = {"kueue.x-k8s.io/prebuilt-workload-name": "waiting"}


ATTEMPTS = (
    *stopped(
        "commons-queue",
        "amber member",
        ("bare-task-pod", "run a pod without the queue's label", post(_PODS, pod(labels={}))),
        (
            "empty-label",
            "run a pod with an empty one",
            post(_PODS, pod(labels={"kueue.x-k8s.io/queue-name": ""})),
        ),
        ("bare-job", "run a Job without the label", post(_JOBS, job(labels={}))),
        (
            "bare-cron-job",
            "run a CronJob without the label",
            post(at(AMBER, "cronjobs.batch/v1"), cron_job(labels={})),
        ),
        (
            "bare-deployment",
            "run a Deployment without the label",
            post(at(AMBER, "deployments.apps/v1"), of_template("Deployment", labels={})),
        ),
        (
            "bare-stateful-set",
            "run a StatefulSet without the label",
            post(at(AMBER, "statefulsets.apps/v1"), of_template("StatefulSet", labels={})),
        ),
        (
            "label-off",
            "take the label off a task that waits",
            patch(
                f"{_JOBS}/waiting", {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": None}}}
            ),
        ),
        (
            "owned-pod",
            "say that a task which the queue admitted owns their pod",
            post(_PODS, pod(metadata=_OWNED)),
        ),
        ("owned-job", "say the same of a Job", post(_JOBS, job(metadata=_OWNED))),
        (
            "start-by-hand",
            "start a task that waits, past the queue",
            patch(f"{_JOBS}/waiting", {"spec": {"suspend": False}}),
        ),
        (
            "others-workload",
            "take the Workload that was made for another task",
            post(_JOBS, job(labels={**QUEUE, **_TAKEN})),
        ),
        (
            "others-workload-noted",
            "take it by an annotation",
            post(_JOBS, job(metadata={"annotations": _TAKEN})),
        ),
        (
            "others-workload-later",
            "take it by a CronJob's template",
            post(at(AMBER, "cronjobs.batch/v1"), cron_job(labels={**QUEUE, **_TAKEN})),
        ),
    ),
    *stopped(
        "commons-queue",
        "amber member",
        *(
            (f"bare-{plural}", f"run a {kind} without the label", custom(version, plural, kind, {}))
            for version, plural, kind in CUSTOM
        ),
    ),
    *stopped(
        "commons-queue",
        "amber favourite",
        (
            "gate-off",
            "take Kueue's gate off a pod that waits",
            patch(f"{_PODS}/waiting", {"spec": {"schedulingGates": []}}),
        ),
        (
            "bare-daemon-set",
            "run on every node without the label",
            post(at(AMBER, "daemonsets.apps/v1"), of_template("DaemonSet", labels={})),
        ),
        (
            "bare-replica-set",
            "run a ReplicaSet without the label",
            post(at(AMBER, "replicasets.apps/v1"), of_template("ReplicaSet", labels={})),
        ),
        (
            "bare-controller",
            "run a ReplicationController without the label",
            post(
                at(AMBER, "replicationcontrollers"), of_template("ReplicationController", labels={})
            ),
        ),
    ),
    *stopped(
        "commons-queue",
        "amber pod",
        ("bare-by-pod", "run a pod without the label", post(_PODS, pod(labels={}))),
    ),
    *stopped(
        "Kueue",
        "amber member",
        (
            "other-queue-later",
            "move a task to another queue while it runs",
            patch(
                f"{_JOBS}/running", {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "other"}}}
            ),
        ),
        (
            "priority-later",
            "raise the priority of a task that runs",
            patch(
                f"{_JOBS}/running",
                {
                    "metadata": {
                        "labels": {"kueue.x-k8s.io/priority-class": "experimentation-priority"}
                    }
                },
            ),
        ),
    ),
)
