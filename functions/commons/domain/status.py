"""How a team is: conditions of its facets, and the one phase that follows from them."""

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Phase = Literal["Ready", "Converging", "Held", "Conflict", "Blocked", "Failed", "Frozen", "Leaving"]

# what an error of a facet means for the phase; any other error is a failure
_PHASE_BY_REASON: dict[str, Phase] = {
    "StillConverging": "Converging",
    "Throttled": "Converging",
    "ChangedMeanwhile": "Converging",
    "AskedAgain": "Converging",
    "StillDraining": "Converging",
    "LeftToAPerson": "Leaving",
    "Held": "Held",
    "Conflict": "Conflict",
    "Blocked": "Blocked",
    "GroupMissing": "Blocked",
    "QuotaExceedsCapacity": "Blocked",
}
_WORST_FIRST: tuple[Phase, ...] = ("Failed", "Blocked", "Conflict", "Held", "Converging")
_PHASE_BY_STATE: dict[str, Phase] = {"frozen": "Frozen", "leaving": "Leaving"}


class Condition(BaseModel):
    """One thing that is true or not, why, and what a person may do about it.

    `reason` is one word. `since` (ISO 8601, UTC) is set where the condition is recorded.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: str
    status: Literal["True", "False"]
    reason: str
    message: str
    since: str | None = None


def conditions_of(type_: str, outcome: dict[str, Any]) -> list[Condition]:
    """What a facet answered, or the error it ended with as the condition of that type.

    `outcome` is {"conditions": [...]} or {"error": <class>, "cause": <JSON or text>}.
    """
    if "error" not in outcome:
        return [Condition.model_validate(c) for c in outcome.get("conditions", [])]
    return [
        Condition(
            type=type_,
            status="False",
            reason=outcome["error"],
            message=sentence(outcome.get("cause")),
        )
    ]


def sentence(cause: Any) -> str:
    """The sentence of an error as Step Functions hands it on: Lambda wraps it in JSON."""
    if isinstance(cause, str) and cause.startswith("{"):
        with suppress(ValueError):
            cause = json.loads(cause)
    if isinstance(cause, dict):
        return str(cause.get("errorMessage", cause))
    return str(cause or "")


def with_since(
    new: Iterable[Condition], old: Iterable[Condition], now: datetime
) -> list[Condition]:
    """The new conditions; `since` is kept where neither status nor reason has changed."""
    before = {c.type: c for c in old}
    result = []
    for condition in new:
        former = before.get(condition.type)
        same = former and (former.status, former.reason) == (condition.status, condition.reason)
        since = former.since if former and same else None
        result.append(condition.model_copy(update={"since": since or iso(now)}))
    return result


def changed(new: Iterable[Condition], old: Iterable[Condition]) -> list[Condition]:
    """Conditions whose status or reason differs from before, for those who follow events."""
    before = {(c.type, c.status, c.reason) for c in old}
    return [c for c in new if (c.type, c.status, c.reason) not in before]


def phase_of(conditions: Iterable[Condition], state: str = "active") -> Phase:
    """The worst thing that holds; a team that is frozen or leaves is so whatever else is well."""
    phases = {_PHASE_BY_REASON.get(c.reason, "Failed") for c in conditions if c.status != "True"}
    worst = next((phase for phase in _WORST_FIRST if phase in phases), None)
    return worst or _PHASE_BY_STATE.get(state, "Ready")


def iso(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")
