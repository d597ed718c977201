"""Sums of records by what finance asks for. A filter chooses records and never changes an amount.

Amounts were settled when the run was made: nothing is spread over what a filter leaves, so that a
namespace has the same amount in every answer.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from commons.domain.chargeback_records import Component, Record
from commons.domain.errors import RefusedInput

DIMENSIONS = ("cluster", "namespace", "team", "cost_center", "component", "day")

# what is charged to no team, or to no cost centre, has None there
Value = str | None
Key = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """`by`: dimensions of a group, in the order of the answer. `only`: the values that count."""

    by: tuple[str, ...]
    only: Mapping[str, Value]

    @property
    def of_days(self) -> bool:
        """Whether the records of the period cannot answer it."""
        return "day" in self.by or "day" in self.only

    def chooses(self, values: Mapping[str, Value]) -> bool:
        """Whether something counts, as far as `values` says what it is."""
        return all(values[each] == value for each, value in self.only.items() if each in values)


@dataclass(frozen=True, slots=True)
class Group:
    """`key` has a value for each dimension that was asked for."""

    key: Key
    sum: Component


def question(by: str, only: Mapping[str, str]) -> Question:
    """From text: dimensions with commas between them; an empty value means none.

    Raises RefusedInput with every dimension that is none, or is named twice.
    """
    names = tuple(each.strip() for each in by.split(",") if each.strip())
    faults = [f"{name} is none of {', '.join(DIMENSIONS)}" for name in {*names} - {*DIMENSIONS}]
    faults += [f"{name} stands in by a second time" for name in {*names} if names.count(name) > 1]
    if faults:
        raise RefusedInput("the question", sorted(faults))
    return Question(names, {name: value or None for name, value in only.items()})


def place(record: Record) -> dict[str, Value]:
    """What a record is about, without its components; a record of the period has no day."""
    key = record.key
    values = {"cluster": key.cluster, "namespace": key.namespace, "team": key.team}
    values["cost_center"] = key.cost_center
    return values | ({"day": key.day.isoformat()} if key.day else {})


def summarise(asked: Question, records: Iterable[Record]) -> list[Group]:
    """The groups in the order of their keys; none for what has no record.

    `records`: of the days if `asked.of_days`, else of the period.
    """
    sums: dict[Key, Component] = {}
    for values, part in _chosen(asked, records):
        key = tuple(values[each] for each in asked.by)
        sums[key] = sums.get(key, Component()).plus(part)
    return [Group(key, sums[key]) for key in sorted(sums, key=in_order)]


def whole(groups: Iterable[Group]) -> Component:
    """The sum of groups."""
    result = Component()
    for each in groups:
        result = result.plus(each.sum)
    return result


def in_order(key: Key) -> tuple[tuple[bool, str], ...]:
    """Sorts keys; what has no value comes first."""
    return tuple((value is not None, value or "") for value in key)


def _chosen(
    asked: Question, records: Iterable[Record]
) -> Iterator[tuple[dict[str, Value], Component]]:
    for record in records:
        values = place(record)
        if asked.chooses(values):
            for name, part in record.components.items():
                known = {**values, "component": name}
                if asked.chooses(known):
                    yield known, part
