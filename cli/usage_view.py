"""Quota against use: where it is read, how it is added up, how it is shown."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from cli import output, stack
from cli.errors import BadInput
from commons.adapters.team_table import TeamTable
from commons.adapters.usage_table import UsageTable
from commons.domain.quota_history import quota_hours
from commons.domain.usage import PLACES, day_bounds

ZERO = Decimal(0)


@dataclass(frozen=True)
class Place:
    """A namespace; `team` is None while nobody holds its name."""

    cluster: str
    cluster_name: str
    namespace: str
    team: str | None
    project: str | None


@dataclass(frozen=True)
class Row:
    """Device-hours of one instance type; `day` is None for several days together."""

    place: Place
    instance_type: str
    day: date | None
    quota: Decimal
    own: Decimal = ZERO
    borrowed: Decimal = ZERO
    # what the quota left unused, day by day: use above it on another day does not make up for it
    idle: Decimal = ZERO
    as_of: datetime | None = None


def usage_table() -> UsageTable:
    return UsageTable(stack.table("UsageTable"))


def places(cluster: str | None, team: str | None, namespace: str | None) -> list[Place]:
    """Namespaces with a quota or use.

    Raises BadInput for a cluster that is not registered, and for a namespace that nobody has: none
    would look as if nothing was used there.
    """
    teams = TeamTable(stack.table("TeamTable"))
    names = {each.document.cluster: each.document.name for each in teams.clusters()}
    chosen = {arn: name for arn, name in names.items() if cluster in (None, arn, name)}
    if cluster and not chosen:
        there = ", ".join(sorted(names.values())) or "none"
        raise BadInput(f"There is no registered cluster {cluster}. There are: {there}")
    found = []
    for arn, name in sorted(chosen.items()):
        for each in usage_table().namespaces_of(arn):
            holder = teams.holder(arn, each) or (None, None)
            found.append(Place(arn, name, each, *holder))
    if namespace and not _is_known(teams, namespace, found, chosen):
        raise BadInput(f"There is no namespace {namespace}: commons team list, commons team show")
    return [p for p in found if team in (None, p.team) and namespace in (None, p.namespace)]


def _is_known(
    teams: TeamTable, namespace: str, found: list[Place], clusters: Iterable[str]
) -> bool:
    had = any(place.namespace == namespace for place in found)
    return had or any(teams.holder(cluster, namespace) for cluster in clusters)


def rows(place: Place, first: date, last: date, now: datetime) -> list[Row]:
    """One for each day and type with a quota or use; the quota of today counts up to now."""
    usage = usage_table()
    used = {
        (each.day, each.instance_type): each
        for each in usage.daily_usage_of(place.cluster, place.namespace, first, last)
    }
    history = usage.quota_history(place.cluster, place.namespace)
    types = {name for version in history for name in version.resources}
    found = []
    for day in (first + timedelta(days=n) for n in range((last - first).days + 1)):
        start, end = day_bounds(day)
        for name in sorted(types | {name for on, name in used if on == day}):
            exact, _ = quota_hours(history, name, start, max(start, min(end, now)))
            quota = (Decimal(exact.numerator) / exact.denominator).quantize(PLACES)
            use = used.get((day, name))
            row = Row(place, name, day, quota, idle=quota)
            if use:
                idle = max(quota - use.own, ZERO)
                row = replace(row, own=use.own, borrowed=use.borrowed, idle=idle, as_of=use.as_of)
            if use or quota:
                found.append(row)
    return found


def added_up(rows: Iterable[Row]) -> list[Row]:
    """All days together; `as_of` is that of the oldest total in it."""
    found: dict[tuple[Place, str], Row] = {}
    for row in rows:
        key = (row.place, row.instance_type)
        one = found.get(key)
        if one is None:
            found[key] = replace(row, day=None)
            continue
        found[key] = replace(
            one,
            quota=one.quota + row.quota,
            own=one.own + row.own,
            borrowed=one.borrowed + row.borrowed,
            idle=one.idle + row.idle,
            as_of=min((t for t in (one.as_of, row.as_of) if t), default=None),
        )
    return list(found.values())


def entry(row: Row) -> dict[str, Any]:
    """What `show --json` prints for each row."""
    return {
        "cluster": row.place.cluster,
        "namespace": row.place.namespace,
        "team": row.place.team,
        "project": row.place.project,
        "instance_type": row.instance_type,
        "day": row.day.isoformat() if row.day else None,
        "quota": plain(row.quota),
        "held": plain(row.own + row.borrowed),
        "own": plain(row.own),
        "borrowed": plain(row.borrowed),
        "idle": plain(row.idle),
        "as_of": row.as_of,
    }


def show(rows: list[Row], first: date, last: date) -> None:
    """The cluster is named only where there are several: a table is easily too wide."""
    several = len({row.place.cluster for row in rows}) > 1
    numbers = ["quota", "held", "own", "borrowed", "idle"]
    columns = [*["cluster"][:several], "namespace", "instance type", "day", *numbers]
    cells = [
        [
            *[row.place.cluster_name][:several],
            row.place.namespace,
            row.instance_type,
            row.day or "all",
            *map(_short, (row.quota, row.own + row.borrowed, row.own, row.borrowed, row.idle)),
        ]
        for row in rows
    ]
    title = f"Quota against use in device-hours, {first} to {last} (UTC)"
    output.print_table(title, columns, cells, right=numbers)


def plain(value: Decimal) -> str:
    """Exact, without an exponent and without zeros that say nothing."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _short(value: Decimal) -> str:
    return f"{value:,.2f}"
