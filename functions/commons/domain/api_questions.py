"""What the HTTP API is asked about a chargeback: the parameters of a request."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from commons.domain.chargeback_query import DIMENSIONS
from commons.domain.pages import LARGEST, USUAL

PERIOD_PATTERN = r"^\d{4}-(0[1-9]|1[0-2])$"
_RUN_ID = r"^[0-9a-f]{16}$"
Word = Annotated[str, StringConstraints(max_length=512)]
RunId = Annotated[str, StringConstraints(pattern=_RUN_ID)]
Day = Annotated[str, StringConstraints(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]


class Filters(BaseModel):
    """Each chooses what has that value; an empty one what has none. None changes an amount."""

    model_config = ConfigDict(frozen=True)

    cluster: Word | None = Field(default=None, description="ARN of a HyperPod cluster.")
    namespace: Word | None = Field(default=None, description="Name of a namespace.")
    team: Word | None = Field(default=None, description="Id of a team; empty: no team's.")
    cost_center: Word | None = Field(default=None, description="Code; empty: no cost centre's.")
    component: Word | None = Field(default=None, description="For instance reserved.")
    day: Day | None = Field(default=None, description="UTC day, YYYY-MM-DD.")

    def chosen(self) -> dict[str, str]:
        """The filters that were given, by dimension."""
        given = self.model_dump(include=set(DIMENSIONS))
        return {name: value for name, value in given.items() if value is not None}


class Paged(Filters):
    run_id: RunId | None = Field(
        default=None, description="A published run of the month. Default: the current one."
    )
    cursor: Word | None = Field(default=None, description="As the page before had it.")
    limit: int = Field(default=USUAL, ge=1, le=LARGEST, description="Entries of a page.")


class SummaryQuestion(Paged):
    by: Word = Field(
        default="", description=f"Any of {', '.join(DIMENSIONS)}, with commas between them."
    )
