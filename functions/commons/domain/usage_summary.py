"""Device-hours from the daily totals of AWS's usage report, as Parquet or from a CSV file.

AWS makes them by two queries. One adds up the queues: exactly one row per namespace, team and
type, so that a second one is there because the day was added up twice. The other adds up the
pods, without a team and with nothing allocated: one row per owner of pods, so that rows may be
alike and all count. Their use is outside every quota; where the namespace has a queue that day,
it is the same use again, and only the queue's counts.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import gcd
from typing import NamedTuple

from commons.domain.errors import RefusedInput
from commons.domain.instance_types import PLACES, devices_in
from commons.domain.usage_found import NamespaceUse
from commons.domain.usage_report import Quantities
from commons.domain.usage_warnings import Held, doubts

# three amounts, each rounded to two decimals
TOLERANCE = Decimal("0.02")
_HOURS = 24
NAMESPACE = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
# of a team, a pod, an instance type
NAME = r"[A-Za-z0-9._-]{0,253}"


class DayRow(NamedTuple):
    """One row: hours of each resource, by the name that Kubernetes has for it."""

    day: date
    namespace: str
    team: str
    instance_type: str
    total: Quantities
    allocated: Quantities
    borrowed: Quantities


@dataclass(frozen=True, slots=True)
class Settled:
    """`doubtful`: hours by day and type, where every row is there several times and each counts."""

    uses: tuple[NamespaceUse, ...]
    doubtful: Mapping[tuple[date, str], Decimal]
    warnings: tuple[str, ...]


def is_namespace(text: str) -> bool:
    """Whether Kubernetes could have a namespace of that name; empty is a queue of none."""
    return text == "" or re.fullmatch(NAMESPACE, text, re.ASCII) is not None


def is_name(text: str) -> bool:
    """Whether a team or an instance type could be called so; empty is none."""
    return re.fullmatch(NAME, text, re.ASCII) is not None


def fault_of(row: DayRow) -> str | None:
    """Why a row cannot be true. More may be held than is allocated and borrowed, never less."""
    for amounts in (row.total, row.allocated, row.borrowed):
        if any(amount < 0 for _, amount in amounts):
            return "an amount is below zero"
    allocated, borrowed = dict(row.allocated), dict(row.borrowed)
    for name, total in row.total:
        parts = allocated.get(name, Decimal(0)) + borrowed.get(name, Decimal(0))
        if parts > total + TOLERANCE:
            return f"more of {name} is allocated and borrowed than is used"
    return None


def settle(what: str, rows: Iterable[DayRow]) -> Settled:
    """Raises RefusedInput for `what` if a day was added up twice with different figures."""
    by_day: dict[date, list[DayRow]] = {}
    for row in rows:
        by_day.setdefault(row.day, []).append(row)
    uses: list[NamespaceUse] = []
    doubtful: dict[tuple[date, str], Decimal] = {}
    warnings: list[str] = []
    for day, found in sorted(by_day.items()):
        queued, times = _queued(what, day, [row for row in found if row.team])
        loose, each = thinned([row for row in found if not row.team], times)
        if times > 1:
            warnings.append(f"{day}: AWS added the day up {times} times; it is counted once")
        if each > 1 and not queued:
            warnings.append(f"{day}: every row is there {each} times, and each is counted; look")
            _add(doubtful, day, loose)
        namespaces = {row.namespace for row in queued}
        kept = [*queued, *(row for row in loose if row.namespace not in namespaces)]
        uses += _uses(day, kept)
    told = doubts(*_apart(row for found in by_day.values() for row in found))
    return Settled(tuple(uses), doubtful, (*warnings, *told))


def refuse_above(what: str, settled: Settled, capacity: Mapping[str, Decimal]) -> None:
    """Raises RefusedInput where doubtful rows are more than the cluster's devices could give.

    `capacity` in devices by instance type; a type that the cluster does not have gives nothing.
    """
    reasons = [
        f"{day}: every row is there several times, which makes {hours.normalize():f} device-hours "
        f"of {name}; the cluster has {(capacity.get(name, Decimal(0)) * _HOURS).normalize():f}. "
        "AWS has added the day up twice: remove the newer objects of that day, or take the form raw"
        for (day, name), hours in sorted(settled.doubtful.items())
        if hours > capacity.get(name, Decimal(0)) * _HOURS
    ]
    if reasons:
        raise RefusedInput(what, reasons)


def _apart(rows: Iterable[DayRow]) -> tuple[list[Held], list[Held]]:
    """What queues held, and what pods did."""
    apart: tuple[list[Held], list[Held]] = ([], [])
    for row in rows:
        apart[not row.team].append(Held(row.namespace, row.instance_type, row.total))
    return apart


def _queued(what: str, day: date, rows: Collection[DayRow]) -> tuple[list[DayRow], int]:
    """Each row once, and how often the day was added up."""
    different = Counter(row[:4] for row in set(rows))
    if twice := sorted(key for key, count in different.items() if count > 1):
        _, namespace, team, name = twice[0]
        reason = (
            f"{day}: {namespace} has two rows for team {team} on {name} with different figures; "
            "AWS has added the day up twice: remove the older objects of that day, or take the "
            "form raw"
        )
        raise RefusedInput(what, [reason])
    return sorted(set(rows)), max(Counter(rows).values(), default=1)


def thinned[Row](rows: Collection[Row], times: int) -> tuple[list[Row], int]:
    """The rows of pods that count, and how often every one of them is there.

    Where the queues of the day are there `times`, so are the pods, if their number can be so.
    """
    counts = Counter(rows)
    each = gcd(*counts.values()) if counts else 1
    share = times if each % times == 0 else 1
    return [row for row, count in counts.items() for _ in range(count // share)], each


def _add(doubtful: dict[tuple[date, str], Decimal], day: date, rows: Iterable[DayRow]) -> None:
    for row in rows:
        key = day, row.instance_type
        hours = devices_in(row.instance_type, dict(row.total))
        doubtful[key] = doubtful.get(key, Decimal(0)) + hours


def _uses(day: date, rows: Iterable[DayRow]) -> Iterable[NamespaceUse]:
    sums: dict[tuple[str, str, str], tuple[Decimal, Decimal]] = {}
    for row in rows:
        key = row.namespace, row.instance_type, row.team
        held, borrowed = sums.get(key, (Decimal(0), Decimal(0)))
        held += devices_in(row.instance_type, dict(row.total))
        borrowed += devices_in(row.instance_type, dict(row.borrowed))
        sums[key] = held, borrowed
    for (namespace, name, team), (held, borrowed) in sorted(sums.items()):
        if held and name and namespace:
            yield NamespaceUse(
                namespace=namespace,
                team=team,
                instance_type=name,
                day=day,
                own=(held - borrowed).quantize(PLACES),
                borrowed=borrowed.quantize(PLACES),
                outside_quota=not team,
            )
