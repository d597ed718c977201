"""Approvals: something that hurts waits until a person says yes, who is not the one who asked.

There is one way for all of them. A state machine asks with a task token and waits; people who are
named decide, each by the identity that signed their call.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from commons.domain.errors import NotAllowed, RefusedInput, TooLate
from commons.domain.events import OutgoingEvent
from commons.domain.status import iso

CLOSE_PERIOD = "close_period"
# as long as the state machine waits, unless it says otherwise
VALID_SECONDS = 7 * 24 * 3600

Decision = Literal["approved", "rejected"]


class ApprovalRequest(BaseModel):
    """What the step of a state machine gets: what waits, who wants it, and who may say yes.

    `subject`: what it is about, for instance a month. `requested_by`, `approvers`: user names.
    """

    model_config = ConfigDict(frozen=True)

    token: str
    kind: str
    subject: str
    summary: str
    requested_by: str
    approvers: list[str]
    execution: str
    valid_seconds: int = Field(default=VALID_SECONDS, gt=0)

    @property
    def id(self) -> str:
        """The same for a step that is tried again."""
        parts = "\0".join([self.execution, self.kind, self.subject])
        return hashlib.sha256(parts.encode()).hexdigest()[:16]


class Approval(BaseModel):
    """A request and what became of it. `open_until` is in epoch seconds, other times ISO 8601."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    kind: str
    subject: str
    summary: str
    requested_by: str
    requested_at: str
    approvers: list[str]
    open_until: int
    token: str
    execution: str
    state: Literal["open", "approved", "rejected"] = "open"
    decided_by: str | None = None
    decided_at: str | None = None
    comment: str | None = None
    sent_at: str | None = None

    def is_open(self, now: datetime) -> bool:
        """Whether somebody may still decide: what has expired is not, whatever is stored."""
        return self.state == "open" and now.timestamp() < self.open_until


def approval(request: ApprovalRequest, now: datetime) -> Approval:
    """Raises RefusedInput where nobody could ever say yes."""
    if not _others(request.approvers, request.requested_by):
        raise RefusedInput(
            f"the approval of {request.kind} {request.subject}",
            ["nobody but the one who asked may approve it; name more approvers in the document"],
        )
    until = now + timedelta(seconds=request.valid_seconds)
    return Approval(
        **request.model_dump(exclude={"valid_seconds"}),
        id=request.id,
        requested_at=iso(now),
        open_until=int(until.timestamp()),
    )


def may_see(found: Approval, user_name: str) -> bool:
    return user_name in found.approvers or _same(found.requested_by, user_name)


def decide(
    found: Approval, user_name: str, decision: Decision, comment: str | None, now: datetime
) -> Approval:
    """As it is once decided; unchanged if the same was decided before, so that it is sent again.

    Raises NotAllowed for who may not decide it, TooLate for what is decided otherwise or expired.
    """
    if _same(found.requested_by, user_name):
        raise NotAllowed(f"You asked for {found.id} yourself: somebody else must decide it")
    if user_name not in found.approvers:
        raise NotAllowed(f"{user_name} is not among those who may decide {found.id}")
    if found.state == decision:
        return found
    if found.state != "open":
        raise TooLate(f"{found.id} was {found.state} by {found.decided_by} at {found.decided_at}")
    if not found.is_open(now):
        raise TooLate(f"{found.id} has expired: it must be asked for again")
    changed = {"state": decision, "decided_by": user_name, "decided_at": iso(now)}
    return found.model_copy(update={**changed, "comment": comment})


def answer(found: Approval) -> dict[str, Any]:
    """What the state machine goes on with once it is approved."""
    return {"approval_id": found.id, "decided_by": found.decided_by, "decided_at": found.decided_at}


def refusal(found: Approval) -> str:
    """Why it does not go on once it is rejected."""
    said = f": {found.comment}" if found.comment else ""
    return f"{found.decided_by} rejected {found.kind} {found.subject}{said}"


def requested_event(found: Approval) -> OutgoingEvent:
    """ApprovalRequested; who asked and who may decide is told to them alone."""
    return OutgoingEvent(
        detail_type="ApprovalRequested",
        detail={
            "schemaVersion": "1",
            "approvalId": found.id,
            "kind": found.kind,
            "subject": found.subject,
            "summary": found.summary,
            "openUntil": found.open_until,
            "executionArn": found.execution,
        },
    )


def notice(found: Approval) -> tuple[str, str]:
    """Title and text for people."""
    return (
        f"GPU Commons: {found.kind.replace('_', ' ')} {found.subject} waits for approval",
        f"{found.summary}\n\nAsked for by {found.requested_by}. One of "
        f"{', '.join(_others(found.approvers, found.requested_by))} decides:\n\n"
        f"    commons approval approve {found.id}\n    commons approval reject {found.id}\n",
    )


def _others(approvers: list[str], requested_by: str) -> list[str]:
    return [name for name in approvers if not _same(name, requested_by)]


def _same(one: str, other: str) -> bool:
    """Whether two names could be one person's: a directory ignores their case."""
    return one.casefold() == other.casefold()
