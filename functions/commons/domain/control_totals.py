"""The proof that a run makes before it may become current: the parts are the bill."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.errors import RefusedInput
from commons.domain.money import ZERO, plain, total
from commons.domain.pools import Pool

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ControlTotals:
    """`report` is Σ over the files as they were read, `outside` what concerns no cluster.

    `source_total` is what is in scope, scheduled entries, and corrections of closed periods.
    """

    report: Decimal
    outside: Decimal
    source_total: Decimal


def prove(
    run_id: str, report: Decimal, outside: Decimal, pools: Sequence[Pool],
    lines: Iterable[ChargebackLine], scheduled: Decimal = ZERO,
) -> ControlTotals:  # fmt: skip
    """Raises RefusedInput naming each pool whose lines are not its amount.

    `scheduled`: Σ of the pools that are in no report.
    """
    by_pool: dict[str, list[Decimal]] = {}
    carried: list[Decimal] = []
    for line in lines:
        # a correction was proven by the run that made it
        (carried if line.corrects else by_pool.setdefault(line.pool, [])).append(line.amount)
    sums = {pool: total(amounts) for pool, amounts in by_pool.items()}
    faults = [
        f"pool {pool.id} is {plain(pool.amount)}, its lines are {plain(sums[pool.id])}"
        for pool in pools
        if sums.setdefault(pool.id, Decimal(0)) != pool.amount
    ]
    faults += [f"pool {pool} is in no file" for pool in sums.keys() - {p.id for p in pools}]
    in_scope = total(pool.amount for pool in pools)
    reported = total([in_scope, scheduled.copy_negate()])
    if total([reported, outside]) != report:
        faults.append(
            f"in scope {plain(reported)} and outside {plain(outside)} are not {plain(report)}"
        )
    if faults:
        raise RefusedInput(f"run {run_id}", faults[:_SHOWN])
    return ControlTotals(report, outside, total([in_scope, *carried]))
