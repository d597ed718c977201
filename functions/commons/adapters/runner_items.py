"""The runner of a team in the `teams` table: one execution at a time, and no request is lost.

`requested` counts requests. Whoever finds no execution recorded claims one by its name, so that a
requester that dies before it starts it is healed by the next. An execution is released only if
nobody has asked since it began; else the next one takes its place in the same write.
"""

from datetime import datetime
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase

from commons.adapters.aws_errors import translated
from commons.adapters.table_items import TableItems, absent
from commons.domain.status import Condition, iso
from commons.domain.team import TeamStatus, plain


class RunnerItems(TableItems):
    def status(self, team: str) -> TeamStatus:
        return TeamStatus.model_validate(plain(self._get(f"TEAM#{team}", "STATUS") or {}))

    def add_request(self, team: str) -> TeamStatus:
        """Count one more request and return what the runner then is."""
        with translated("requesting a reconcile"):
            answer = self._table.update_item(
                Key={"pk": f"TEAM#{team}", "sk": "STATUS"},
                UpdateExpression="ADD requested :one",
                ExpressionAttributeValues={":one": 1},
                ReturnValues="ALL_NEW",
            )
        return TeamStatus.model_validate(plain(answer["Attributes"]))

    def claim(self, team: str, execution_arn: str, before: TeamStatus) -> bool:
        """Record an execution about to be started; False if another has been recorded."""
        return self._take(team, execution_arn, before, absent("execution_arn"))

    def hand_over(
        self, team: str, old_arn: str, new_arn: str, before: TeamStatus, failures: int
    ) -> bool:
        """Record the next execution in the place of the old; False if that was done already.

        `failures`: how many executions in a row have then ended without an outcome.
        """
        mine = Attr("execution_arn").eq(old_arn)
        return self._take(team, new_arn, before, mine, {"failures": failures})

    def release(self, team: str, execution_arn: str, seen: int) -> bool:
        """Forget the execution; False if it is another's, or somebody has asked since."""
        mine = Attr("execution_arn").eq(execution_arn) & Attr("requested").eq(seen)
        return self._set(f"TEAM#{team}", "STATUS", {"execution_arn": None, "failures": 0}, mine)

    def note_outcome(
        self, team: str, phase: str, conditions: list[Condition], version: str | None, now: datetime
    ) -> None:
        values: dict[str, Any] = {
            "phase": phase,
            "conditions": [condition.model_dump() for condition in conditions],
            "document_version": version,
            "reconciled_at": iso(now),
            "failures": 0,
        }
        self._set(f"TEAM#{team}", "STATUS", values)

    def note_sweep(self, team: str, now: datetime) -> None:
        """A sweep found nothing that differs."""
        self._set(f"TEAM#{team}", "STATUS", {"swept_at": iso(now)})

    def give_up(self, team: str, execution_arn: str, why: Condition) -> bool:
        """Free the team as failed; False if another execution is recorded by now."""
        values = {
            "execution_arn": None,
            "failures": 0,
            "phase": "Failed",
            "conditions": [why.model_dump()],
        }
        mine = Attr("execution_arn").eq(execution_arn)
        return self._set(f"TEAM#{team}", "STATUS", values, mine)

    def _take(
        self,
        team: str,
        arn: str,
        before: TeamStatus,
        free: ConditionBase,
        more: dict[str, Any] | None = None,
    ) -> bool:
        values = {"execution_arn": arn, "runs": before.runs + 1, "claimed": before.requested}
        return self._set(f"TEAM#{team}", "STATUS", {**values, **(more or {})}, free)
