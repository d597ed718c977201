"""Processes that a test run started and did not end, told by what they inherited (on Linux)."""

import contextlib
import os
import signal
import time
import uuid
from pathlib import Path

_VARIABLE = "COMMONS_TEST_RUN"
_GRACE_SECONDS = 5.0


def mark() -> None:
    """From now on every process that this one starts, and all that those start, is known."""
    os.environ[_VARIABLE] = uuid.uuid4().hex


def end() -> list[str]:
    """Command lines of those that still run after a moment in which they may end; ends them."""
    left = list(_settled().values())
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in _running():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        if not _settled():
            break
    return left


def _settled() -> dict[int, str]:
    until = time.monotonic() + _GRACE_SECONDS
    while (found := _running()) and time.monotonic() < until:
        time.sleep(0.2)
    return found


def _running() -> dict[int, str]:
    wanted = f"{_VARIABLE}={os.environ[_VARIABLE]}".encode()
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and wanted in _environment(folder):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                found[int(folder.name)] = b" ".join(words).decode(errors="replace").strip()
        except OSError:
            continue  # it ended meanwhile, or is another user's
    return found


def _environment(folder: Path) -> list[bytes]:
    return (folder / "environ").read_bytes().split(b"\0")
