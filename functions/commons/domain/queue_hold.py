"""Whether a namespace takes new tasks: its LocalQueue is held while the team is frozen or leaves.

Hold only: what runs runs on, what waits keeps its place. To drain, which ends what runs, takes a
person. A hold that somebody else has set is not ours to lift.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from commons.domain.names import local_queue_name
from commons.domain.status import Condition

State = Literal["active", "frozen", "leaving"]
# on a LocalQueue: that we hold it, and for which state of the team
HELD_FOR = "gpu.commons/held-for"
_OPEN = "None"

Object = dict[str, Any]


class Load(NamedTuple):
    """Tasks that hold a reservation, and tasks that wait for one."""

    running: int
    pending: int

    def __str__(self) -> str:
        return f"tasks running {self.running}, waiting {self.pending}"


def load(workloads: Iterable[Mapping[str, Any]]) -> Load:
    """From Kueue's Workloads of one namespace; whatever says nothing of itself waits."""
    open_ = [each for each in workloads if not _is(each, "Finished")]
    running = sum(_is(each, "QuotaReserved") for each in open_)
    return Load(running, len(open_) - running)


def _is(workload: Mapping[str, Any], kind: str) -> bool:
    conditions = (workload.get("status") or {}).get("conditions") or []
    return any((each["type"], each["status"]) == (kind, "True") for each in conditions)


def policy(queue: Mapping[str, Any]) -> str:
    return str((queue.get("spec") or {}).get("stopPolicy") or _OPEN)


def is_held(queue: Mapping[str, Any] | None) -> bool:
    """Whether nothing new can start; nothing can where there is no queue."""
    return queue is None or policy(queue) != _OPEN


def change(state: State, namespace: str, queue: Mapping[str, Any] | None) -> Object | None:
    """The LocalQueue as it is to be applied; None where nothing is to be done about it."""
    if queue is None:
        return None
    ours = _held_for(queue)
    if state != "active":
        # a drain that a person has begun goes on
        wanted = "Hold" if policy(queue) == _OPEN else policy(queue)
        if (ours, wanted) == (state, policy(queue)):
            return None
        return _queue(namespace, wanted, {HELD_FOR: state})
    return _queue(namespace, _OPEN, {}) if ours else None


def lets_people_in(state: State, tasks: Load) -> bool:
    """Those of a team that leaves stay for as long as there is work of theirs to save."""
    return state != "leaving" or tasks.running > 0


def conditions(
    state: State, namespace: str, queue: Mapping[str, Any] | None, tasks: Load
) -> list[Condition]:
    """Nothing is said of a queue that is open as it should be."""
    name = local_queue_name(namespace)
    if state != "active":
        text = f"{name} starts nothing new, because the team is {state}: {tasks}"
        return [_held(state.capitalize(), text)]
    if queue and policy(queue) != _OPEN and not _held_for(queue):
        text = (
            f"{name} was stopped by somebody else ({policy(queue)}): to let it start tasks again, "
            f"set its stopPolicy to None"
        )
        return [_held("HeldByOthers", text)]
    return []


def _held(reason: str, message: str) -> Condition:
    return Condition(type="QueueHeld", status="True", reason=reason, message=message)


def _held_for(queue: Mapping[str, Any]) -> str | None:
    annotations = queue["metadata"].get("annotations") or {}
    return annotations.get(HELD_FOR)


def _queue(namespace: str, stop_policy: str, annotations: dict[str, str]) -> Object:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {
            "name": local_queue_name(namespace),
            "namespace": namespace,
            "annotations": annotations,
        },
        "spec": {"stopPolicy": stop_policy},
    }
