"""The events the product emits: source `gpu.commons`, on the default bus."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

SOURCE = "gpu.commons"


class OutgoingEvent(BaseModel):
    """One entry of PutEvents. `detail` must be JSON; `resources` are ARNs it is about."""

    model_config = ConfigDict(frozen=True)

    # EventBridge takes at most 128 characters
    detail_type: str = Field(min_length=1, max_length=128)
    detail: dict[str, Any]
    resources: list[str] = []
