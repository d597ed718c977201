"""The CSV files of AWS's usage report, which are no plain CSV.

Five lines about the report, in one of two wordings; `Namespace:` and `Task:` if it was filtered;
a block of missing periods if there are any; two lines of headers, in which names repeat; then
rows without any quotes, or `No Results`. Fields are told by their position alone, so a row with
another number of them is a fault: a comma in a name would shift every amount.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial

from commons.domain.errors import RefusedInput
from commons.domain.usage_csv_rows import LAYOUTS, TaskPeriod, read_summary, read_task
from commons.domain.usage_found import Gap
from commons.domain.usage_summary import DayRow

_TITLE = "Amazon SageMaker HyperPod"
_ABOUT = (
    ("Cluster Name", "ClusterName"),
    ("Report Type", "Type"),
    ("Report Date Generated", "Date Generated"),
    ("Report Date Range (UTC)", "Date Range (UTC)"),
)
# by whether it is detailed
_TYPES = ("Summary Utilization Report", "Detailed Utilization Report")
_DAYS = re.compile(r"(\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)", re.ASCII)
_MOMENT = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"
_PERIOD = re.compile(f"{_MOMENT} to {_MOMENT}", re.ASCII)
_MOST_DAYS = 400
# there is a day after every day of a report
_LAST = date(2200, 1, 1)
_NAMED = 20


@dataclass(frozen=True, slots=True)
class CsvReport:
    """Of the UTC days `first` to `last`: rows of days, or of tasks where it is detailed.

    `filtered`: the lines that say of what part alone it is; None if it is of everything.
    """

    name: str
    cluster_name: str
    first: date
    last: date
    filtered: str | None
    missing: tuple[Gap, ...]
    rows: tuple[DayRow, ...] = ()
    tasks: tuple[TaskPeriod, ...] = ()
    detailed: bool = False


class _Fault(Exception):
    """Something is wrong with the line that is being read."""


class _Lines:
    """The lines of a file, with the number of the one that was read last."""

    def __init__(self, text: str) -> None:
        self._lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
        while self._lines and not self._lines[-1].strip():
            self._lines.pop()
        self.number = 0

    def next(self) -> str:
        self.number += 1
        if self.number > len(self._lines):
            raise _Fault("the file ends before its rows")
        return self._lines[self.number - 1]

    def following(self) -> str:
        """The line after, which stays unread; empty at the end."""
        return "".join(self._lines[self.number : self.number + 1])

    def rest(self) -> Iterator[str]:
        while self.number < len(self._lines):
            yield self.next()


def parse(name: str, text: str) -> CsvReport:
    """Raises RefusedInput that names the file and, for each fault, its line."""
    lines = _Lines(text)
    try:
        return _report(name, lines)
    except _Fault as fault:
        raise RefusedInput(f"usage report {name}", [f"line {lines.number}: {fault}"]) from fault


def _report(name: str, lines: _Lines) -> CsvReport:
    if lines.next() != _TITLE:
        raise _Fault(f"must be {_TITLE!r}: this is no usage report of AWS")
    cluster_name, kind, _, days = (_about(lines, place) for place in range(len(_ABOUT)))
    first, last = _range(days)
    filtered = []
    while lines.following().startswith(("Namespace:", "Task:")):
        filtered.append(lines.next())
    missing = tuple(_missing(lines))
    layout = LAYOUTS.get((lines.next(), lines.next()))
    if layout is None or kind != _TYPES[layout.detailed]:
        raise _Fault(f"the headers are none that the product knows of a {kind}")
    about = CsvReport(name, cluster_name, first, last, ", ".join(filtered) or None, missing)
    if layout.detailed:
        read = partial(read_task, days=(first, last))
        return replace(about, detailed=True, tasks=_rows(name, lines, layout.width, read))
    rows = _rows(name, lines, layout.width, partial(read_summary, days=(first, last)))
    return replace(about, rows=rows)


def _about(lines: _Lines, place: int) -> str:
    label, colon, value = lines.next().partition(": ")
    if label not in _ABOUT[place] or not colon:
        raise _Fault(f"must begin with {_ABOUT[place][0]}:")
    return value.strip()


def _range(text: str) -> tuple[date, date]:
    found = _DAYS.fullmatch(text)
    try:
        first, last = (date.fromisoformat(found[n]) for n in (1, 2)) if found else (None, None)
    except ValueError:
        first = last = None
    if not first or not last or not 0 <= (last - first).days < _MOST_DAYS or last > _LAST:
        raise _Fault(f"must be two days, the earlier first and less than {_MOST_DAYS} apart")
    return first, last


def _missing(lines: _Lines) -> Iterator[Gap]:
    if lines.following().lower() != "missing data periods":
        return
    lines.next()
    while found := _PERIOD.fullmatch(lines.following()):
        lines.next()
        try:
            start, end = (datetime.fromisoformat(found[n]).replace(tzinfo=UTC) for n in (1, 2))
        except ValueError as error:
            raise _Fault("is no period of two moments") from error
        yield Gap(start=start, end=end)


def _rows[Row](
    name: str, lines: _Lines, width: int, read: Callable[[Sequence[str]], Row]
) -> tuple[Row, ...]:
    rows, faults = [], []
    if lines.following() == "No Results":
        lines.next()
    for line in lines.rest():
        fields = line.split(",")
        try:
            if len(fields) != width:
                raise ValueError(f"has {len(fields)} fields and must have {width}")
            rows.append(read(fields))
        except ValueError as error:
            faults.append(f"line {lines.number}: {error}")
    if faults:
        more = [f"and {len(faults) - _NAMED} more lines"] if len(faults) > _NAMED else []
        raise RefusedInput(f"usage report {name}", [*faults[:_NAMED], *more])
    return tuple(rows)
