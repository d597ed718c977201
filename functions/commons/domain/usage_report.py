"""Device-hours from the raw records of AWS's usage report: states of queues and pods over time.

A record says what a queue or a pod holds from its moment on. That is so until the next record of
the same queue or pod, over every midnight in between, and at most `HOLD` after the last record
that repeated it: a queue whose end nobody recorded must not be charged for ever. What a day has
thus depends on the records of the day and of `HOLD` before it, and on nothing else.

What a namespace holds in its queue is never counted by its pods as well: pods count while no
record of a queue of their namespace is at most `HOLD` old. Their use is outside every quota.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from typing import NamedTuple

from commons.domain import usage
from commons.domain.instance_types import devices_in
from commons.domain.usage_found import NamespaceUse

HOLD = timedelta(days=31)
_MICROSECOND = timedelta(microseconds=1)
_HOUR = Decimal(timedelta(hours=1) // _MICROSECOND)
# exact sums of microseconds times devices need more than the default 28 digits
_DIGITS = 60

# amounts by the name that Kubernetes has for the resource
Quantities = tuple[tuple[str, Decimal], ...]
_Place = tuple[str, str, str, bool]


class QueueRun(NamedTuple):
    """A queue held the same from `since` on, and said so last at `seen`."""

    namespace: str
    team: str
    instance_type: str
    since: datetime
    seen: datetime
    total: Quantities
    borrowed: Quantities


class PodRun(NamedTuple):
    """A pod held the same from `since` on, and said so last at `seen`; nothing unless it ran."""

    namespace: str
    pod: str
    instance_type: str
    since: datetime
    seen: datetime
    held: Quantities


@dataclass(frozen=True, slots=True)
class Window:
    """The UTC days `first` to `last`; after `known_until` nothing is known of any of them."""

    first: date
    last: date
    known_until: datetime

    @property
    def start(self) -> datetime:
        return usage.day_bounds(self.first)[0]

    @property
    def end(self) -> datetime:
        return usage.day_bounds(self.last)[1]


def integrate(
    queues: Iterable[QueueRun], pods: Iterable[PodRun], window: Window
) -> tuple[NamespaceUse, ...]:
    """By day, namespace, type and team. Records that stand there twice, and their order, are
    nothing; a record of before the window counts for what it carries into it."""
    queues, pods = set(queues), set(pods)
    with localcontext(prec=_DIGITS):
        totals = _Totals(window)
        for queue, start, end in _held(queues, lambda run: run[:3]):
            if not queue.namespace:
                continue
            place = (queue.namespace, queue.instance_type, queue.team, False)
            amounts = _devices(queue, queue.total), _devices(queue, queue.borrowed)
            totals.add(place, start, end, *amounts)
        presence = _presence(queues)
        for pod, start, end in _held(pods, lambda run: run[:2]):
            if not pod.instance_type:
                continue
            place = (pod.namespace, pod.instance_type, "", True)
            for part in _outside(start, end, presence.get(pod.namespace, ())):
                totals.add(place, *part, _devices(pod, pod.held), Decimal(0))
        return totals.uses()


class _Totals:
    """Microseconds times devices, held and borrowed, by place and day within the window."""

    def __init__(self, window: Window) -> None:
        self._start, self._end = window.start, min(window.end, window.known_until)
        self._sums: dict[tuple[date, _Place], tuple[Decimal, Decimal]] = {}

    def add(
        self, place: _Place, start: datetime, end: datetime, held: Decimal, borrowed: Decimal
    ) -> None:
        start, end = max(start, self._start), min(end, self._end)
        if start >= end or not held:
            return
        for day in usage.utc_days(start, end):
            first, after = usage.day_bounds(day)
            length = Decimal((min(end, after) - max(start, first)) // _MICROSECOND)
            sums = self._sums.get((day, place), (Decimal(0), Decimal(0)))
            self._sums[day, place] = sums[0] + length * held, sums[1] + length * borrowed

    def uses(self) -> tuple[NamespaceUse, ...]:
        found = []
        for (day, place), sums in sorted(self._sums.items()):
            held, borrowed = ((each / _HOUR).quantize(usage.PLACES) for each in sums)
            namespace, instance_type, team, outside = place
            use = NamespaceUse(
                namespace=namespace,
                team=team,
                instance_type=instance_type,
                day=day,
                own=held - borrowed,
                borrowed=borrowed,
                outside_quota=outside,
            )
            found.append(use)
        return tuple(found)


def _held[Run: (QueueRun, PodRun)](
    runs: Collection[Run], thing: Callable[[Run], Hashable]
) -> Iterator[tuple[Run, datetime, datetime]]:
    """Each run with the stretch in which it is the state of its thing."""
    things: dict[Hashable, list[Run]] = {}
    for run in sorted(runs, key=lambda each: (each.since, each)):
        things.setdefault(thing(run), []).append(run)
    for ordered in things.values():
        ends = [following.since for following in ordered[1:]] + [ordered[-1].seen + HOLD]
        for run, end in zip(ordered, ends, strict=True):
            yield run, run.since, min(end, run.seen + HOLD)


def _devices(run: QueueRun | PodRun, amounts: Quantities) -> Decimal:
    return devices_in(run.instance_type, dict(amounts))


def _presence(queues: Iterable[QueueRun]) -> dict[str, list[tuple[datetime, datetime]]]:
    """By namespace, in order and apart: when a record of one of its queues is at most HOLD old."""
    found: dict[str, list[tuple[datetime, datetime]]] = {}
    for run in sorted(queues, key=lambda each: each.since):
        stretches = found.setdefault(run.namespace, [])
        end = run.seen + HOLD
        if stretches and run.since <= stretches[-1][1]:
            stretches[-1] = stretches[-1][0], max(stretches[-1][1], end)
        else:
            stretches.append((run.since, end))
    return found


def _outside(
    start: datetime, end: datetime, stretches: Sequence[tuple[datetime, datetime]]
) -> Iterator[tuple[datetime, datetime]]:
    """What is left of [start, end) without these stretches."""
    for first, after in stretches:
        if start < min(first, end):
            yield start, min(first, end)
        start = max(start, after)
    if start < end:
        yield start, end
