"""What the local cloud wrote down: which role was judged for what."""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

FILE = "permissions.jsonl"


class Judged(BaseModel):
    """One judgement of a call of a role."""

    model_config = ConfigDict(frozen=True)

    role: str
    action: str
    resource: str
    allowed: bool


class Record:
    """Reads what came since it was last asked."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read = 0

    def fresh(self) -> set[Judged]:
        with self._file.open("rb") as lines:
            lines.seek(self._read)
            whole = lines.read().rpartition(b"\n")[0]
        self._read += len(whole) + bool(whole)
        return {Judged.model_validate(each) for each in _parsed(whole)}


def judged(file: Path) -> set[Judged]:
    """All of a file, each judgement once."""
    return Record(file).fresh()


def _parsed(lines: bytes) -> Iterator[dict[str, object]]:
    for line in set(lines.splitlines()):
        yield json.loads(line)
