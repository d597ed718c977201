"""Finds and reads what the parts and the functions said."""

import time
from collections.abc import Iterator
from pathlib import Path

_FOLLOW_SECONDS = 0.3


def of_part(folder: Path, part: str) -> Path:
    """Where a part writes what it has to say."""
    return folder / "logs" / f"{part}.log"


def known(folder: Path) -> dict[str, Path]:
    """Every log by name: a part's, or a function's."""
    return {log.stem: log for log in sorted((folder / "logs").rglob("*.log"))}


def named(name: str, files: dict[str, Path]) -> Path | None:
    """The log of that name, or of the one function whose name has it in it."""
    if name in files:
        return files[name]
    wanted = name.replace("_", "").lower()
    found = [log for known, log in files.items() if wanted in known.replace("_", "").lower()]
    return found[0] if len(found) == 1 else None


def tail(log: Path, lines: int = 15) -> str:
    """The last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""


def follow(log: Path) -> Iterator[str]:
    """What is added to a log from now on, for ever."""
    with log.open(errors="replace") as lines:
        lines.seek(0, 2)
        while True:
            if text := lines.read():
                yield text
            else:
                time.sleep(_FOLLOW_SECONDS)
