"""The tasks of the demo on the real cluster: whom Kueue admits, preempts and admits again."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from cli.demo_tasks import P5
from local.kubernetes.play import Task
from local.tasks import Tasks

_VISION, _LANGUAGE = "hyperpod-ns-vision", "hyperpod-ns-language"


def _task(namespace: str, name: str, pods: int) -> Task:
    return Task(namespace, name, P5, pods, 8, "training-priority", "Job")


# each namespace has eight GPUs; what one leaves idle, the others may borrow
_NIGHTLY = _task("hyperpod-ns-vision-detection", "nightly", 1)
_SEGMENTATION, _TRACKING = _task(_VISION, "segmentation", 2), _task(_VISION, "tracking", 1)
_PRETRAINING, _FINETUNING = _task(_LANGUAGE, "pretraining", 2), _task(_LANGUAGE, "finetuning", 1)


class Moment(NamedTuple):
    """Something that happened to a task; the time is the one that Kueue wrote down."""

    at: str
    namespace: str
    task: str
    gpus: int
    what: str
    why: str


def moments(tasks: Tasks, settle: Callable[[], None]) -> Iterator[Moment]:
    """As they happen. `settle`: until the product saw it too. Raises TaskFailed."""
    yield _admitted(tasks, _NIGHTLY, "on its own eight")
    yield from _taken_back(tasks, settle, _SEGMENTATION, _FINETUNING)
    yield from _taken_back(tasks, settle, _PRETRAINING, _TRACKING)
    yield _finished(tasks, _NIGHTLY)


def _taken_back(
    tasks: Tasks, settle: Callable[[], None], borrower: Task, owner: Task
) -> Iterator[Moment]:
    """A task on own and borrowed GPUs, until whose they are wants them back."""
    yield _admitted(tasks, borrower, "on its own eight and eight borrowed")
    tasks.preempt(borrower, owner)
    # Kueue's own words, without the ids around them
    why = tasks.seen(borrower).message.partition(" due to ")[2].partition(";")[0]
    yield _moment(tasks, borrower, "preempted", why)
    yield _moment(tasks, owner, "admitted", "on its own eight")
    settle()
    yield _finished(tasks, owner)
    tasks.await_admitted(borrower)
    yield _moment(tasks, borrower, "admitted again", "eight are idle again")
    yield _finished(tasks, borrower)


def _admitted(tasks: Tasks, task: Task, why: str) -> Moment:
    tasks.submit(task)
    tasks.await_admitted(task)
    return _moment(tasks, task, "admitted", why)


def _finished(tasks: Tasks, task: Task) -> Moment:
    tasks.finish(task)
    return _moment(tasks, task, "finished", "its pods succeeded")


def _moment(tasks: Tasks, task: Task, what: str, why: str) -> Moment:
    at = f"{tasks.seen(task).since:%H:%M:%S}"
    gpus = task.pods * task.devices_per_pod
    return Moment(at, task.namespace, task.name, gpus, what, why)
