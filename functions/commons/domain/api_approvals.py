"""What the HTTP API answers about approvals."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from commons.domain.approvals import Approval
from commons.domain.status import iso


class Comment(BaseModel):
    """What is said with a decision; it is kept, and told to who asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    comment: str = Field(min_length=1, max_length=1_000)


class Entry(BaseModel):
    """An approval as people see it who asked for it or may decide it."""

    model_config = ConfigDict(frozen=True)

    id: str
    kind: str
    subject: str
    summary: str
    state: Literal["open", "approved", "rejected", "expired"]
    requested_by: str
    requested_at: str = Field(description="ISO 8601, UTC.")
    open_until: str = Field(description="ISO 8601, UTC.")
    approvers: list[str]
    decided_by: str | None
    decided_at: str | None = Field(description="ISO 8601, UTC.")
    comment: str | None


class Closing(BaseModel):
    """A month that is to be closed, once somebody else has approved it."""

    model_config = ConfigDict(frozen=True)

    period: str
    requested_by: str
    execution: str = Field(description="ARN of the execution that waits for the approval.")


def entry(found: Approval, now: datetime) -> Entry:
    same = found.model_dump(include=set(Entry.model_fields) - {"state", "open_until"})
    expired = found.state == "open" and not found.is_open(now)
    until = iso(datetime.fromtimestamp(found.open_until, UTC))
    return Entry(**same, state="expired" if expired else found.state, open_until=until)
