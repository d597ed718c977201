"""What the report of a run says: figures, in the order they are shown; every one exact."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_run import Outcome, RunRef
from commons.domain.consumption import Consumption, Place, consumption
from commons.domain.money import ZERO, total
from commons.domain.report_figures import Day, Mover, Share, Tenant
from commons.domain.usage import month

# what names no team or no cost centre
NOBODY = "not assigned"
_MOVERS = 10
# rows of one table: a page of any size stays one that people read; the CSV has every row
_ROWS = 400


@dataclass(frozen=True, slots=True)
class Page:
    """`movers` None: there is nothing to compare with. `written_at` in UTC.

    `others`: at most one row for all the namespaces that are not in `tenants`.
    """

    run: RunRef
    status: str
    rule_version: str
    written_at: datetime
    outcome: Outcome
    cost_centers: Sequence[Share]
    teams: Sequence[Share]
    components: Sequence[Share]
    days: Sequence[Day]
    earlier: Decimal
    tenants: Sequence[Tenant]
    others: Sequence[Tenant]
    corrections: Sequence[Share]
    gaps: Sequence[tuple[date, str]]
    movers: Sequence[Mover] | None

    @property
    def used(self) -> Consumption:
        """Of all namespaces together."""
        every = Consumption()
        for tenant in (*self.tenants, *self.others):
            every = every.plus(tenant.used)
        return every


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a page says beside the lines.

    `previous`: what each namespace paid in the month before; None: there is none.
    """

    status: str
    written_at: datetime
    previous: Mapping[Place, Decimal] | None = None


def page(
    run: RunRef,
    outcome: Outcome,
    lines: Sequence[ChargebackLine],
    around: Circumstances,
) -> Page:
    tenants = _tenants(lines)
    corrections = [line for line in lines if line.corrects]
    return Page(
        run=run,
        status=around.status,
        rule_version=", ".join(sorted({line.rule_version for line in lines})),
        written_at=around.written_at,
        outcome=outcome,
        cost_centers=_shares(lines, lambda line: line.cost_center or NOBODY),
        teams=_shares(lines, lambda line: line.team or NOBODY),
        components=_shares(lines, lambda line: line.component.replace("_", " ")),
        days=_days(run.period, lines),
        earlier=total(line.amount for line in lines if f"{line.day:%Y-%m}" != run.period),
        tenants=tenants[:_ROWS],
        others=_together(tenants[_ROWS:]),
        corrections=_shares(corrections, lambda line: line.corrects or ""),
        gaps=sorted({(line.day, line.cluster) for line in lines if line.estimated}),
        movers=None if around.previous is None else _movers(lines, around.previous),
    )


def _shares(lines: Iterable[ChargebackLine], name: Callable[[ChargebackLine], str]) -> list[Share]:
    """The largest first; they add up to the lines."""
    amounts: dict[str, list[Decimal]] = {}
    for line in lines:
        amounts.setdefault(name(line), []).append(line.amount)
    shares = [Share(key, total(found)) for key, found in amounts.items()]
    shares.sort(key=lambda share: (-share.amount, share.name))
    if rest := shares[_ROWS:]:
        shares[_ROWS:] = [Share(f"{len(rest)} others", total(each.amount for each in rest))]
    return shares


def _days(period: str, lines: Iterable[ChargebackLine]) -> list[Day]:
    """Every day from the first of the period to the last that has a line."""
    first, last = month(period)
    amounts: dict[date, list[Decimal]] = {}
    estimated = set()
    for line in lines:
        if first <= line.day <= last:
            amounts.setdefault(line.day, []).append(line.amount)
            estimated |= {line.day} if line.estimated else set()
    until = max(amounts, default=first)
    days = [first.replace(day=number) for number in range(1, until.day + 1)]
    return [Day(day, total(amounts.get(day, [])), day in estimated) for day in days]


def _tenants(lines: Sequence[ChargebackLine]) -> list[Tenant]:
    """The largest first. An owner that changed within the month is named with the others."""
    by_place: dict[Place, list[ChargebackLine]] = {}
    for line in lines:
        by_place.setdefault((line.cluster, line.namespace), []).append(line)
    used = consumption(lines)
    tenants = [
        Tenant(
            *place,
            _names(line.team for line in mine),
            _names(line.cost_center for line in mine),
            total(line.amount for line in mine),
            used.get(place, Consumption()),
        )
        for place, mine in by_place.items()
    ]
    return sorted(tenants, key=lambda each: (-each.amount, each.namespace, each.cluster))


def _together(tenants: Sequence[Tenant]) -> list[Tenant]:
    if not tenants:
        return []
    used = Consumption()
    for tenant in tenants:
        used = used.plus(tenant.used)
    amount = total(tenant.amount for tenant in tenants)
    return [Tenant("", f"{len(tenants)} others", "", "", amount, used)]


def _names(values: Iterable[str | None]) -> str:
    return ", ".join(sorted({value or NOBODY for value in values}))


def _movers(lines: Iterable[ChargebackLine], previous: Mapping[Place, Decimal]) -> list[Mover]:
    """Those whose cost changed most, up or down."""
    amounts: dict[Place, list[Decimal]] = {}
    for line in lines:
        amounts.setdefault((line.cluster, line.namespace), []).append(line.amount)
    movers = [
        Mover(*place, previous.get(place, ZERO), total(amounts.get(place, [])))
        for place in amounts.keys() | previous.keys()
    ]
    changed = [each for each in movers if each.change]
    return sorted(changed, key=lambda m: (-m.change.copy_abs(), m.namespace, m.cluster))[:_MOVERS]
