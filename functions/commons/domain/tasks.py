"""Attempts of tasks: a fold of events that gives the same for any order and any repetition.

An attempt keeps one mark per state (Admitted, Evicted, Finished), and a rule per state says which
of two marks stays. Everything else (start, end, state, anomalies) follows from the marks.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict

from commons.domain import instance_types
from commons.domain.task_events import State, TaskStateChanged
from commons.domain.usage import Interval

_RANK = {state: rank for rank, state in enumerate(State)}
_WAITING = (State.PENDING, State.QUOTA_RESERVED)


class Mark(BaseModel):
    """The attempt reached a state."""

    model_config = ConfigDict(frozen=True)

    state: State
    at: datetime
    reason: str = ""
    previous: str = ""
    # resourceVersion: opaque to Kubernetes, a number to us, and only between equal times
    version: int = 0
    estimated: bool = False
    devices: Mapping[str, Decimal] = {}

    def order(self) -> tuple[datetime, int, int, str, str]:
        """Later is larger; the rest only makes the choice the same everywhere."""
        devices = repr(sorted(self.devices.items()))
        return self.at, self.version, _RANK[self.state], self.reason, devices


class About(BaseModel):
    """What people want to know of a task; the newest event says it."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    version: int = 0
    workload: str = ""
    team: str = ""
    owner_kind: str = ""
    owner_name: str = ""
    queue: str = ""
    priority_class: str = ""


class Key(NamedTuple):
    """Names an attempt within its namespace."""

    uid: str
    number: int


class Attempt(BaseModel):
    model_config = ConfigDict(frozen=True)

    uid: str
    number: int
    about: About
    marks: Mapping[State, Mark]

    @property
    def key(self) -> Key:
        return Key(self.uid, self.number)

    @property
    def newest(self) -> Mark:
        return max(self.marks.values(), key=Mark.order)

    @property
    def state(self) -> State:
        return self.newest.state

    @property
    def start(self) -> datetime | None:
        """None: never admitted, or admitted unseen."""
        admitted = self.marks.get(State.ADMITTED)
        return admitted.at if admitted else None

    @property
    def end(self) -> datetime | None:
        """When it gave its devices back; None while it has them. Never before its start."""
        closing = [mark for mark in self.marks.values() if mark.state is not State.ADMITTED]
        known = [mark.at for mark in closing if not mark.estimated]
        moments = known or [mark.at for mark in closing]
        if self.start is None or not moments:
            return min(moments, default=None)
        after = [moment for moment in moments if moment >= self.start]
        return min(after, default=self.start)

    @property
    def devices(self) -> Mapping[str, Decimal]:
        """By instance type, as it was admitted; else as the earliest event has it that says so."""
        said = [mark for _, mark in sorted(self.marks.items(), key=lambda each: _RANK[each[0]])]
        return next((mark.devices for mark in said if mark.devices), {})

    @property
    def open(self) -> bool:
        return self.start is not None and self.end is None

    @property
    def estimated(self) -> bool:
        return any(mark.estimated for mark in self.marks.values())

    @property
    def anomalies(self) -> list[str]:
        """What a person should know before trusting the attempt's hours."""
        found = []
        if self.start is None and all(m.previous not in _WAITING for m in self.marks.values()):
            found.append("StartUnknown: it ended without having been seen to start; no hours count")
        if self.start and any(mark.at < self.start for mark in self.marks.values()):
            found.append("EndBeforeStart: an end before the start is taken as no time at all")
        if self.start and not self.devices:
            found.append("DevicesUnknown: no event says what it holds; no hours count")
        unknown = sorted(t for t in self.devices if instance_types.find(t) is None)
        return found + [f"UnknownInstanceType: {t} is counted as it was asked for" for t in unknown]

    def merge(self, other: Self) -> Self:
        """Both together: commutative, associative, and the same with itself."""
        marks = dict(self.marks)
        for state, mark in other.marks.items():
            marks[state] = _stays(marks[state], mark) if state in marks else mark
        about = max(self.about, other.about, key=lambda each: (each.at, each.version, repr(each)))
        return self.model_copy(update={"marks": marks, "about": about})


def _stays(one: Mark, other: Mark) -> Mark:
    """Of two marks of one state. A task finishes once, and the last word on it counts.

    It was admitted and evicted at the first moment that was reported: an attempt has one of each.
    """
    if one.estimated != other.estimated:
        return other if one.estimated else one
    choose = max if one.state is State.FINISHED else min
    return choose(one, other, key=Mark.order)


def attempt_of(event: TaskStateChanged) -> Attempt | None:
    """The attempt as this event alone tells it; None for a state in which nothing is held."""
    if event.state in (State.PENDING, State.QUOTA_RESERVED):
        return None
    version = event.workload.resource_version
    at = event.transition_time.astimezone(UTC)
    mark = Mark(
        state=event.state,
        at=at,
        reason=event.preemption_reason or event.reason,
        previous=event.previous_state,
        version=int(version) if version.isdecimal() else 0,
        estimated=event.estimated,
        devices=event.held,
    )
    about = About(
        at=at,
        version=mark.version,
        workload=event.workload.name,
        team=event.team,
        owner_kind=event.owner.kind,
        owner_name=event.owner.name,
        queue=event.queue_name,
        priority_class=event.priority_class,
    )
    return Attempt(
        uid=event.workload.uid, number=event.attempt, about=about, marks={mark.state: mark}
    )


def fold(attempts: Iterable[Attempt]) -> dict[Key, Attempt]:
    """Merge what belongs to the same attempt."""
    folded: dict[Key, Attempt] = {}
    for attempt in attempts:
        known = folded.get(attempt.key)
        folded[attempt.key] = known.merge(attempt) if known else attempt
    return folded


def intervals(attempts: Iterable[Attempt], instance_type: str, as_of: datetime) -> list[Interval]:
    """What the attempts held of one instance type; those that still run are counted to `as_of`."""
    return [
        Interval(each.start, each.end or max(as_of, each.start), each.devices[instance_type])
        for each in attempts
        if each.start is not None and instance_type in each.devices
    ]
