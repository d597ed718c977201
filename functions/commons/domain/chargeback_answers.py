"""Makes answers of the HTTP API from runs, records and lines; no amount is worked out here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from commons.domain.api_answers import (
    BridgeStep,
    DeviceHours,
    Line,
    Lines,
    Period,
    PeriodEntry,
    Run,
    Summary,
    SummaryGroup,
)
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_query import Group, Question, in_order, whole
from commons.domain.chargeback_records import Component
from commons.domain.chargeback_run import RunRef
from commons.domain.export_names import FORMATS
from commons.domain.money import plain
from commons.domain.pages import Cursor, first_after

_NO_TEXT = ("amount", "numerator", "denominator", "factor", "pool_amount")


def period_entry(run: Mapping[str, Any]) -> PeriodEntry:
    """`run`: a published run, as the table has it."""
    return PeriodEntry(**_entry(run))


def period(run: Mapping[str, Any]) -> Period:
    names = ("report_total", "outside_total", "scheduled_total", "corrections_total")
    steps = [
        BridgeStep(name=each["name"], amount=plain(each["amount"]), sum=each["sum"])
        for each in run["bridge"]
    ]
    return Period(
        **_entry(run),
        **{name: plain(run[name]) for name in names},
        basis=run["basis"],
        lines=int(run["lines"]),
        bridge=steps,
        warnings=run["warnings"],
        exports=list(FORMATS),
    )


def run(found: Mapping[str, Any], current: Iterable[str]) -> Run:
    amount = found.get("total")
    return Run(
        period=found["period"],
        run_id=found["run_id"],
        status=found["status"],
        current=found["run_id"] in current,
        total=None if amount is None else plain(amount),
        started_at=found["started_at"],
        reasons=found.get("reasons", []),
        warnings=found.get("warnings", []),
    )


def summary(
    of: Mapping[str, Any],
    asked: Question,
    groups: Sequence[Group],
    cursor: Cursor | None,
    limit: int,
) -> Summary:
    """At most `limit` of the groups, those behind the cursor."""
    everything = whole(groups)
    after = None if cursor is None else in_order(cursor.after)
    shown, more = first_after(groups, lambda each: in_order(each.key), after, limit)
    return Summary(
        period=of["period"],
        run_id=of["run_id"],
        status=of["status"],
        currency=of["currency"],
        amount=plain(everything.amount),
        device_hours=_hours(everything),
        groups=[_group(asked, each) for each in shown],
        cursor=Cursor(of["run_id"], shown[-1].key).text() if more else None,
    )


def lines(of: RunRef, found: Sequence[ChargebackLine], limit: int) -> Lines:
    """`found`: one more than `limit` where a page follows."""
    shown = [line(each) for each in found[:limit]]
    more = len(found) > limit
    cursor = Cursor(of.run_id, (shown[-1].line_id,)).text() if more else None
    return Lines(period=of.period, run_id=of.run_id, lines=shown, cursor=cursor)


def line(found: ChargebackLine) -> Line:
    known = {name: getattr(found, name) for name in Line.model_fields if name != "device_hours"}
    known |= {name: plain(known[name]) for name in _NO_TEXT}
    hours = _hours(Component(found.amount, found.own, found.borrowed))
    return Line(**known | {"day": found.day.isoformat(), "device_hours": hours})


def _group(asked: Question, group: Group) -> SummaryGroup:
    return SummaryGroup(
        key=dict(zip(asked.by, group.key, strict=True)),
        amount=plain(group.sum.amount),
        device_hours=_hours(group.sum),
    )


def _entry(run: Mapping[str, Any]) -> dict[str, Any]:
    names = ("period", "status", "run_id", "currency", "published_at")
    amounts = {name: plain(run[name]) for name in ("total", "source_total")}
    return {name: run[name] for name in names} | amounts


def _hours(part: Component) -> DeviceHours:
    own, borrowed = plain(part.own), plain(part.borrowed)
    return DeviceHours(held=plain(part.held), own=own, borrowed=borrowed)
