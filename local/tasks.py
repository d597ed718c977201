"""Tasks of teams, played on whichever cluster the local cloud runs: one interface for both.

On the real cluster Kueue decides, and takes the time it takes. The embedded one has no Kueue: there
it is played, so a task is admitted when somebody waits for it.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from lightkube import Client

from local import settings
from local.kubernetes import play
from local.kubernetes.play import Task
from local.state import State
from local.task_view import Seen, find, look
from local.tasks_queued import Queued

_STEP_SECONDS = 0.2


class TaskFailed(Exception):
    """The cluster did not do what was asked for; the text says what it says about the task."""


class Player(Protocol):
    """What differs between the clusters. `at`: when it happens, where nobody but us decides."""

    def submit(self, task: Task) -> None: ...
    def push(self, task: Task, at: datetime) -> None: ...
    def give_way(self, task: Task, at: datetime) -> None: ...
    def end(self, task: Task, reason: str, at: datetime) -> None: ...
    def remove(self, task: Task) -> None: ...


class Played:
    """Writes what Kueue would write."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def submit(self, task: Task) -> None:
        play.submit(self._client, task)

    def push(self, task: Task, at: datetime) -> None:
        play.admit(self._client, task, at)

    def give_way(self, task: Task, at: datetime) -> None:
        play.evict(self._client, task, at)

    def end(self, task: Task, reason: str, at: datetime) -> None:
        play.finish(self._client, task, at, reason)

    def remove(self, task: Task) -> None:
        play.remove(self._client, task)


class Tasks:
    """Every waiting call raises TaskFailed when its time is over."""

    def __init__(self, client: Client, player: Player) -> None:
        self._client = client
        self._player = player

    def submit(self, task: Task) -> Seen:
        """Make the task; it waits in its queue."""
        self._player.submit(task)
        return self._until(task, _known, "is not known to the queue", 30)

    def await_admitted(self, task: Task, seconds: float = 60) -> datetime:
        """Since when it has its devices."""
        if self.seen(task).state != "Admitted":
            self._player.push(task, datetime.now(UTC))
        return self._until(task, _is("Admitted"), "was not admitted", seconds).since

    def preempt(self, task: Task, claimer: Task, seconds: float = 60) -> datetime:
        """Submit a task with the better claim; when the other one lost its devices to it."""
        self._player.submit(claimer)
        self._player.give_way(task, datetime.now(UTC))
        evicted = self._until(task, _is("Evicted", "Pending"), "was not preempted", seconds)
        self.await_admitted(claimer, seconds)
        return evicted.since

    def finish(self, task: Task, seconds: float = 60) -> datetime:
        """Its work is done; when the queue says that it was."""
        return self._end(task, "Succeeded", seconds)

    def fail(self, task: Task, seconds: float = 60) -> datetime:
        """Its work ends with an error; when the queue says that it did."""
        return self._end(task, "Failed", seconds)

    def seen(self, task: Task) -> Seen:
        """What the queue says of it now."""
        return self._until(task, _known, "is not known to the queue", 10)

    def all(self, namespace: str | None = None) -> list[Seen]:
        """Every task of one namespace, or of all."""
        return look(self._client, namespace)

    def remove(self, task: Task) -> None:
        """Delete its owner and so all of it."""
        self._player.remove(task)

    def _end(self, task: Task, reason: str, seconds: float) -> datetime:
        self._player.end(task, reason, datetime.now(UTC))
        return self._until(task, _is("Finished"), "did not end", seconds).since

    def _until(
        self, task: Task, wanted: Callable[[Seen], bool], complaint: str, seconds: float
    ) -> Seen:
        end = time.monotonic() + seconds
        while not ((seen := find(self._client, task)) and wanted(seen)):
            if time.monotonic() > end:
                says = f"{seen.state}: {seen.message}" if seen else "nothing is known of it"
                raise TaskFailed(f"{task.namespace}/{task.name} {complaint}: {says}")
            time.sleep(_STEP_SECONDS)
        return seen


def tasks(home: Path, state: State) -> Tasks:
    """Those of a local cloud that runs; the administrator's."""
    endpoint = settings.kubernetes_endpoint(state.ports, state.kubernetes, settings.EKS_CLUSTER)
    client = play.administrator(home, endpoint)
    embedded = state.kubernetes == "embedded"
    return Tasks(client, Played(client) if embedded else Queued(client))


def _known(_: Seen) -> bool:
    return True


def _is(*states: str) -> Callable[[Seen], bool]:
    return lambda seen: seen.state in states
