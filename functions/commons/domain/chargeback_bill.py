"""A whole bill at once: from the sums of its files to proven chargeback lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from commons.domain import split_costs
from commons.domain.chargeback_history import History
from commons.domain.chargeback_lines import ChargebackLine, RunContext
from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.chargeback_run import Outcome
from commons.domain.chargeback_warnings import warnings
from commons.domain.control_totals import prove
from commons.domain.cost_bridge import bridge
from commons.domain.cost_lines import CostSums
from commons.domain.cost_scope import Cluster, Scope
from commons.domain.distribution import Distribution
from commons.domain.errors import RefusedInput
from commons.domain.money import total
from commons.domain.pools import Pool, gather


@dataclass(frozen=True, slots=True)
class Bill:
    """`scheduled`: pools of training plan entries, with their source. `carried`: lines that correct
    closed periods and are posted in this one."""

    sums: CostSums
    clusters: Sequence[Cluster]
    rules: ChargebackRules
    scheduled: Sequence[Pool] = ()
    carried: Sequence[ChargebackLine] = ()

    def currency(self) -> str:
        """Raises RefusedInput if there is not exactly one."""
        found = sorted({line.currency for line in self.sums.lines})
        if len(found) != 1:
            named = ", ".join(found) or "none"
            raise RefusedInput("the cost report", [f"it must have one currency, it has {named}"])
        return found[0]

    def allocate(
        self, context: RunContext, history: History
    ) -> tuple[list[ChargebackLine], Outcome]:
        """Raises RefusedInput if the parts are not the bill."""
        basis = self.rules.basis
        placed = Scope(self.sums.lines, self.clusters).place()
        reported = gather(placed, context.period, basis)
        pools = [*reported, *self.scheduled]
        distribution = Distribution(history, context, self.rules)
        lines = [*distribution.lines(pools), *self.carried]
        scheduled = total(pool.amount for pool in self.scheduled)
        corrections = total(line.amount for line in self.carried)
        totals = prove(
            context.run_id,
            self.sums.total(basis),
            split_costs.outside_total(placed, basis),
            pools,
            lines,
            scheduled,
        )
        apart = {"entries of training plans": scheduled, "corrections": corrections}
        return lines, Outcome(
            currency=context.currency,
            basis=basis,
            total=total(line.amount for line in lines),
            source_total=totals.source_total,
            report_total=totals.report,
            outside_total=totals.outside,
            scheduled_total=scheduled,
            corrections_total=corrections,
            lines=len(lines),
            warnings=[
                *split_costs.warnings(placed, basis),
                *history.warnings,
                *warnings(pools, lines, distribution),
            ],
            bridge=list(bridge(placed, basis, apart)),
        )
