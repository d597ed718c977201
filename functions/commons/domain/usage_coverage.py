"""Which stretches AWS's usage report knows nothing of: hours without a sign of its operator."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from commons.domain import usage
from commons.domain.usage_found import Gap, joined
from commons.domain.usage_report import Window

HOUR = timedelta(hours=1)


def hour_of(moment: datetime) -> datetime:
    """The beginning of its hour, in UTC."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def known_until(today: date, signs: Iterable[datetime]) -> datetime:
    """Up to when a state may be carried on: past days to their end, today to its last record.

    Of the time only the date counts, so that nothing changes while no new record comes.
    """
    midnight, end = usage.day_bounds(today)
    return max([midnight, *(min(moment.astimezone(UTC), end) for moment in signs)])


def gaps(heartbeats: Iterable[datetime], window: Window) -> tuple[Gap, ...]:
    """Hours of the window without a heartbeat, and all that comes after `known_until`."""
    alive = {hour_of(moment) for moment in heartbeats}
    silent = [Gap(start=hour, end=hour + HOUR) for hour in _hours(window) if hour not in alive]
    return joined([*silent, Gap(start=max(window.known_until, window.start), end=window.end)])


def _hours(window: Window) -> Iterable[datetime]:
    count = (window.end - window.start) // HOUR
    return (window.start + HOUR * n for n in range(count))
