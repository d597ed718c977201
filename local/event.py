"""What an EventBridge event is, for the intake and for the command that sends one."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Event(BaseModel):
    """The envelope EventBridge delivers; whatever else is in it is kept as it is."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)

    id: str
    source: str
    detail_type: str = Field(alias="detail-type")
    account: str
    time: datetime
    region: str
    detail: dict[str, Any]
    resources: list[str] = Field(default_factory=list)
