"""Rows of the CSV files of AWS's usage report, by the position of their fields."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple

from commons.domain import usage
from commons.domain.instance_types import CPU, NEURON_CORE, NVIDIA
from commons.domain.usage_report import Quantities
from commons.domain.usage_summary import TOLERANCE, DayRow, fault_of, is_name, is_namespace

# in the order of the groups of columns
_RESOURCES = (NEURON_CORE, NVIDIA, CPU)
_AMOUNT = re.compile(r"\d{1,12}(\.\d{1,10})?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = re.compile(r"\d\d:\d\d:\d\d", re.ASCII)
_SHOWN = 60
_HOUR = Decimal(3600)


class Layout(NamedTuple):
    """What two lines of headers mean; `width` is the number of fields of a row."""

    detailed: bool
    width: int


_SUMMED = ",".join(f"{kind} utilization (hours)" for kind in ("Total", "Allocated", "Borrowed"))
_TASK = (
    "Date,Period Start,Period End,Namespace,Team,Task,Instance,Status,"
    + ",".join(["Total utilization (hours),Total utilization (count)"] * 3)
    + ",Priority class"
)
_ABOVE_TASK = ",,,,,,NeuronCore,,GPU,,vCPU,,"
LAYOUTS: Mapping[tuple[str, str], Layout] = {
    (
        ",,,Instance,NeuronCore,,,GPU,,,vCPU,,",
        f"Date,Namespace,Team,Type,{_SUMMED},{_SUMMED},{_SUMMED}",
    ): Layout(detailed=False, width=13),
    (_ABOVE_TASK, _TASK): Layout(detailed=True, width=15),
    # as it was until the labels of a task were left out
    (_ABOVE_TASK, f"{_TASK},Labels"): Layout(detailed=True, width=16),
}


class TaskPeriod(NamedTuple):
    """A task held `hours` of each resource between two moments of one UTC day."""

    start: datetime
    end: datetime
    namespace: str
    team: str
    task: str
    instance_type: str
    hours: Quantities

    @property
    def day(self) -> date:
        return self.start.date()


def read_summary(fields: Sequence[str], days: tuple[date, date]) -> DayRow:
    """Raises ValueError that says what is wrong."""
    day = _day(fields[0], days)
    amounts = [_amount(text) for text in fields[4:13]]
    total, allocated, borrowed = (
        tuple(zip(_RESOURCES, amounts[kind::3], strict=True)) for kind in range(3)
    )
    namespace, team, instance_type = _names(fields[1], fields[2], fields[3])
    row = DayRow(day, namespace, team, instance_type, total, allocated, borrowed)
    if fault := fault_of(row):
        raise ValueError(fault)
    return row


def read_task(fields: Sequence[str], days: tuple[date, date]) -> TaskPeriod:
    """Raises ValueError that says what is wrong.

    Only times of day are written, so that a period up to midnight ends before it begins. It ends
    at the next one; a period from midnight to midnight is a whole day, unless it held nothing.
    """
    midnight = datetime.combine(_day(fields[0], days), time(), UTC)
    start, end = midnight + _time(fields[1]), midnight + _time(fields[2])
    hours = [_amount(text) for text in fields[8:14:2]]
    counts = [_amount(text) for text in fields[9:14:2]]
    if end == midnight and (start > midnight or any(hours)):
        end = usage.day_bounds(midnight.date())[1]
    if end < start:
        raise ValueError("the period ends before it begins")
    length = Decimal((end - start) // timedelta(seconds=1) + 1) / _HOUR
    for name, held, count in zip(_RESOURCES, hours, counts, strict=True):
        if held > length * count + TOLERANCE:
            raise ValueError(f"{held} hours of {name} are more than {count} held in the period")
    namespace, team, instance_type = _names(fields[3], fields[4], fields[6])
    amounts = tuple(zip(_RESOURCES, hours, strict=True))
    return TaskPeriod(start, end, namespace, team, fields[5], instance_type, amounts)


def _day(text: str, days: tuple[date, date]) -> date:
    # fromisoformat takes more than a report may write
    found = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    if found is None:
        raise ValueError(f"{text[:_SHOWN]!r} is no day")
    if not days[0] <= found <= days[1]:
        raise ValueError(f"{found} is not between the days of the report")
    return found


def _time(text: str) -> timedelta:
    if not _TIME.fullmatch(text):
        raise ValueError(f"{text[:_SHOWN]!r} is no time of day")
    found = time.fromisoformat(text)
    return timedelta(hours=found.hour, minutes=found.minute, seconds=found.second)


def _amount(text: str) -> Decimal:
    if not _AMOUNT.fullmatch(text):
        raise ValueError(f"{text[:_SHOWN]!r} is no amount")
    return Decimal(text)


def _names(namespace: str, team: str, instance_type: str) -> tuple[str, str, str]:
    if not is_namespace(namespace):
        raise ValueError(f"{namespace[:_SHOWN]!r} is no namespace")
    if not is_name(team):
        raise ValueError(f"{team[:_SHOWN]!r} is no team")
    if not is_name(instance_type):
        raise ValueError(f"{instance_type[:_SHOWN]!r} is no instance type")
    return namespace, team, instance_type
