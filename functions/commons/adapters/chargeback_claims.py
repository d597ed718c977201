"""Who works on a delivery: one state machine execution per execution of an export.

Both copies of a manifest come, and each of them more than once. An owner that died without saying
so is recognised by its real state, never by a time.
"""

from datetime import datetime
from typing import NamedTuple

from commons.adapters.chargeback_table import ChargebackTable
from commons.adapters.executions import Executions
from commons.domain.cost_report import Report


class Decision(NamedTuple):
    work: bool
    reason: str


class ChargebackClaims:
    def __init__(self, table: ChargebackTable, executions: Executions) -> None:
        self._table = table
        self._executions = executions

    def decide(self, report: Report, owner: str, now: datetime) -> Decision:
        """Take the delivery for `owner` (the ARN of a state machine execution) unless it is done,
        being done, or older than what the period shows."""
        if self._table.is_older(report):
            return Decision(False, "a newer execution is current")
        if self._table.claim(report, owner, None, now):
            return Decision(True, "a report to work on")
        holder = self._table.holder(report) or {}
        if holder.get("status") != "running":
            return Decision(False, "this execution was published before")
        other = str(holder["owner"])
        if self._executions.status(other) == "RUNNING":
            return Decision(False, "another delivery of this execution is being worked on")
        if self._table.claim(report, owner, other, now):
            return Decision(True, "a report whose first attempt was stopped")
        return Decision(False, "somebody else took it over just now")
