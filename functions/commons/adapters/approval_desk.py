"""Takes decisions: recorded first, once, then sent to what waits for them."""

from datetime import datetime

from commons.adapters.approval_table import ApprovalTable
from commons.adapters.task_tokens import TaskTokens
from commons.domain.approvals import Approval, Decision, answer, decide, refusal
from commons.domain.status import iso

# how the state machine knows it from a failure
REJECTED = "Rejected"


class ApprovalDesk:
    def __init__(self, table: ApprovalTable, tokens: TaskTokens) -> None:
        self._table = table
        self._tokens = tokens

    def decide(
        self, approval_id: str, who: str, decision: Decision, comment: str | None, now: datetime
    ) -> Approval:
        """A decision whose sending failed is sent when the same is decided again.

        Raises NotFound, NotAllowed, TooLate; ChangedMeanwhile if two decide at once.
        """
        found = self._table.get(approval_id)
        decided = decide(found, who, decision, comment, now)
        if decided is not found:
            self._table.end(decided, now)
        if decided.sent_at is None:
            self.send(decided, now)
        return self._table.get(approval_id)

    def send(self, decided: Approval, now: datetime) -> None:
        """Raises TooLate if nobody waits any more."""
        if decided.state == "approved":
            self._tokens.succeed(decided.token, answer(decided))
        else:
            self._tokens.fail(decided.token, REJECTED, refusal(decided))
        self._table.note_sent(decided.id, iso(now))
