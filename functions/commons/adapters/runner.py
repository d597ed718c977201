"""Requests, starts and ends the reconciles of a team: one at a time, and none is lost."""

from datetime import datetime

from commons.adapters.executions import Executions
from commons.adapters.runner_items import RunnerItems
from commons.domain.runner import after_death, execution_name
from commons.domain.status import Condition, iso
from commons.domain.team import TeamStatus

_GAVE_UP = Condition(
    type="Reconciled",
    status="False",
    reason="ExecutionFailed",
    message=(
        "The reconcile ended several times in a row without an outcome; look at the executions of "
        "the state machine, then run: commons team reconcile TEAM"
    ),
)


class Runner:
    def __init__(self, table: RunnerItems, executions: Executions) -> None:
        self._table = table
        self._executions = executions

    def request(self, team: str, now: datetime) -> None:
        """Have the team looked at again: by the execution under way if that can still see it."""
        status = self._table.add_request(team)
        arn = status.execution_arn or self._claim(team, status, now)
        if arn:
            # also an execution recorded by somebody who may have died before starting it
            self._executions.start(arn, team)

    def finish(self, team: str, execution_arn: str, seen: int, now: datetime) -> None:
        """At an execution's end: free the team, or start the next if somebody has asked since."""
        if self._table.release(team, execution_arn, seen):
            return
        status = self._table.status(team)
        if status.execution_arn == execution_arn:
            self._table.hand_over(team, execution_arn, self._next(team, status, now), status, 0)
        self._start_recorded(team, execution_arn)

    def died(self, team: str, execution_arn: str, now: datetime) -> None:
        """An execution ended; if it left no outcome, start another, but not for ever."""
        status = self._table.status(team)
        match after_death(status, execution_arn):
            case "again":
                arn = self._next(team, status, now)
                self._table.hand_over(team, execution_arn, arn, status, status.failures + 1)
            case "give up":
                condition = _GAVE_UP.model_copy(update={"since": iso(now)})
                self._table.give_up(team, execution_arn, condition)
        self._start_recorded(team, execution_arn)

    def check(self, team: str, now: datetime) -> str | None:
        """Mend a recorded execution that does not run; returns what was wrong, if anything."""
        arn = self._table.status(team).execution_arn
        if arn is None:
            return None
        state = self._executions.status(arn)
        if state == "RUNNING":
            return None
        if state is None:
            self._executions.start(arn, team)
            return "execution_never_started"
        self.died(team, arn, now)
        return "execution_ended_unnoticed"

    def _claim(self, team: str, status: TeamStatus, now: datetime) -> str | None:
        arn = self._next(team, status, now)
        if self._table.claim(team, arn, status):
            return arn
        # whoever was quicker claimed after our request was counted, so theirs sees what we saw
        return self._table.status(team).execution_arn

    def _next(self, team: str, status: TeamStatus, now: datetime) -> str:
        return self._executions.arn(execution_name(team, status, now))

    def _start_recorded(self, team: str, former_arn: str) -> None:
        current = self._table.status(team).execution_arn
        if current and current != former_arn:
            self._executions.start(current, team)
