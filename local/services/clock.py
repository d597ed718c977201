"""What time it is in the local cloud: now, unless the administrator's calendar says otherwise."""

from datetime import UTC, datetime

_set: list[datetime] = []


def now() -> datetime:
    """The time that new objects carry (UTC)."""
    return _set[0] if _set else datetime.now(UTC)


def stopped() -> bool:
    """Whether the calendar is set to a moment of its own."""
    return bool(_set)


def stop_at(moment: datetime | None) -> None:
    """Set the calendar to a moment, or let it run again with None."""
    _set[:] = [moment.astimezone(UTC)] if moment else []


def aware(moment: datetime) -> datetime:
    """A time of a request: moto parses it without a zone, it is UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def between(moment: datetime, after: datetime | None, before: datetime | None) -> bool:
    """Whether a time is within the bounds of a request, where there are any."""
    return not (after and moment <= aware(after)) and not (before and moment >= aware(before))
