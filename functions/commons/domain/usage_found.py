"""What one source of usage found out about one cluster, and which stretches it knows nothing of.

Every source answers in this shape, so that a bill reads them all alike: the product's own ledger,
and each form of AWS's usage report.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from pydantic import field_validator

from commons.domain.usage import Value, day_bounds, utc_days


class NamespaceUse(Value):
    """Device-hours of one namespace, team, instance type and UTC day, with ten places.

    `team` is as the source names it, empty where it names none. `outside_quota`: the use went
    past the queue, or the namespace has none.
    """

    namespace: str
    team: str = ""
    instance_type: str
    day: date
    own: Decimal
    borrowed: Decimal = Decimal(0)
    outside_quota: bool = False


class Gap(Value):
    """[start, end) in UTC: what stands there is the last known state, or nothing at all."""

    start: datetime
    end: datetime

    @field_validator("start", "end")
    @classmethod
    def _utc(cls, moment: datetime) -> datetime:
        return moment.astimezone(UTC)


class UsageFound(Value):
    """Of the cluster with the ARN `cluster`; uses, gaps and warnings in a fixed order."""

    cluster: str
    uses: tuple[NamespaceUse, ...] = ()
    gaps: tuple[Gap, ...] = ()
    warnings: tuple[str, ...] = ()

    def by_day(self) -> dict[tuple[str, str, date], tuple[Fraction, Fraction]]:
        """Own and borrowed device-hours by (namespace, instance type, day)."""
        found: dict[tuple[str, str, date], tuple[Fraction, Fraction]] = {}
        for use in self.uses:
            key = use.namespace, use.instance_type, use.day
            own, borrowed = found.get(key, (Fraction(0), Fraction(0)))
            found[key] = own + Fraction(use.own), borrowed + Fraction(use.borrowed)
        return found

    def missing(self) -> dict[date, timedelta]:
        """How much of each day is unknown; days that are known whole are left out."""
        found: dict[date, timedelta] = {}
        for gap in self.gaps:
            for day in utc_days(gap.start, gap.end):
                first, last = day_bounds(day)
                length = min(gap.end, last) - max(gap.start, first)
                found[day] = found.get(day, timedelta()) + length
        return {day: length for day, length in sorted(found.items()) if length}


def whole(day: date) -> Gap:
    start, end = day_bounds(day)
    return Gap(start=start, end=end)


def joined(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """The same stretches, each moment once, those that touch as one, in order."""
    found: list[Gap] = []
    for gap in sorted(gaps, key=lambda each: (each.start, each.end)):
        if gap.start >= gap.end:
            continue
        if found and gap.start <= found[-1].end:
            found[-1] = Gap(start=found[-1].start, end=max(found[-1].end, gap.end))
        else:
            found.append(gap)
    return tuple(found)
