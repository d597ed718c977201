"""Start processes that outlive us, know them again, and end exactly those."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict


class Process(BaseModel):
    """A process by number and start: the number alone may be somebody else's tomorrow."""

    model_config = ConfigDict(frozen=True)

    pid: int
    started: str


def start(command: Sequence[str], environment: Mapping[str, str], log: Path, cwd: Path) -> Process:
    """Start a command in a session of its own, its output in `log`."""
    with log.open("wb") as output:
        child = subprocess.Popen(
            command,
            env=dict(environment),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Process(pid=child.pid, started=_start_time(child.pid) or "")


def alive(process: Process) -> bool:
    """Whether that very process still runs."""
    return bool(process.started) and _start_time(process.pid) == process.started


def end(processes: Sequence[Process], grace: float = 5.0) -> None:
    """End each process, politely or after `grace` seconds by force, and all that it started."""
    ours = [process for process in processes if alive(process)]
    for process in ours:
        _signal_group(process, signal.SIGTERM)
    until = time.monotonic() + grace
    while any(map(alive, ours)) and time.monotonic() < until:
        time.sleep(0.05)
    for process in ours:
        _signal_group(process, signal.SIGKILL)
        _reap(process.pid)


def _start_time(pid: int) -> str | None:
    """When a process started, in the system's own units; None if it has ended."""
    _reap(pid)
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None if Path("/proc/self").exists() else _start_time_without_proc(pid)
    after_name = text.rpartition(")")[2].split()
    return None if after_name[0] == "Z" else after_name[19]


def _start_time_without_proc(pid: int) -> str | None:
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    state, _, started = shown.partition(" ")
    return None if not state or state.startswith("Z") else started.strip()


def _reap(pid: int) -> None:
    """Collect a child of ours that has ended, so that it does not look alive."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return  # it is not ours to collect: an earlier command started it


def _signal_group(leader: Process, number: signal.Signals) -> None:
    try:
        os.killpg(leader.pid, number)
    except ProcessLookupError:
        return  # all of it ended by itself
