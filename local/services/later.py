"""What a service does after it has answered: steps that run later, one at a time, in order."""

import heapq
import logging
import os
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

_LOG = logging.getLogger(__name__)
_DEFAULT_SECONDS = 0.3


class _Step(NamedTuple):
    due: float
    number: int
    name: str
    work: Callable[[], None]


class Steps:
    """A queue of named steps with one thread of its own."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._steps: list[_Step] = []
        self._running: str | None = None
        self._count = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._run, daemon=True, name="later").start()

    def after(self, name: str, work: Callable[[], None], delays: int = 1) -> None:
        """Run `work` after that many of the delays of this local cloud."""
        with self._changed:
            self._count += 1
            due = time.monotonic() + delays * self._seconds
            heapq.heappush(self._steps, _Step(due, self._count, name, work))
            self._changed.notify()

    def waiting(self) -> list[str]:
        """The names of the steps that have not ended."""
        with self._changed:
            names = [step.name for step in sorted(self._steps)]
            return [self._running, *names] if self._running else names

    def _run(self) -> None:
        while True:
            step = self._next()
            try:
                step.work()
            except Exception:  # noqa: BLE001 - a step that fails must not end those after it
                _LOG.exception("%s failed", step.name)
            with self._changed:
                self._running = None

    def _next(self) -> _Step:
        with self._changed:
            while not self._steps or self._steps[0].due > time.monotonic():
                self._changed.wait(self._steps[0].due - time.monotonic() if self._steps else None)
            step = heapq.heappop(self._steps)
            self._running = step.name
            return step


def seconds() -> float:
    """How long an asynchronous status lasts; COMMONS_LOCAL_DELAY changes it."""
    return float(os.environ.get("COMMONS_LOCAL_DELAY") or _DEFAULT_SECONDS)


steps = Steps(seconds())
