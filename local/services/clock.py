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
