"""Records: what people query. Per namespace and owner the components of a period, and of each day.

A record's key appears once, however many lines it has: DynamoDB would refuse the same key twice in
one batch and silently keep the last of two in different batches.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.errors import RefusedInput
from commons.domain.money import ZERO, plain, total


@dataclass(frozen=True, slots=True)
class Component:
    """Money and device-hours of one component of a record."""

    amount: Decimal = ZERO
    own: Decimal = ZERO
    borrowed: Decimal = ZERO

    def plus(self, other: "Component") -> "Component":
        return Component(
            total([self.amount, other.amount]),
            total([self.own, other.own]),
            total([self.borrowed, other.borrowed]),
        )

    @property
    def held(self) -> Decimal:
        return total([self.own, self.borrowed])


@dataclass(frozen=True, slots=True)
class RecordKey:
    """`day` is None for the record of the whole period."""

    cluster: str
    namespace: str
    team: str | None
    project: str | None
    cost_center: str | None
    day: date | None


@dataclass(frozen=True, slots=True)
class Record:
    key: RecordKey
    components: dict[str, Component]
    lines: int

    @property
    def amount(self) -> Decimal:
        return total(each.amount for each in self.components.values())


def combine(lines: Iterable[ChargebackLine]) -> list[Record]:
    """Period records and day records; each of the two sets adds up to the lines."""
    components: dict[RecordKey, dict[str, Component]] = {}
    counts: dict[RecordKey, int] = {}
    for line in lines:
        part = Component(line.amount, line.own, line.borrowed)
        for day in (None, line.day):
            key = RecordKey(
                line.cluster, line.namespace, line.team, line.project, line.cost_center, day
            )
            here = components.setdefault(key, {})
            here[line.component] = here.get(line.component, Component()).plus(part)
            counts[key] = counts.get(key, 0) + 1
    return [Record(key, parts, counts[key]) for key, parts in components.items()]


def prove_records(run_id: str, records: Iterable[Record], source_total: Decimal) -> None:
    """Raises RefusedInput unless the records of the period, and those of the days, are the bill."""
    amounts: dict[bool, list[Decimal]] = {True: [], False: []}
    for record in records:
        amounts[record.key.day is None].append(record.amount)
    sums = {"of the period": total(amounts[True]), "of the days": total(amounts[False])}
    faults = [
        f"the records {which} are {plain(found)}, the bill is {plain(source_total)}"
        for which, found in sums.items()
        if found != source_total
    ]
    if faults:
        raise RefusedInput(f"run {run_id}", faults)
