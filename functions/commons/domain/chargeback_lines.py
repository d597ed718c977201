"""Chargeback lines: who pays how much for what on which day, and where it comes from."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from commons.domain.money import ZERO

# what names no cluster or nobody who uses one
UNALLOCATED = "__unallocated__"
_ID_LENGTH = 16


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all lines of a run share."""

    run_id: str
    rule_version: str
    period: str
    currency: str
    manifest: str


@dataclass(frozen=True, slots=True)
class ChargebackLine:
    """`own` and `borrowed` are device-hours; what was held is both together.

    amount = pool_amount · numerator ÷ denominator · factor, settled at ten places; `rows` lines of
    the report are behind the pool. A correction has the day it corrects, and the open period it is
    posted in; `corrects` is the closed one.
    """

    line_id: str
    cluster: str
    namespace: str
    team: str | None
    project: str | None
    cost_center: str | None
    period: str
    day: date
    instance_type: str | None
    component: str
    amount: Decimal
    currency: str
    estimated: bool
    run_id: str
    rule_version: str
    manifest: str
    pool: str
    own: Decimal = ZERO
    borrowed: Decimal = ZERO
    method: str = "direct"
    numerator: Decimal = Decimal("1.0000000000")
    denominator: Decimal = Decimal("1.0000000000")
    factor: Decimal = Decimal("1.0000000000")
    pool_amount: Decimal = ZERO
    rows: int = 0
    corrects: str | None = None


def line_id(parts: Sequence[str | None]) -> str:
    """Of pool, cluster, namespace, team, project, cost centre, component and corrected period.

    The same in every run of the same bill, so that two runs can be compared line by line.
    """
    text = "\0".join(each or "" for each in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:_ID_LENGTH]


def of_pools(lines: Iterable[ChargebackLine]) -> dict[str, list[ChargebackLine]]:
    """The lines by the pool they are a part of."""
    found: dict[str, list[ChargebackLine]] = {}
    for line in lines:
        found.setdefault(line.pool, []).append(line)
    return found
