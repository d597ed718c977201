"""A whole bill at once: from the sums of its files to proven chargeback lines."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from commons.domain import split_costs
from commons.domain.chargeback_lines import ChargebackLine, History, RunContext
from commons.domain.chargeback_run import Outcome
from commons.domain.control_totals import prove
from commons.domain.cost_basis import Basis
from commons.domain.cost_lines import CostLine
from commons.domain.cost_scope import Cluster, Kind, Scope
from commons.domain.distribution import Distribution
from commons.domain.errors import RefusedInput
from commons.domain.instance_types import devices
from commons.domain.money import plain, total
from commons.domain.pools import Pool, gather

# clusters whose use and quotas are needed, and (cluster, namespace) pairs that the bill names
ReadHistory = Callable[[set[str], set[tuple[str, str]]], History]
_ALERT = Decimal("0.005")


@dataclass(frozen=True, slots=True)
class Bill:
    """`report_total` is Σ of everything that was read, added up apart from the lines."""

    lines: Sequence[CostLine]
    report_total: Decimal
    clusters: Sequence[Cluster]

    def currency(self) -> str:
        """Raises RefusedInput if there is not exactly one."""
        found = sorted({line.currency for line in self.lines})
        if len(found) != 1:
            named = ", ".join(found) or "none"
            raise RefusedInput("the cost report", [f"it must have one currency, it has {named}"])
        return found[0]

    def allocate(
        self, context: RunContext, read_history: ReadHistory
    ) -> tuple[list[ChargebackLine], Outcome]:
        """Raises RefusedInput if the parts are not the bill."""
        placed = Scope(self.lines, self.clusters).place()
        pools = gather(placed, context.period)
        history = read_history(
            {pool.cluster for pool in pools if pool.kind is Kind.POOL},
            {(pool.cluster, pool.namespace) for pool in pools if pool.namespace},
        )
        lines = Distribution(history, context).lines(pools)
        outside = split_costs.outside_total(placed, Basis.AMORTISED)
        totals = prove(context.run_id, self.report_total, outside, pools, lines)
        return lines, Outcome(
            currency=context.currency,
            total=total(line.amount for line in lines),
            source_total=totals.source_total,
            report_total=totals.report,
            outside_total=totals.outside,
            lines=len(lines),
            warnings=split_costs.warnings(placed, Basis.AMORTISED) + _warnings(pools, lines),
        )


def _warnings(pools: Iterable[Pool], lines: Iterable[ChargebackLine]) -> list[str]:
    """What a person should look at although the sums are right."""
    nodes = {pool.id: pool for pool in pools if pool.kind is Kind.POOL}
    unknown = sorted({p.instance_type for p in nodes.values() if devices(p.instance_type) is None})
    found = [
        f"{each} is no known instance type: its cost is unassigned, whoever used it"
        for each in unknown
    ]
    for line in lines:
        if line.component == "variance":
            cost = nodes[line.pool].amount
            if abs(line.amount) > abs(cost) * _ALERT:
                found.append(
                    f"use on {line.day} of {line.instance_type} in {line.cluster} exceeds what "
                    f"was billed: {plain(line.amount)} of {plain(cost)} {line.currency}"
                )
    return found[:50]
