"""Quota of a namespace in device-hours of a stretch of time, from the versions it had."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction

from commons.domain.usage import QuotaVersion

_LENDS = {"Lend", "LendAndBorrow"}
_HOUR = timedelta(hours=1)


def quota_hours(
    versions: Sequence[QuotaVersion], instance_type: str, start: datetime, end: datetime
) -> tuple[Fraction, bool]:
    """Device-hours from `start` to `end`, and whether the last version in force lends."""
    ordered = sorted(versions, key=lambda each: (each.effective_from, each.version))
    held, lends = Fraction(0), False
    for current, following in zip(ordered, [*ordered[1:], None], strict=False):
        begin = max(current.effective_from, start)
        stop = min(following.effective_from, end) if following else end
        if stop <= begin:
            continue
        microseconds = (stop - begin) // timedelta(microseconds=1)
        hours = Fraction(microseconds, _HOUR // timedelta(microseconds=1))
        held += Fraction(current.resources.get(instance_type, 0)) * hours
        lends = current.strategy in _LENDS
    return held, lends


def in_force(
    versions: Sequence[QuotaVersion], start: datetime, end: datetime
) -> tuple[QuotaVersion, ...]:
    """Those that are in force at some moment from `start` up to `end`, the oldest first."""
    ordered = sorted(versions, key=lambda each: (each.effective_from, each.version))
    before = [each for each in ordered if each.effective_from <= start]
    within = [each for each in ordered if start < each.effective_from < end]
    return (*before[-1:], *within)
