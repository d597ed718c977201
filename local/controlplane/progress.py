"""What whoever waits for a long build is told: which step, how long, how long still."""

import sys
import time
from typing import TextIO

_QUIET_SECONDS = 60.0  # in a log, a line that often is enough


class Progress:
    """One line a step; it counts on a terminal, and is repeated now and then in a log."""

    def __init__(self, steps: int, out: TextIO = sys.stderr) -> None:
        self._steps = steps
        self._out = out
        self._step = 0
        self._name = ""
        self._began = self._last = time.monotonic()

    def begin(self, name: str, minutes: str) -> None:
        """The next step begins; `minutes` says how long where nothing is cached."""
        self._step += 1
        self._name = f"[{self._step}/{self._steps}] {name} (about {minutes} the first time)"
        self._began = self._last = time.monotonic()
        self._show(end="" if self._out.isatty() else "\n")

    def tick(self) -> None:
        """The step goes on."""
        if self._out.isatty():
            self._show(end="")
        elif time.monotonic() - self._last >= _QUIET_SECONDS:
            self._last = time.monotonic()
            self._show(end="\n")

    def finish(self) -> None:
        """The step is done."""
        self._show(end="\n", done=" done")

    def _show(self, end: str, done: str = "") -> None:
        start = "\r" if self._out.isatty() else ""
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        self._out.write(f"{start}{self._name} {minutes}:{seconds:02d}{done}{end}")
        self._out.flush()
