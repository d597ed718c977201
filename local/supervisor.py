"""Starts the parts of the local cloud, watches them come up, and ends what it started."""

import fcntl
import os
import shutil
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from local import fixtures, logs, processes, settings, state
from local.cluster import Cluster
from local.settings import Ports
from local.state import State

# a part is a module that serves its port until ended
PARTS = {
    "gateway": "local.gateway",
    "directory": "local.directory",
    "kubernetes": "local.kubernetes",
}
START_SECONDS = 60.0

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


def up(
    folder: Path,
    port_base: int | None = None,
    say: Say = lambda _: None,
    cluster: Cluster | None = None,
) -> State | None:
    """Start the local cloud; None if it runs already.

    Raises PartFailed or PortTaken, and what `Cluster.check` raises.
    """
    cluster = cluster or Cluster()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two at once would start two
        if _runs(folder):
            return None
        cluster.check()
        return _start_all(settings.choose_ports(port_base), folder, say, cluster)


def _runs(folder: Path) -> bool:
    """Whether all runs, or nothing; raises PartFailed where only some parts have ended."""
    ended = [part for part in status(folder) if part.state != "running"]
    recorded = state.read(folder)
    if recorded is None or len(ended) == len(recorded.parts):
        return False
    if ended:
        told = "\n".join(str(_failure(p.part, "ended by itself", folder)) for p in ended)
        raise PartFailed(f"{told}\nEnd the others first: commons local down")
    return True


def _start_all(ports: Ports, folder: Path, say: Say, cluster: Cluster) -> State:
    _clear(folder)
    started = State(ports=ports, parts={}, kubernetes=cluster.kubernetes, nodes=cluster.nodes)
    try:
        for part in PARTS:
            say(f"starting {part}")
            process = _start(part, ports, folder, cluster)
            started = started.model_copy(update={"parts": {**started.parts, part: process}})
            state.write(started, folder)
        for part, process in started.parts.items():
            say(f"waiting for {part}")
            _wait(part, process, getattr(ports, part), folder)
        if cluster.kubernetes != "embedded":
            _wait_until_ready("kubernetes", started.parts["kubernetes"], folder)
        say("making what every account has")
        complete = started.model_copy(update={"fixtures": fixtures.create(started, folder)})
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
    shutil.rmtree(folder / "tmp", ignore_errors=True)  # a dying worker may still write there
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
            logs.of_part(folder, part),
        )
        for part, process in recorded.parts.items()
    ]


def _clear(folder: Path) -> None:
    """A new start knows nothing of the one before."""
    for name in ("logs", "tmp", "unpacked", "kubernetes"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in ("logs", "tmp"):
        (folder / name).mkdir()


def _start(part: str, ports: Ports, folder: Path, cluster: Cluster) -> processes.Process:
    environment = {**settings.part_environment(ports, folder), **cluster.environment()}
    if part == "gateway":
        environment |= settings.gateway_environment(ports)
    module = cluster.module if part == "kubernetes" else PARTS[part]
    environment["COMMONS_LOCAL_PORT"] = str(getattr(ports, part))
    paths = [str(settings.CHECKOUT), os.environ.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command = [sys.executable, "-m", module]
    return processes.start(command, environment, logs.of_part(folder, part), settings.CHECKOUT)


def _wait(part: str, process: processes.Process, port: int, folder: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while not listens(port):
        if not processes.alive(process):
            raise _failure(part, "ended while starting", folder)
        if time.monotonic() > until:
            raise _failure(part, f"did not listen on port {port} in {START_SECONDS:.0f} s", folder)
        time.sleep(0.05)
    if not processes.alive(process):  # then somebody else listens there
        raise _failure(part, "ended while starting", folder)


def _wait_until_ready(part: str, process: processes.Process, folder: Path) -> None:
    """A part of several processes listens before it is complete; a file says when it is."""
    until = time.monotonic() + START_SECONDS
    while not (folder / part / "ready").exists():
        if not processes.alive(process):
            raise _failure(part, "ended while starting", folder)
        if time.monotonic() > until:
            raise _failure(part, f"was not ready in {START_SECONDS:.0f} s", folder)
        time.sleep(0.05)


def _failure(part: str, what: str, folder: Path) -> PartFailed:
    return PartFailed(f"{part} {what}:\n{logs.tail(logs.of_part(folder, part))}")


def listens(port: int) -> bool:
    """Whether somebody accepts connections on a loopback port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
