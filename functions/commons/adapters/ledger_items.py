"""How attempts, readings and totals look as items of the `usage` table.

Under pk NS#<cluster>#<namespace>:
  ATTEMPT#<uid>#<n>       its marks, and what follows from them: start, end, state, devices, ...
  ON#<day>#<uid>#<n>      the attempt may have held devices on that UTC day
  CEILING#<type>#<since>  the queue's own ceiling from then on; `counted` once the days know it
  DAY#<day>#<type>        held, own, borrowed in device-hours, as_of, revision
  REVISION                grows with every change of an attempt or a ceiling
Under pk OPEN#<cluster>: <namespace>#<uid>#<n>, for each attempt that holds devices now.
Under pk UNFINISHED#<cluster>: <day>#<namespace>, for each day that was counted before it was over.
"""

from datetime import date, datetime
from typing import Any, NamedTuple

from commons.adapters.usage_table import partition
from commons.domain.task_events import State
from commons.domain.tasks import About, Attempt, Key, Mark
from commons.domain.usage import Reading

Item = dict[str, Any]


class Place(NamedTuple):
    """A namespace of a cluster."""

    cluster: str
    namespace: str

    @property
    def pk(self) -> str:
        return partition(self.cluster, self.namespace)


def attempt_sk(key: Key) -> str:
    return f"ATTEMPT#{key.uid}#{key.number}"


def pointer_sk(day: date, key: Key) -> str:
    return f"ON#{day.isoformat()}#{key.uid}#{key.number}"


def key_of(sk: str) -> Key:
    """The attempt that an ON# or OPEN# item names at its end."""
    _, uid, number = sk.rsplit("#", 2)
    return Key(uid, int(number))


def attempt_item(attempt: Attempt) -> Item:
    """What follows from the marks is written beside them for people and for later readers."""
    return {
        **attempt.about.model_dump(mode="json"),
        "uid": attempt.uid,
        "number": attempt.number,
        "marks": {state.value: _mark_item(mark) for state, mark in attempt.marks.items()},
        "state": attempt.state.value,
        "reason": attempt.newest.reason,
        "start": attempt.start.isoformat() if attempt.start else None,
        "end": attempt.end.isoformat() if attempt.end else None,
        "devices": dict(attempt.devices),
        "estimated": attempt.estimated,
        "anomalies": attempt.anomalies,
    }


def _mark_item(mark: Mark) -> Item:
    return {**mark.model_dump(mode="json"), "devices": dict(mark.devices)}


def attempt_from(item: Item) -> Attempt:
    return Attempt(
        uid=item["uid"],
        number=int(item["number"]),
        about=About.model_validate(item),
        marks={State(state): Mark.model_validate(m) for state, m in item["marks"].items()},
    )


def reading_sk(instance_type: str, since: datetime) -> str:
    return f"CEILING#{instance_type}#{since.isoformat()}"


def reading_from(item: Item) -> tuple[str, Reading]:
    _, instance_type, since = item["sk"].split("#", 2)
    return instance_type, Reading(datetime.fromisoformat(since), item["devices"])
