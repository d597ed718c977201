"""Short words for what AWS's usage report says, for the tests of its readers."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from commons.domain.instance_types import CPU, NVIDIA
from commons.domain.usage_found import NamespaceUse
from commons.domain.usage_report import PodRun, QueueRun, Window

P5 = "ml.p5.48xlarge"
A, B = "hyperpod-ns-team-a", "hyperpod-ns-team-b"
LATER = date(2027, 1, 1)


def at(text: str) -> datetime:
    """`02T14:00` is in October 2026."""
    return datetime.fromisoformat(f"2026-10-{text}:00Z" if len(text) < 10 else f"{text}Z")


def gpus(number: float | str, cpus: int = 0) -> tuple[tuple[str, Decimal], ...]:
    return ((NVIDIA, Decimal(str(number))), (CPU, Decimal(cpus)))


def queue(
    since: str,
    total: float,
    borrowed: float = 0,
    *,
    namespace: str = A,
    instance_type: str = P5,
    seen: str | None = None,
) -> QueueRun:
    team = namespace.removeprefix("hyperpod-ns-")
    last = at(seen or since)
    return QueueRun(namespace, team, instance_type, at(since), last, gpus(total), gpus(borrowed))


def pod(
    since: str,
    held: float,
    *,
    namespace: str = "research",
    name: str = "pod-0",
    instance_type: str = P5,
) -> PodRun:
    return PodRun(namespace, name, instance_type, at(since), at(since), gpus(held))


def october(first: int, last: int, known_until: datetime | None = None) -> Window:
    until = known_until or datetime.combine(LATER, datetime.min.time(), UTC)
    return Window(date(2026, 10, first), date(2026, 10, last), until)


def held(uses: tuple[NamespaceUse, ...]) -> dict[int, Decimal]:
    """Device-hours by day of the month."""
    found: dict[int, Decimal] = {}
    for use in uses:
        found[use.day.day] = found.get(use.day.day, Decimal(0)) + use.own + use.borrowed
    return found


def hours(first: str, count: int) -> list[datetime]:
    """A heartbeat in each of so many hours."""
    return [at(first) + timedelta(hours=n, minutes=7) for n in range(count)]
