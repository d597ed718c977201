"""Quota of a namespace in device-hours of one day, from the versions it had."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

_LENDS = {"Lend", "LendAndBorrow"}


@dataclass(frozen=True, slots=True)
class QuotaVersion:
    """In force from `since` until the next version. `devices` by instance type."""

    since: datetime
    version: int
    devices: dict[str, Fraction]
    strategy: str

    @property
    def lends(self) -> bool:
        return self.strategy in _LENDS


def device_hours(
    versions: Sequence[QuotaVersion], instance_type: str, start: datetime, end: datetime
) -> tuple[Fraction, bool]:
    """Device-hours between two times, and whether the last version in force lends what is idle."""
    ordered = sorted(versions, key=lambda v: (v.since, v.version))
    held, lends = Fraction(0), False
    for current, following in zip(ordered, [*ordered[1:], None], strict=True):
        begin = max(current.since, start)
        stop = min(following.since, end) if following else end
        if stop <= begin:
            continue
        seconds = Fraction((stop - begin).total_seconds())
        held += current.devices.get(instance_type, Fraction(0)) * seconds / 3600
        lends = current.lends
    return held, lends
