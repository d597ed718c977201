"""Which of several CSV files tells about a day, and what none of them tells.

People make such files for any stretch of days, and again when data was missing. Of those that
tell about a day the one that misses least of it counts, and of equal ones the newest: so a later,
complete one clears the gaps of the first. One that was filtered tells about no day: a part must
not pass for the whole.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from commons.domain import usage
from commons.domain.ledger import covering
from commons.domain.usage_csv import CsvReport
from commons.domain.usage_csv_rows import TaskPeriod
from commons.domain.usage_found import Gap, joined, whole
from commons.domain.usage_summary import DayRow, thinned

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Chosen:
    rows: tuple[DayRow, ...]
    gaps: tuple[Gap, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Telling:
    """A report of the whole cluster, with its rows by day."""

    report: CsvReport
    rows: dict[date, list[DayRow]]

    def gaps(self, day: date) -> list[Gap]:
        """A day without a row is one that the report is silent about, whatever it lists."""
        if day not in self.rows:
            return [whole(day)]
        start, end = usage.day_bounds(day)
        cut = [(max(gap.start, start), min(gap.end, end)) for gap in self.report.missing]
        return [Gap(start=first, end=last) for first, last in cut if first < last]

    def rank(self, day: date) -> tuple[bool, timedelta]:
        missing = [gap.end - gap.start for gap in joined(self.gaps(day))]
        return self.report.detailed, sum(missing, timedelta())


def choose(
    reports: Iterable[tuple[CsvReport, datetime]], cluster_name: str, first: date, last: date
) -> Chosen:
    """`reports` with the time at which each was stored. Days of which none tells are gaps."""
    ordered = sorted(reports, key=lambda each: (each[1], each[0].name), reverse=True)
    newest_first = [report for report, _ in ordered]
    known = [
        _Telling(report, _by_day(report))
        for report in newest_first
        if report.cluster_name == cluster_name and report.filtered is None
    ]
    rows: list[DayRow] = []
    gaps: list[Gap] = []
    by_task = []
    for day in covering([first, last]):
        telling = [each for each in known if each.report.first <= day <= each.report.last]
        if not telling:
            gaps.append(whole(day))
            continue
        best = min(telling, key=lambda each: each.rank(day))
        rows += best.rows.get(day, [])
        gaps += best.gaps(day)
        by_task += [day] if best.report.detailed else []
    warnings = _warnings(newest_first, cluster_name, by_task)
    return Chosen(tuple(rows), joined(gaps), tuple(warnings))


def of_tasks(tasks: Collection[TaskPeriod]) -> list[DayRow]:
    """Totals of one day. What was borrowed is not told: all is own.

    As in `usage_summary`, a task of a queue is there once, and pods of one owner may be alike.
    """
    queued = Counter(task for task in tasks if task.team)
    loose, _ = thinned([task for task in tasks if not task.team], max(queued.values(), default=1))
    sums: dict[tuple[date, str, str, str], dict[str, Decimal]] = {}
    for task in [*queued, *loose]:
        key = task.day, task.namespace, task.team, task.instance_type
        amounts = sums.setdefault(key, {})
        for name, hours in task.hours:
            amounts[name] = amounts.get(name, Decimal(0)) + hours
    return [DayRow(*key, tuple(sorted(total.items())), (), ()) for key, total in sums.items()]


def _by_day(report: CsvReport) -> dict[date, list[DayRow]]:
    found: dict[date, list[DayRow]] = {}
    for row in report.rows:
        found.setdefault(row.day, []).append(row)
    tasks: dict[date, list[TaskPeriod]] = {}
    for task in report.tasks:
        tasks.setdefault(task.day, []).append(task)
    return found | {day: of_tasks(each) for day, each in tasks.items()}


def _warnings(
    reports: Sequence[CsvReport], cluster_name: str, by_task: Sequence[date]
) -> Iterator[str]:
    ours = [report for report in reports if report.cluster_name == cluster_name]
    others = sorted({report.cluster_name for report in reports} - {cluster_name})
    if others and not ours:
        one = others[0][:_SHOWN]
        yield f"no file is about the cluster {cluster_name}; there are some about {one!r}"
    for report in ours:
        if report.filtered is not None:
            yield f"{report.name}: is a part only ({report.filtered[:_SHOWN]!r}), and is not used"
    if by_task:
        days = ", ".join(map(str, by_task))
        yield f"{days}: only a detailed report tells, which does not say what was borrowed"
