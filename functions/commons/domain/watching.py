"""What changed about a task between two looks at it, in order and with Kubernetes' own times.

Conditions are levels that carry the time of their last change. So several transitions that lie
between two looks are told one by one; a time that was overwritten meanwhile is estimated, and said
to be. Nothing is charged that nobody saw: an estimated end is the last look before it.
"""

from datetime import UTC, datetime
from typing import NamedTuple

from commons.domain.events import OutgoingEvent
from commons.domain.kueue import Workload
from commons.domain.task_events import (
    QUEUE_CEILING_CHANGED,
    TASK_STATE_CHANGED,
    Owner,
    Queue,
    QueueCeilingChanged,
    Resources,
    State,
    TaskStateChanged,
)
from commons.domain.task_events import Workload as Named

OBJECT_GONE = "ObjectGone"
UNSEEN = "EvictedUnseen"


Told = TaskStateChanged | QueueCeilingChanged


class Step(NamedTuple):
    state: State
    at: datetime
    attempt: int
    reason: str = ""
    estimated: bool = False


# a task of which nothing was published; its first admission will be attempt 1
_NEW = Step(State.PENDING, datetime.min.replace(tzinfo=UTC), 1)


class Look(NamedTuple):
    """What the watch knows when it looks at one namespace of a cluster."""

    cluster: str
    team: str
    queue: Queue
    now: datetime
    # None: this is the first look at the cluster
    last_pass: datetime | None


def changes(
    workload: Workload, last: TaskStateChanged | None, look: Look
) -> list[TaskStateChanged]:
    """One event per transition since `last`, the event of the task that was published before."""
    found: list[TaskStateChanged] = []
    for step in _steps(workload, last, look):
        previous = found[-1] if found else last
        found.append(_event(workload, step, previous, look))
    return found


def gone(last: TaskStateChanged, now: datetime, last_pass: datetime | None) -> TaskStateChanged:
    """The task's object vanished before anybody saw it finish, as jobs with a TTL of 0 do."""
    return last.model_copy(
        update={
            "previous_state": last.state.value,
            "state": State.FINISHED,
            "reason": OBJECT_GONE,
            "preemption_reason": "",
            "transition_time": max(last_pass or now, last.transition_time),
            "estimated": True,
        }
    )


def _steps(workload: Workload, last: TaskStateChanged | None, look: Look) -> list[Step]:
    if last and last.state is State.FINISHED:
        return []
    before = Step(last.state, last.transition_time, last.attempt) if last else _NEW
    found = _admission(workload, before, look)
    found += _release(workload, found[-1] if found else before)
    current = found[-1] if found else before
    finished = workload.condition("Finished")
    if finished and finished.status == "True":
        at = finished.last_transition_time
        found.append(Step(State.FINISHED, at, current.attempt, finished.reason))
    if not found and not last:
        waiting = workload.condition("QuotaReserved")
        created = workload.metadata.creation_timestamp or look.now
        found.append(Step(State.PENDING, created, 1, waiting.reason if waiting else ""))
    return found


def _admission(workload: Workload, before: Step, look: Look) -> list[Step]:
    """It was admitted since; if it was so already, an eviction in between went unseen."""
    admitted_at = workload.since("Admitted")
    ran = before.state in (State.ADMITTED, State.EVICTED)
    if admitted_at is None or (ran and admitted_at <= before.at):
        return []
    found = []
    if before.state is State.ADMITTED:
        unseen = min(max(look.last_pass or admitted_at, before.at), admitted_at)
        found.append(Step(State.EVICTED, unseen, before.attempt, UNSEEN, estimated=True))
    admitted = workload.condition("Admitted")
    reason = (admitted and admitted.reason) or "Admitted"
    found.append(Step(State.ADMITTED, admitted_at, before.attempt + ran, reason))
    return found


def _release(workload: Workload, before: Step) -> list[Step]:
    """It was evicted since, or lost its admission in another way."""
    admitted, evicted_at = workload.condition("Admitted"), workload.since("Evicted")
    held = before.state is State.ADMITTED
    if evicted_at and admitted and (evicted_at > before.at or (held and evicted_at == before.at)):
        evicted = workload.condition("Evicted")
        # an admission that nobody saw is an attempt of its own
        attempt = before.attempt + (before.state is State.EVICTED)
        return [Step(State.EVICTED, evicted_at, attempt, evicted.reason if evicted else "")]
    if held and admitted and admitted.status == "False":
        at = max(admitted.last_transition_time, before.at)
        return [Step(State.EVICTED, at, before.attempt, admitted.reason)]
    return []


def _event(
    workload: Workload, step: Step, previous: TaskStateChanged | None, look: Look
) -> TaskStateChanged:
    metadata, owner, devices = workload.metadata, workload.owner, workload.devices()
    preempted = workload.condition("Preempted")
    return TaskStateChanged(
        cluster_arn=look.cluster,
        namespace=metadata.namespace,
        team=look.team,
        workload=Named(
            name=metadata.name, uid=metadata.uid, resource_version=metadata.resource_version
        ),
        owner=Owner.model_validate(owner.model_dump()),
        queue_name=workload.spec.queue_name,
        priority_class=workload.priority_class,
        previous_state=_previous(step, previous),
        state=step.state,
        reason=step.reason,
        preemption_reason=preempted.reason if preempted and step.reason == "Preempted" else "",
        attempt=step.attempt,
        transition_time=step.at.astimezone(UTC),
        estimated=step.estimated,
        # the queue forgets what an evicted task had
        resources=_resources(workload) or (previous.resources if previous else Resources()),
        devices=devices or (previous.devices if previous else {}),
        queue=look.queue,
    )


def _previous(step: Step, previous: TaskStateChanged | None) -> str:
    if step.state is State.EVICTED:
        return State.ADMITTED.value
    return previous.state.value if previous else State.PENDING.value


def _resources(workload: Workload) -> Resources | None:
    """On the type of which it has most; `devices` has all types."""
    usage, devices = workload.usage(), workload.devices()
    if not usage:
        return None
    flavor = max(usage, key=lambda name: (devices[name], name))
    return Resources(instance_type=flavor, pod_count=workload.pods, requests=usage[flavor])


def ceiling_changed(cluster: str, namespace: str, queue: Queue) -> QueueCeilingChanged:
    return QueueCeilingChanged(cluster_arn=cluster, namespace=namespace, queue=queue)


def published(event: Told) -> OutgoingEvent:
    """As it goes to the bus."""
    task = isinstance(event, TaskStateChanged)
    return OutgoingEvent(
        detail_type=TASK_STATE_CHANGED if task else QUEUE_CEILING_CHANGED,
        detail=event.model_dump(mode="json", by_alias=True, exclude_none=True),
        resources=[event.cluster_arn],
    )
