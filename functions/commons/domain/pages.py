"""Answers that are too long for one: pages, and the cursor that leads from one to the next.

A cursor names its run. Whoever began to read a run reads it to the end, although another one has
become current meanwhile.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from commons.domain.errors import RefusedInput

# a thousand lines of long names are a third of what a function may answer, six megabytes
LARGEST, USUAL = 1_000, 200
_RUN_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Cursor:
    """`after`: what the last entry of a page is ordered by."""

    run_id: str
    after: tuple[str | None, ...]

    def text(self) -> str:
        """As it is handed out; nobody needs to read it."""
        plain = json.dumps([self.run_id, *self.after], separators=(",", ":"))
        return urlsafe_b64encode(plain.encode()).decode().rstrip("=")


def read_cursor(text: str, length: int) -> Cursor:
    """Raises RefusedInput unless it is a cursor whose entries are ordered by `length` values."""
    try:
        values = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError):
        values = None
    if not (isinstance(values, list) and len(values) == length + 1 and _are_words(values)):
        reason = "is not one that an answer to this question had; ask without it, from the start"
        raise RefusedInput("the cursor", [reason])
    return Cursor(values[0], tuple(values[1:]))


def _are_words(values: Sequence[object]) -> bool:
    run_id, *after = values
    if not (isinstance(run_id, str) and _RUN_ID.fullmatch(run_id)):
        return False
    return all(value is None or isinstance(value, str) for value in after)


def first_after[Entry](
    entries: Sequence[Entry], order: Callable[[Entry], Any], after: Any, limit: int
) -> tuple[Sequence[Entry], bool]:
    """At most `limit` entries behind `after`, and whether there are more; they are in `order`."""
    begin = 0 if after is None else bisect_right(entries, after, key=order)
    return entries[begin : begin + limit], begin + limit < len(entries)
