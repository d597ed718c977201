"""Who works on what: one state machine execution on a report, and one on a run of it.

Both copies of a manifest come, and each of them more than once; and a run may be asked for again
while it is made. An owner that died without saying so is recognised by its real state, never by a
time.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from commons.adapters.chargeback_table import ChargebackTable
from commons.adapters.executions import Executions
from commons.adapters.table_items import Item
from commons.domain.chargeback_run import RunRef
from commons.domain.cost_report import Report

_OLDER = "a newer execution is current"


class Decision(NamedTuple):
    work: bool
    reason: str


class ChargebackClaims:
    """`owner` is the ARN of a state machine execution."""

    def __init__(self, table: ChargebackTable, executions: Executions) -> None:
        self._table = table
        self._executions = executions

    def take_report(self, report: Report, owner: str, now: datetime) -> Decision:
        """Take a delivery unless it is done, being done, or older than what the period shows."""
        if self._table.is_older(report):
            return Decision(False, _OLDER)
        return self._taken(
            lambda dead: self._table.claim(report, owner, dead, now),
            lambda: self._table.report(report.ref),
            "this execution",
        )

    def take_run(self, run: RunRef, report: Report, owner: str, now: datetime) -> Decision:
        """Take a run unless it is the current one, being made, or of an older report."""
        if self._table.is_older(report):
            return Decision(False, _OLDER)
        if (self._table.current(run.period) or {}).get("run_id") == run.run_id:
            return Decision(False, "this report is current with these inputs")
        return self._taken(
            lambda dead: self._table.begin(run, report, owner, dead, now),
            lambda: self._table.run(run),
            "this run",
        )

    def _taken(
        self, take: Callable[[str | None], bool], read: Callable[[], Item | None], what: str
    ) -> Decision:
        if take(None):
            return Decision(True, f"{what} is to be worked on")
        holder = read() or {}
        if holder.get("status") != "running":
            return Decision(False, f"{what} was published before")
        other = str(holder["owner"])
        if self._executions.status(other) == "RUNNING":
            return Decision(False, f"{what} is being worked on by another delivery or request")
        if take(other):
            return Decision(True, f"{what} was begun by somebody who was stopped")
        return Decision(False, f"{what} was taken over by somebody else just now")
