"""Approvals in the `teams` table, for good: who asked, who decided, when and with which words.

Items: APPROVAL#<id> / APPROVAL, kind=approval while undecided, then approval_ended; what kind of
approval it is stands in `what`.
"""

from collections.abc import Iterator
from datetime import datetime

from boto3.dynamodb.conditions import Attr

from commons.adapters.table_items import Item, TableItems, absent
from commons.domain.approvals import Approval
from commons.domain.errors import ChangedMeanwhile, NotFound

_UNDECIDED, _ENDED = "approval", "approval_ended"


class ApprovalTable(TableItems):
    def get(self, approval_id: str) -> Approval:
        """Raises NotFound."""
        item = self._get(_pk(approval_id), "APPROVAL")
        if item is None:
            raise NotFound(f"There is no approval {approval_id}")
        return _read(item)

    def undecided(self) -> Iterator[Approval]:
        """Also those that have expired."""
        return (_read(item) for item in self._of_kind(_UNDECIDED))

    def ended(self) -> Iterator[Approval]:
        return (_read(item) for item in self._of_kind(_ENDED))

    def ask(self, wanted: Approval) -> Approval:
        """Store a new one. Of one that is there already, only whom to answer is changed."""
        item: Item = {**wanted.model_dump(), "what": wanted.kind, "kind": _UNDECIDED}
        if not self._put({**item, "pk": _pk(wanted.id), "sk": "APPROVAL"}, absent("pk")):
            self._set(_pk(wanted.id), "APPROVAL", {"token": wanted.token, "sent_at": None})
        return self.get(wanted.id)

    def end(self, decided: Approval, now: datetime) -> None:
        """Record a decision, once. Raises ChangedMeanwhile if it is decided or has expired."""
        values = decided.model_dump(include={"state", "decided_by", "decided_at", "comment"})
        waits = Attr("state").eq("open") & Attr("open_until").gt(int(now.timestamp()))
        if not self._set(_pk(decided.id), "APPROVAL", {**values, "kind": _ENDED}, waits):
            raise ChangedMeanwhile(f"{decided.id} was decided by somebody else just now")

    def note_sent(self, approval_id: str, at: str) -> None:
        """The decision has reached what waits for it."""
        self._set(_pk(approval_id), "APPROVAL", {"sent_at": at})


def _read(item: Item) -> Approval:
    return Approval.model_validate({**item, "kind": item["what"]})


def _pk(approval_id: str) -> str:
    return f"APPROVAL#{approval_id}"
