"""Which UTC days an attempt or a ceiling touches, and what a namespace used on one of them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from commons.domain import tasks, usage
from commons.domain.task_events import QueueCeilingChanged, TaskStateChanged
from commons.domain.tasks import Attempt
from commons.domain.usage import DeviceHours, Reading

Told = TaskStateChanged | QueueCeilingChanged


def objections(event: Told, team: str | None, registered: bool) -> list[str]:
    """Why the event is none of ours. `team` holds the namespace, or nobody does."""
    if not registered:
        return [
            f"clusterArn: {event.cluster_arn} is not registered; register it with "
            "commons cluster register"
        ]
    if team is None:
        return [f"namespace: no team has {event.namespace} on {event.cluster_arn}"]
    if isinstance(event, TaskStateChanged) and event.team not in ("", team):
        return [f"team: {event.namespace} belongs to team {team}, not to {event.team}"]
    return []


def attempts_told(events: Iterable[Told], team: str) -> list[Attempt]:
    """A task that names no team is the team's that has the namespace."""
    named = [
        event.model_copy(update={"team": team})
        for event in events
        if isinstance(event, TaskStateChanged)
    ]
    return [attempt for event in named if (attempt := tasks.attempt_of(event)) is not None]


def readings_told(events: Iterable[Told]) -> list[tuple[str, Reading]]:
    """Ceilings by instance type; without a time of their own they are as old as the transition."""
    found = []
    for event in events:
        since = event.queue.since
        if since is None and isinstance(event, TaskStateChanged):
            since = event.transition_time
        if since is not None:
            since = since.astimezone(UTC)
            found += [(name, Reading(since, own)) for name, own in event.queue.ceilings.items()]
    return found


def days_of(attempt: Attempt, as_of: datetime) -> list[date]:
    """The days on which the attempt may have held devices; none before it is known to have run."""
    if attempt.start is None:
        return []
    return usage.utc_days(attempt.start, attempt.end or max(as_of, attempt.start))


def covering(days: Iterable[date]) -> list[date]:
    """Every day from the first to the last of them."""
    ordered = sorted(days)
    if not ordered:
        return []
    length = (ordered[-1] - ordered[0]).days
    return [ordered[0] + timedelta(days=n) for n in range(length + 1)]


def reach(reading: Reading, others: Sequence[Reading]) -> tuple[date, date]:
    """First and last day on which the reading can be in force.

    The earliest holds for all the time before it too, and the latest for all the time after.
    """
    earlier = [each for each in others if each.since < reading.since]
    later = [each.since for each in others if each.since > reading.since]
    first = reading.since.astimezone(UTC).date() if earlier else date.min
    last = min(later).astimezone(UTC).date() if later else date.max
    return first, last


def totals(
    attempts: Sequence[Attempt],
    ceilings: Mapping[str, Sequence[Reading]],
    day: date,
    as_of: datetime,
) -> dict[str, DeviceHours]:
    """Device-hours of the day by instance type, for each type that one of the attempts holds."""
    start, end = usage.day_bounds(day)
    types = sorted({name for attempt in attempts for name in attempt.devices})
    return {
        name: usage.device_hours(
            tasks.intervals(attempts, name, as_of), ceilings.get(name, []), start, end
        )
        for name in types
    }
