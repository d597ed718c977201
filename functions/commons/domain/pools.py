"""Pools: what is handed out as one amount. Every line in scope belongs to exactly one."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from commons.domain.cost_basis import Basis
from commons.domain.cost_lines import CostLine
from commons.domain.cost_scope import Kind, Placed
from commons.domain.errors import RefusedInput
from commons.domain.money import total
from commons.domain.usage import month


@dataclass(frozen=True, slots=True)
class Pool:
    """`rows` report lines that cost `amount`; `hours` of nodes between `start` and `end`.

    `source`: what else than the report it comes from.
    """

    kind: Kind
    payer: str
    account: str
    region: str
    cluster: str
    component: str
    namespace: str
    instance_type: str
    day: date
    amount: Decimal
    hours: Decimal
    rows: int
    start: datetime | None = None
    end: datetime | None = None
    source: str = ""

    @property
    def id(self) -> str:
        """Names the pool in lines, control totals and messages."""
        parts = [self.kind.value, self.payer, self.account, self.region, self.cluster]
        parts += [self.component, self.namespace, self.instance_type, self.day.isoformat()]
        return "|".join([*parts, *filter(None, [self.source])])


def gather(placed: Iterable[Placed], period: str, basis: Basis) -> list[Pool]:
    """The pools of everything in scope, in a fixed order, at what it costs on the basis.

    Raises RefusedInput if the cost of a resource has no date, or one outside the period.
    """
    first, last = month(period)
    members: dict[tuple[str, ...], list[Placed]] = {}
    for each in placed:
        if each.kind is Kind.OUTSIDE:
            continue
        key = _key(each, _day(each, first, last))
        members.setdefault(key, []).append(each)
    return [_pool(found, key[-1], basis) for key, found in sorted(members.items())]


def lines_behind(placed: Iterable[Placed], period: str, pool_id: str) -> list[CostLine]:
    """The lines that `gather` puts into the pool of this id."""
    first, last = month(period)
    inside = (each for each in placed if each.kind is not Kind.OUTSIDE)
    return [p.line for p in inside if "|".join(_key(p, _day(p, first, last))) == pool_id]


def _key(placed: Placed, day: date) -> tuple[str, ...]:
    line = placed.line
    where = (placed.kind.value, line.payer, line.account, placed.region, placed.cluster)
    what = (placed.component, placed.namespace, line.instance_type or "", day.isoformat())
    return where + what


def _day(placed: Placed, first: date, last: date) -> date:
    """A credit, refund or tax may be dated anywhere or not at all: then it is of the first day."""
    day = placed.line.day
    if day is not None and first <= day <= last:
        return day
    if placed.line.adjustment or placed.kind is Kind.SHARED:
        return first
    line = placed.line
    what = f"a {line.line_type} line of {line.usage_type or line.product} in {line.account}"
    dated = f"is dated {day}" if day else "has no date"
    raise RefusedInput("the cost report", [f"{what} {dated}, the period is {first:%Y-%m}"])


def _pool(members: list[Placed], day: str, basis: Basis) -> Pool:
    """Of lines that agree in everything but their amounts."""
    one = members[0]
    lines = [each.line for each in members]
    # only what a node costs has hours; the "amount" of a volume is gigabytes
    hours = [line.node_hours for line in lines] if one.kind is Kind.POOL else []
    return Pool(
        kind=one.kind,
        payer=one.line.payer,
        account=one.line.account,
        region=one.region,
        cluster=one.cluster,
        component=one.component,
        namespace=one.namespace,
        instance_type=one.line.instance_type or "",
        day=date.fromisoformat(day),
        amount=total(line.cost(basis) for line in lines),
        hours=total(hours),
        rows=sum(line.rows for line in lines),
        start=min((line.start for line in lines if line.start), default=None),
        end=max((line.end for line in lines if line.end), default=None),
    )
