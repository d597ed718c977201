"""A 'Step Functions Execution Status Change' event: which team's execution ended."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from commons.domain.document_parts import Slug
from commons.domain.incoming import read_json, read_message


class _Input(BaseModel):
    team: Slug


class _Detail(BaseModel):
    execution_arn: str = Field(alias="executionArn")
    status: str
    input: _Input

    @field_validator("input", mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return read_json(value) if isinstance(value, str) else value


class ExecutionEnd(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    detail: _Detail

    @property
    def team(self) -> str:
        return self.detail.input.team


def read_execution_end(name: str, body: str) -> ExecutionEnd:
    """Raises RefusedInput for the message `name` if it is no such event."""
    return read_message(ExecutionEnd, name, body)
