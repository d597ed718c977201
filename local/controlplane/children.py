"""The processes of the cluster: started, watched, and never left behind."""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from local import logs

_TAIL_LINES = 10
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class ChildEnded(Exception):
    """A process ended by itself; the text names it and has the end of its log."""


class Children:
    """All processes of one cluster, each with its log in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._ended: asyncio.Queue[str] = asyncio.Queue()
        self._watches: set[asyncio.Task[None]] = set()

    async def start(self, name: str, command: Sequence[str], cwd: Path, **environment: str) -> None:
        """Start a process that ends when we do."""
        with self.log(name).open("wb") as output:
            self._running[name] = await asyncio.create_subprocess_exec(
                *command,
                cwd=cwd,
                env=_plain(os.environ) | environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=_ends_with(os.getpid()),
            )
        self._watches.add(asyncio.create_task(self._watch(name)))

    async def _watch(self, name: str) -> None:
        await self._running[name].wait()
        self._ended.put_nowait(name)

    def log(self, name: str) -> Path:
        """Where a process writes what it has to say."""
        return self._folder / f"kubernetes-{name}.log"

    async def first_ended(self) -> None:
        """Raises ChildEnded as soon as one of them has ended."""
        name = await self._ended.get()
        code = self._running[name].returncode or 0
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        said = logs.tail(self.log(name), _TAIL_LINES)
        raise ChildEnded(f"{name} ended by itself ({how}); its log ends with:\n{said}")

    def end(self) -> None:
        """End all at once: nothing has to survive, so none has to be asked politely."""
        for process in self._running.values():
            if process.returncode is None:
                process.send_signal(signal.SIGKILL)

    async def gone(self) -> None:
        """Return when every process has ended."""
        await asyncio.gather(*(process.wait() for process in self._running.values()))


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    """Our own environment without what would lead a Go client astray."""
    return {name: value for name, value in environment.items() if name != "KUBECONFIG"}


def _ends_with(parent: int) -> Callable[[], None] | None:
    """What makes the kernel end a child as soon as its parent is gone, however it went."""
    libc = _LIBC
    if libc is None:
        return None

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was quicker than we
            os._exit(1)

    return prepare
