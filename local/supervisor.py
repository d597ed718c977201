"""Starts the parts of the local cloud, watches them come up, and ends what it started."""

import os
import shutil
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from local import fixtures, processes, settings, state
from local.state import State

# a part is a module that serves its port until ended
PARTS = {
    "gateway": "local.gateway",
    "directory": "local.directory",
    "kubernetes": "local.kubernetes",
}
START_SECONDS = 60.0
_TAIL = 15

Say = Callable[[str], None]


class PartFailed(Exception):
    """A part ended, or never came up; the text names it and has the end of its log."""


class PartStatus(NamedTuple):
    """One part as `status` shows it."""

    part: str
    state: str
    pid: int
    port: int
    log: Path


def up(folder: Path, port_base: int | None = None, say: Say = lambda _: None) -> State | None:
    """Start the local cloud; None if it runs already. Raises PartFailed or PortTaken."""
    recorded = state.read(folder)
    if recorded and all(map(processes.alive, recorded.parts.values())):
        return None
    if recorded:
        down(folder)
    ports = settings.choose_ports(port_base)
    _prepare(folder)
    started = State(ports=ports, parts={})
    try:
        for part in PARTS:
            say(f"starting {part}")
            started.parts[part] = _start(part, started, folder)
            state.write(started, folder)
        for part in PARTS:
            say(f"waiting for {part}")
            _wait(part, started, folder)
        say("making what every account has")
        complete = started.model_copy(update={"fixtures": fixtures.create(ports)})
    except BaseException:
        processes.end(list(started.parts.values()))
        state.path(folder).unlink(missing_ok=True)
        raise
    state.write(complete, folder)
    return complete


def down(folder: Path) -> list[str]:
    """End what `up` started; the names of the parts that still ran. Logs stay."""
    recorded = state.read(folder)
    if recorded is None:
        return []
    ran = [part for part, process in recorded.parts.items() if processes.alive(process)]
    processes.end(list(recorded.parts.values()))
    state.path(folder).unlink()
    for leftover in ("tmp", "unpacked", "runtime"):
        shutil.rmtree(folder / leftover, ignore_errors=True)  # a dying worker may still write there
    return ran


def status(folder: Path) -> list[PartStatus]:
    """Each part that `up` started, whether it still runs."""
    recorded = state.read(folder)
    if recorded is None:
        return []
    return [
        PartStatus(
            part,
            "running" if processes.alive(process) else "ended",
            process.pid,
            getattr(recorded.ports, part),
            log_of(folder, part),
        )
        for part, process in recorded.parts.items()
    ]


def log_of(folder: Path, part: str) -> Path:
    """Where a part writes what it has to say."""
    return folder / "logs" / f"{part}.log"


def tail(log: Path, lines: int = _TAIL) -> str:
    """The last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""


def _prepare(folder: Path) -> None:
    for name in ("logs", "tmp"):
        (folder / name).mkdir(parents=True, exist_ok=True)


def _start(part: str, started: State, folder: Path) -> processes.Process:
    environment = settings.part_environment(started.ports, folder)
    if part == "gateway":
        environment |= settings.gateway_environment(started.ports)
    environment["COMMONS_LOCAL_PORT"] = str(getattr(started.ports, part))
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(settings.CHECKOUT), os.environ.get("PYTHONPATH")])
    )
    return processes.start(
        [sys.executable, "-m", PARTS[part]], environment, log_of(folder, part), settings.CHECKOUT
    )


def _wait(part: str, started: State, folder: Path) -> None:
    until = time.monotonic() + START_SECONDS
    port = getattr(started.ports, part)
    while not _listens(port):
        if not processes.alive(started.parts[part]):
            raise PartFailed(f"{part} ended while starting:\n{tail(log_of(folder, part))}")
        if time.monotonic() > until:
            raise PartFailed(
                f"{part} does not listen on port {port} after {START_SECONDS:.0f} s:\n"
                f"{tail(log_of(folder, part))}"
            )
        time.sleep(0.05)
    if not processes.alive(started.parts[part]):
        raise PartFailed(f"{part} ended while starting:\n{tail(log_of(folder, part))}")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
