"""A run: one execution of one export, summarised, allocated and, if proven, current."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict

from commons.domain.cost_basis import Basis
from commons.domain.cost_bridge import Step
from commons.domain.events import OutgoingEvent
from commons.domain.money import plain
from commons.domain.usage import day_bounds, month

# how long a run that was replaced can still be looked at
KEEP_SUPERSEDED = timedelta(days=90)


class ReportRef(BaseModel):
    """How the state machine names a cost report: two ids, whatever its size."""

    model_config = ConfigDict(frozen=True)

    period: str
    report_id: str


class RunRef(BaseModel):
    """The same of a run: a report under certain inputs, that is rules, use, quotas and owners."""

    model_config = ConfigDict(frozen=True)

    period: str
    run_id: str


class Outcome(BaseModel):
    """What allocation found, stored beside the lines.

    `source_total` = in scope + scheduled + corrections; in scope + outside = report.
    """

    model_config = ConfigDict(frozen=True)

    currency: str
    basis: Basis
    total: Decimal
    source_total: Decimal
    report_total: Decimal
    outside_total: Decimal
    scheduled_total: Decimal
    corrections_total: Decimal
    lines: int
    warnings: list[str] = []
    bridge: list[Step] = []


class Error(BaseModel):
    """As Step Functions hands it on: a name, and a cause that is JSON if a function raised it."""

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


class Failed(BaseModel):
    """What the failure step gets; `report` and `run` are empty if they had no name yet.

    `execution` is the one that failed, also where a worker of its Map tells it.
    """

    error: Error
    report: dict[str, str] = {}
    run: dict[str, str] = {}
    execution: str
    machine: str
    input: dict[str, Any]

    @property
    def report_ref(self) -> ReportRef | None:
        return ReportRef.model_validate(self.report) if self.report else None

    @property
    def ref(self) -> RunRef | None:
        return RunRef.model_validate(self.run) if self.run else None

    @property
    def name(self) -> str:
        """The manifest, as far as the event names one; else the report that was asked for again."""
        if again := self.input.get("again"):
            return f"report {again.get('report_id')} of {again.get('period')}, again"
        detail = self.input.get("detail", {})
        bucket, key = detail.get("bucket", {}).get("name"), detail.get("object", {}).get("key")
        return f"s3://{bucket}/{key}"

    @property
    def source(self) -> dict[str, str]:
        """What starts the same again."""
        return {"machine_arn": self.machine, "input": json.dumps(self.input)}


def status_at(period: str, now: datetime) -> str:
    """`open` until the period has ended (UTC), then `provisional` until somebody closes it."""
    _, last = month(period)
    return "provisional" if now.astimezone(UTC) >= day_bounds(last)[1] else "open"


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
