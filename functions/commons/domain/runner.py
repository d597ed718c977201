"""The runner of a team: how executions are called, and what follows their end."""

from datetime import datetime
from typing import Literal

from commons.domain.team import TeamStatus

# an execution that ends without an outcome is followed by another, this many times in a row
TRIES = 3


def execution_name(team: str, before: TeamStatus, now: datetime) -> str:
    """At most 80 characters, none twice, even if the table was restored to an earlier day."""
    return f"{team}-{before.runs + 1}-{now:%Y%m%dT%H%M%S}"


def after_death(status: TeamStatus, execution_arn: str) -> Literal["nothing", "again", "give up"]:
    """What to do about an execution that ended and is perhaps still recorded as the running one."""
    if status.execution_arn != execution_arn:
        return "nothing"
    return "again" if status.failures + 1 < TRIES else "give up"
