"""The tables of docs/security.md that a run on a real cluster has filled."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cli.markdown import code, table
from commons.domain.membership import ROLES

RESULTS = Path(__file__).parents[1] / "docs" / "isolation.json"
_READ = ("get", "list", "watch")
_CALLERS = {
    "administrator": "an operator",
    "amber favourite": "a favourite",
    "amber pod": "a favourite pod",
    "coast pod": "a pod",
    "cobalt guest": "a guest",
}


def isolation() -> str:
    """How many questions were asked, and what the server lets each role do at home."""
    results = _results()
    cells: dict[str, int] = results["cells"]
    counted = ", ".join(f"{number:,} {place}" for place, number in cells.items())
    asked = f"{sum(cells.values()):,} questions, each answered as it must be: {counted}.\n\n"
    return asked + table(
        ["kind", *ROLES],
        (
            [code(kind), *(_verbs(by_role[role]) for role in ROLES)]
            for kind, by_role in results["roles"].items()
        ),
    )


def escapes() -> str:
    """Every attempt, by its subject, with the server's reason."""
    results = _results()
    attempts: list[dict[str, Any]] = results["attempts"]
    tables = [
        f"**{theme.rstrip('.')}**\n\n"
        + _attempts(each for each in attempts if each["theme"] == theme)
        for theme in dict.fromkeys(each["theme"] for each in attempts)
    ]
    taken_in = table(
        ["a member tries to", "what comes of it"],
        ([each["what"], _plain(each["came_of"])] for each in results["taken_in"]),
    )
    return "\n".join([*tables, f"**Taken in, and without effect**\n\n{taken_in}"])


BLOCKS: dict[str, Callable[[], str]] = {"isolation": isolation, "escapes": escapes}


def _results() -> dict[str, Any]:
    return dict(json.loads(RESULTS.read_text()))


def _attempts(attempts: Iterable[dict[str, Any]]) -> str:
    return table(
        ["who", "tries to", "stopped by", "answer"],
        (
            [
                _who(each["who"]),
                each["what"],
                code(each["by"]) if each["by"].startswith("commons-") else each["by"],
                f"{each['status']} {_plain(_essence(each['reason']))}",
            ]
            for each in attempts
        ),
    )


def _who(caller: str) -> str:
    team, _, role = caller.partition(" ")
    return _CALLERS.get(caller) or (f"a {role}" if team == "amber" else "–")


def _verbs(verbs: list[str]) -> str:
    if set(_READ) <= set(verbs):
        verbs = ["read", *(verb for verb in verbs if verb not in _READ)]
    return ", ".join(verbs) or "–"


def _essence(reason: str) -> str:
    """Without what the other columns say: the object, the policy."""
    for before in (" denied request: ", " is forbidden: ", " is invalid: "):
        reason = reason.partition(before)[2] or reason
    return reason


def _plain(text: str) -> str:
    """What would be read as Markdown or HTML, and a cell's own end, as they are."""
    for sign in "\\*<[`":
        text = text.replace(sign, f"\\{sign}")
    return text
