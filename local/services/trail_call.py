"""A call as CloudTrail records it: what was asked and answered, sensitive values hidden."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from local.services import clock

HIDDEN = "HIDDEN_DUE_TO_SECURITY_REASONS"


class Writer(StrEnum):
    """Who plays the writer of a call: each has a shape of its own."""

    API = "api"
    SCIM = "scim"
    CONSOLE = "console"
    LEGACY = "legacy"  # a SCIM token of before September 2024


class Call(BaseModel):
    """One recorded call of a service; sensitive values are hidden already."""

    model_config = ConfigDict(frozen=True)

    service: str
    action: str
    request: Any
    answer: Any = None
    error: tuple[str, str] | None = None
    subject: dict[str, Any] = Field(default_factory=dict)
    writer: Writer = Writer.API
    access_key: str = ""
    agent: str = ""
    at: datetime = Field(default_factory=clock.now)


def visible(shape: Any, value: Any) -> Any:
    """A request or answer as CloudTrail logs it: camel case, sensitive values hidden."""
    if shape is None or value in (None, {}):
        return None
    return _logged(shape, value)


def _logged(shape: Any, value: Any) -> Any:
    if shape.type_name == "structure":
        if shape.metadata.get("document") or getattr(shape, "is_document_type", False):
            return HIDDEN
        return {
            name[:1].lower() + name[1:]: _logged(shape.members[name], item)
            for name, item in value.items()
            if name in shape.members and item is not None
        }
    if shape.type_name == "list":
        return [_logged(shape.member, item) for item in value]
    if shape.metadata.get("sensitive"):
        return HIDDEN
    return value.isoformat() if isinstance(value, datetime) else value
