"""Tasks on a cluster where Kueue itself decides; KWOK's Stages run and end their pods."""

import time
from datetime import datetime
from typing import cast

from lightkube import ApiError, Client
from lightkube.generic_resource import create_global_resource
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Pod
from lightkube.types import CascadeType

from local.kubernetes import play, played
from local.kubernetes.play import Task

_ENDS = "local.gpu.commons/ends"
_PRIORITY = create_global_resource(
    "kueue.x-k8s.io", "v1beta2", "WorkloadPriorityClass", "workloadpriorityclasses"
)
_SECONDS = 30
_STEP_SECONDS = 0.2


class Queued:
    """A Job is Kueue's own; for the kinds without an operator we make the Workload."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def submit(self, task: Task) -> None:
        """Raises ApiError where the cluster refuses it."""
        if task.owner_kind == "Job":
            self._client.create(cast(Job, Job.from_dict(played.job(task))))
        else:
            play.submit(self._client, task, self._priority(task))

    def push(self, task: Task, at: datetime) -> None:
        """Kueue admits what it can by itself."""

    def give_way(self, task: Task, at: datetime) -> None:
        """Kueue preempts whom it must by itself."""

    def end(self, task: Task, reason: str, at: datetime) -> None:
        """Let its pods end so; of a task without pods, say so in the operator's place."""
        if task.owner_kind == "Job":
            self._end_pods(task, reason)
        else:
            play.finish(self._client, task, at, reason)

    def remove(self, task: Task) -> None:
        """A Job takes its Workload and its pods with it."""
        if task.owner_kind == "Job":
            background = CascadeType.BACKGROUND
            self._client.delete(Job, task.name, namespace=task.namespace, cascade=background)
        else:
            play.remove(self._client, task)

    def _end_pods(self, task: Task, reason: str) -> None:
        """Also of pods that its controller is still making."""
        until = time.monotonic() + _SECONDS
        while not self._ended(task):
            if time.monotonic() > until:
                return  # whoever waits for the end says what the queue says
            for pod in self._client.list(
                Pod, namespace=task.namespace, labels={"job-name": task.name}
            ):
                self._annotate(pod, reason)
            time.sleep(_STEP_SECONDS)

    def _annotate(self, pod: Pod, reason: str) -> None:
        meta = pod.metadata
        if meta is None or not meta.name or _ENDS in (meta.annotations or {}):
            return
        told = {"metadata": {"annotations": {_ENDS: reason}}}
        try:
            self._client.patch(Pod, meta.name, told, namespace=meta.namespace)
        except ApiError as error:
            if error.status.code != 404:  # it is gone: evicted, or its machine failed
                raise

    def _ended(self, task: Task) -> bool:
        status = self._client.get(Job, task.name, namespace=task.namespace).status
        conditions = (status and status.conditions) or []
        return any(c.type in ("Complete", "Failed") and c.status == "True" for c in conditions)

    def _priority(self, task: Task) -> int | None:
        if not task.priority_class:
            return None
        found = play.document(self._client.get(_PRIORITY, task.priority_class))
        return int(found["value"])
