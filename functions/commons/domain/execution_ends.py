"""A 'Step Functions Execution Status Change' event: which team's execution ended."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from commons.domain.errors import RefusedInput
from commons.domain.faults import faults_of


class _Input(BaseModel):
    team: str


class _Detail(BaseModel):
    execution_arn: str = Field(alias="executionArn")
    status: str
    input: _Input

    @field_validator("input", mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value


class ExecutionEnd(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    detail: _Detail

    @property
    def team(self) -> str:
        return self.detail.input.team


def read_execution_end(name: str, body: str) -> ExecutionEnd:
    """Raises RefusedInput for the message `name` if it is no such event."""
    try:
        return ExecutionEnd.model_validate(json.loads(body))
    except ValidationError as error:
        raise RefusedInput(name, [fault.at(None) for fault in faults_of(error)]) from error
    except ValueError as error:
        raise RefusedInput(name, [f"is not JSON: {error}"]) from error
