"""Device-hours of a namespace: pure arithmetic over intervals, ceilings and quotas, exact in UTC.

A device is one unit of the instance type's dominant resource (`instance_types`). At every instant
borrowed = max(0, held - own ceiling) and own = held - borrowed; the ceiling is what the namespace's
ClusterQueue says it may use without borrowing.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, localcontext
from itertools import pairwise
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

PLACES = Decimal("1e-10")
_HOUR = Decimal(3_600_000_000)
_DAY = timedelta(days=1)
# exact sums of microseconds times devices need more than the default 28 digits
_DIGITS = 60


class Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class DeviceHours(Value):
    """Each with ten places; own + borrowed = held, to the last digit."""

    held: Decimal = Decimal(0)
    own: Decimal = Decimal(0)
    borrowed: Decimal = Decimal(0)


class DailyUsage(DeviceHours):
    """What a namespace used of one instance type on one UTC day, as known at `as_of`."""

    cluster: str
    namespace: str
    instance_type: str
    day: date
    as_of: datetime


class QuotaVersion(Value):
    """What a namespace was granted from a moment on: devices by instance type."""

    effective_from: datetime
    version: int
    resources: Mapping[str, Decimal]
    strategy: str


class Interval(NamedTuple):
    """`devices` were held from `start` up to `end`."""

    start: datetime
    end: datetime
    devices: Decimal


class Reading(NamedTuple):
    """From `since` on, the queue granted `devices` as the namespace's own."""

    since: datetime
    devices: Decimal


def utc_days(start: datetime, end: datetime) -> list[date]:
    """Every UTC day that has an instant of [start, end); the day of `start` at least."""
    first = start.astimezone(UTC).date()
    last = (end - timedelta(microseconds=1)).astimezone(UTC).date()
    return [first + _DAY * n for n in range(max((last - first).days, 0) + 1)]


def month(period: str) -> tuple[date, date]:
    """First and last day of a period `YYYY-MM`."""
    first = date.fromisoformat(f"{period}-01")
    after = (first.replace(day=28) + 4 * _DAY).replace(day=1)
    return first, after - _DAY


def month_before(period: str) -> str:
    """The period before a period, both `YYYY-MM`."""
    return f"{month(period)[0] - _DAY:%Y-%m}"


def day_bounds(day: date) -> tuple[datetime, datetime]:
    midnight = datetime.combine(day, time(), UTC)
    return midnight, midnight + _DAY


def device_hours(
    intervals: Sequence[Interval], ceilings: Sequence[Reading], start: datetime, end: datetime
) -> DeviceHours:
    """Held, own and borrowed within [start, end), over the intervals of one instance type.

    Without any reading of the queue everything is own; before the first reading the first holds.
    """
    with localcontext(prec=_DIGITS):
        held = borrowed = Decimal(0)
        for length, level, ceiling in _segments(intervals, sorted(ceilings), start, end):
            held += level * length
            if ceiling is not None:
                borrowed += max(level - ceiling, Decimal(0)) * length
        total, lent = (held / _HOUR).quantize(PLACES), (borrowed / _HOUR).quantize(PLACES)
    return DeviceHours(held=total, own=total - lent, borrowed=lent)


def _segments(
    intervals: Sequence[Interval], ceilings: Sequence[Reading], start: datetime, end: datetime
) -> Iterator[tuple[Decimal, Decimal, Decimal | None]]:
    """(microseconds, devices held, ceiling) of each stretch in which neither changes."""
    steps: dict[datetime, Decimal] = {start: Decimal(0), end: Decimal(0)}
    for reading in ceilings:
        if start < reading.since < end:
            steps.setdefault(reading.since, Decimal(0))
    for each in intervals:
        first, last = max(each.start, start), min(each.end, end)
        if first < last:
            steps[first] = steps.get(first, Decimal(0)) + each.devices
            steps[last] = steps.get(last, Decimal(0)) - each.devices
    level = Decimal(0)
    moments = sorted(steps)
    for moment, following in pairwise(moments):
        level += steps[moment]
        yield _microseconds(following - moment), level, _ceiling(ceilings, moment)


def _ceiling(ceilings: Sequence[Reading], moment: datetime) -> Decimal | None:
    before = [reading for reading in ceilings if reading.since <= moment]
    found = before[-1:] or ceilings[:1]
    return found[0].devices if found else None


def _microseconds(length: timedelta) -> Decimal:
    return Decimal(length // timedelta(microseconds=1))
