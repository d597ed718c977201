"""What a report line costs, by basis: the table that the queries and docs/finance-rules.md follow.

The first rule that fits a line counts. Every column is named as CUR 2.0 names it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Basis(StrEnum):
    UNBLENDED = "unblended"
    AMORTISED = "amortised"
    NET_UNBLENDED = "net_unblended"
    NET_AMORTISED = "net_amortised"


# an export has their columns, all of them, only for accounts that have a discount
NET = (Basis.NET_UNBLENDED, Basis.NET_AMORTISED)


@dataclass(frozen=True, slots=True)
class Cost:
    """Σ `plus` less Σ `minus`; zero if both are empty.

    `filled`: how many of the columns a line must have something in, or else it has no such cost;
    None: all. The others count as zero.
    """

    plus: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()
    filled: int | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """The text of a column is like one of the patterns of SQL's LIKE; `words` say so to people."""

    column: str
    patterns: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Lines of these types (empty: of every type) that meet the condition."""

    line_types: tuple[str, ...]
    condition: Condition | None
    costs: Mapping[Basis, Cost]
    reason: str


_ZERO = Cost()
_BILLED = Cost(("line_item_unblended_cost",))
_NET_BILLED = Cost(("line_item_net_unblended_cost",))
_UNUSED_COMMITMENT = Cost(
    ("savings_plan_total_commitment_to_date",), ("savings_plan_used_commitment",)
)


def _rule(
    *line_types: str,
    reason: str,
    condition: Condition | None = None,
    unblended: Cost = _BILLED,
    amortised: Cost,
    net_unblended: Cost = _NET_BILLED,
    net_amortised: Cost,
) -> Rule:
    costs = (unblended, amortised, net_unblended, net_amortised)
    return Rule(line_types, condition, dict(zip(Basis, costs, strict=True)), reason)


def _same(cost: Cost, net: Cost, condition: Condition, reason: str) -> Rule:
    return _rule(
        reason=reason,
        condition=condition,
        unblended=cost,
        amortised=cost,
        net_unblended=net,
        net_amortised=net,
    )


# pods of EKS on EC2: their money is a part of what their instance costs
PODS = Condition("line_item_operation", ("EKSPod-EC2",), "split cost rows of EKS pods on EC2")
# what these repeat is counted in the line of their instance, and concerns no GPU cluster
TASKS = Condition("line_item_operation", ("ECSTask-EC2",), "split cost rows of ECS tasks on EC2")
_RESERVED = Condition("reservation_reservation_a_r_n", ("_%",), "that names a reservation")
_OF_PLANS = Condition("line_item_product_code", ("%SavingsPlans",), "of a savings plan")

RULES = (
    _same(
        condition=PODS,
        cost=Cost(("split_line_item_split_cost", "split_line_item_unused_cost"), filled=0),
        net=Cost(("split_line_item_net_split_cost", "split_line_item_net_unused_cost"), filled=1),
        reason="AWS splits the amortised cost of an instance over its pods and knows no other "
        "split: it stands on the unblended basis too. What a pod costs is taken off the instance; "
        "what is not split yet stays there.",
    ),
    _rule(
        "SavingsPlanCoveredUsage",
        amortised=Cost(("savings_plan_savings_plan_effective_cost",)),
        net_amortised=Cost(("savings_plan_net_savings_plan_effective_cost",)),
        reason="The bill has the on-demand price here; amortised, the plan's price counts.",
    ),
    _rule(
        "SavingsPlanNegation",
        amortised=_ZERO,
        net_amortised=_ZERO,
        reason="It takes the on-demand price of covered usage off the bill again.",
    ),
    _rule(
        "SavingsPlanUpfrontFee",
        amortised=_ZERO,
        net_amortised=_ZERO,
        reason="What was paid up front is counted where it is used, not when it is billed.",
    ),
    _rule(
        "SavingsPlanRecurringFee",
        amortised=_UNUSED_COMMITMENT,
        net_amortised=_UNUSED_COMMITMENT,
        reason="Amortised, only the part of the commitment that nothing used is left; AWS gives "
        "no net figure for it.",
    ),
    _rule(
        "DiscountedUsage",
        amortised=Cost(("reservation_effective_cost",)),
        net_amortised=Cost(("reservation_net_effective_cost",)),
        reason="Usage that a reservation covers is free on the bill; amortised, it has its price.",
    ),
    _rule(
        "RIFee",
        amortised=Cost(
            (
                "reservation_unused_amortized_upfront_fee_for_billing_period",
                "reservation_unused_recurring_fee",
            ),
            filled=1,
        ),
        net_amortised=Cost(
            (
                "reservation_net_unused_amortized_upfront_fee_for_billing_period",
                "reservation_net_unused_recurring_fee",
            ),
            filled=1,
        ),
        reason="Amortised, only the part of the reservation that nothing used is left.",
    ),
    _rule(
        "Fee",
        condition=_RESERVED,
        amortised=_ZERO,
        net_amortised=_ZERO,
        reason="A reservation paid up front is counted where it is used.",
    ),
    _rule(
        "Refund",
        condition=_OF_PLANS,
        amortised=_ZERO,
        net_amortised=_ZERO,
        reason="The fee that is given back was never counted.",
    ),
    _rule(
        "EdpDiscount",
        "PrivateRateDiscount",
        "BundledDiscount",
        amortised=_BILLED,
        net_unblended=_ZERO,
        net_amortised=_ZERO,
        reason="Net costs have these discounts in each line already.",
    ),
    _rule(
        amortised=_BILLED,
        net_amortised=_NET_BILLED,
        reason="Usage, fees, tax, support, credits, refunds and other discounts cost what the "
        "bill says.",
    ),
)
