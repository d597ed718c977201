"""Executions of the state machine that reconciles a team."""

import json
from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated


class Executions:
    def __init__(self, client: Any, machine_arn: str) -> None:
        self._client = client
        self._machine_arn = machine_arn

    def arn(self, name: str) -> str:
        """The ARN an execution of that name has, known before it is started."""
        return f"{self._machine_arn.replace(':stateMachine:', ':execution:')}:{name}"

    def start(self, execution_arn: str, team: str) -> None:
        """Start it by its name; that somebody else has done so already is as good."""
        try:
            with translated(f"starting the reconcile of team {team}"):
                self._client.start_execution(
                    stateMachineArn=self._machine_arn,
                    name=execution_arn.rpartition(":")[2],
                    input=json.dumps({"team": team}),
                )
        except ClientError as error:
            if code_of(error) != "ExecutionAlreadyExists":
                raise

    def status(self, execution_arn: str) -> str | None:
        """RUNNING, SUCCEEDED, FAILED, …; None for one that was never started."""
        try:
            with translated("describing an execution"):
                answer = self._client.describe_execution(executionArn=execution_arn)
        except ClientError as error:
            if code_of(error) != "ExecutionDoesNotExist":
                raise
            return None
        return str(answer["status"])
