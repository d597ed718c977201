"""A run: one execution of one export, summarised, allocated and, if proven, current."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from commons.domain.chargeback_lines import day_bounds
from commons.domain.events import OutgoingEvent
from commons.domain.money import plain
from commons.domain.pools import period_days

# how long a run that was replaced can still be looked at
KEEP_SUPERSEDED = timedelta(days=90)


class RunRef(BaseModel):
    """How the state machine names a run: two ids, whatever the size of the report."""

    model_config = ConfigDict(frozen=True)

    period: str
    run_id: str


class Outcome(BaseModel):
    """What allocation found, stored beside the lines."""

    model_config = ConfigDict(frozen=True)

    currency: str
    total: Decimal
    source_total: Decimal
    report_total: Decimal
    outside_total: Decimal
    lines: int
    warnings: list[str] = []


class Failure(BaseModel):
    """An error as Step Functions hands it on: its name, and a cause that may be JSON."""

    Error: str
    Cause: str = ""

    @property
    def sentence(self) -> str:
        try:
            cause = json.loads(self.Cause)
        except ValueError:
            return self.Cause or self.Error
        if isinstance(cause, dict) and "errorMessage" in cause:
            return str(cause["errorMessage"])
        return self.Cause

    @property
    def status(self) -> str:
        """`refused`: the input must change. `failed`: the same input may work another time."""
        return "refused" if self.Error in ("RefusedInput", "StillConverging") else "failed"


def status_at(period: str, now: datetime) -> str:
    """`open` until the period has ended (UTC), then `provisional` until somebody closes it."""
    _, after = period_days(period)
    return "provisional" if now.astimezone(UTC) >= day_bounds(after)[0] else "open"


def expiry(now: datetime) -> int:
    """When a superseded run's items go, in epoch seconds."""
    return int((now + KEEP_SUPERSEDED).timestamp())


def published(ref: RunRef, outcome: Outcome, status: str, previous: str | None) -> OutgoingEvent:
    return OutgoingEvent(
        detail_type="ChargebackPublished",
        detail={
            "schemaVersion": "1",
            "period": ref.period,
            "runId": ref.run_id,
            "status": status,
            "currency": outcome.currency,
            "total": plain(outcome.total),
            "sourceTotal": plain(outcome.source_total),
            "previousRunId": previous,
        },
    )
