"""The four costs of a line, as the table of rules has them, and when a net basis can be chosen."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from commons.adapters.cost_files import read_partials, summarise
from commons.domain.cost_basis import NET, Basis
from commons.domain.cost_lines import CostSums
from commons.domain.errors import RefusedInput
from tests.chargeback.chain import PERIOD
from tests.chargeback.test_cost_files import node, text

# unblended 100 and net 80 on the bill; every other column has a figure of its own
COSTS = {
    "line_item_net_unblended_cost": "80",
    "savings_plan_savings_plan_effective_cost": "60",
    "savings_plan_net_savings_plan_effective_cost": "50",
    "savings_plan_total_commitment_to_date": "8",
    "savings_plan_used_commitment": "6",
    "reservation_effective_cost": "40",
    "reservation_net_effective_cost": "30",
    "reservation_unused_amortized_upfront_fee_for_billing_period": "1.25",
    "reservation_unused_recurring_fee": "0.5",
    "reservation_net_unused_amortized_upfront_fee_for_billing_period": "1",
    "reservation_net_unused_recurring_fee": "0.25",
}
PLAN = {"line_item_product_code": "MachineLearningSavingsPlans"}
RESERVED = {"reservation_reservation_a_r_n": "arn:aws:sagemaker:us-west-2:1:reservation/x"}
# line type, what else the line says, and its cost in the order of Basis
RULES: list[tuple[str, dict[str, Any], tuple[Any, ...]]] = [
    ("Usage", {}, (100, 100, 80, 80)),
    ("SavingsPlanCoveredUsage", {}, (100, 60, 80, 50)),
    ("SavingsPlanNegation", {}, (100, 0, 80, 0)),
    ("SavingsPlanUpfrontFee", PLAN, (100, 0, 80, 0)),
    ("SavingsPlanRecurringFee", PLAN, (100, 2, 80, 2)),
    ("DiscountedUsage", RESERVED, (100, 40, 80, 30)),
    ("RIFee", RESERVED, (100, "1.75", 80, "1.25")),
    ("Fee", RESERVED, (100, 0, 80, 0)),
    ("Fee", {}, (100, 100, 80, 80)),
    ("Refund", PLAN, (100, 0, 80, 0)),
    ("Refund", {}, (100, 100, 80, 80)),
    ("EdpDiscount", {}, (100, 100, 0, 0)),
    ("PrivateRateDiscount", {}, (100, 100, 0, 0)),
    ("BundledDiscount", {}, (100, 100, 0, 0)),
    ("Discount", {}, (100, 100, 80, 80)),
    ("Credit", {}, (100, 100, 80, 80)),
    ("Tax", {}, (100, 100, 80, 80)),
    ("SomethingNew", {}, (100, 100, 80, 80)),
]


def read(folder: Path, *files: Path) -> CostSums:
    """Each file in a batch of its own."""
    partials = []
    for number, path in enumerate(files):
        partials.append(folder / f"partial-{number}.parquet")
        summarise([(path.name, path)], partials[-1], PERIOD)
    return read_partials(partials, folder)


@pytest.mark.parametrize(("line_type", "values", "costs"), RULES)
def test_cb_07_what_a_line_costs_on_each_basis(
    tmp_path: Path, line_type: str, values: dict[str, Any], costs: tuple[Any, ...]
) -> None:
    line = node("100", **{**COSTS, **values, "line_item_line_item_type": line_type})
    sums = read(tmp_path, text(tmp_path, [line]))
    assert [sums.lines[0].cost(basis) for basis in Basis] == [Decimal(cost) for cost in costs]
    assert [sums.total(basis) for basis in Basis] == [Decimal(cost) for cost in costs]


def test_net_costs_are_there_for_an_export_or_not_at_all(tmp_path: Path) -> None:
    with_net = text(tmp_path, [node("1", line_item_net_unblended_cost="0.5")], "net.csv.gz")
    empty = text(tmp_path, [node("1", line_item_net_unblended_cost="")], "empty.csv.gz")
    without = text(tmp_path, [node("1")], "gross.csv.gz")
    assert read(tmp_path, with_net).total(Basis.NET_AMORTISED) == Decimal("0.5")
    for files in ([without], [empty], [with_net, without], [empty, with_net]):
        sums = read(tmp_path, *files)
        assert sums.total(Basis.AMORTISED) == len(files)
        for basis in NET:
            with pytest.raises(RefusedInput, match=f"on the basis {basis}"):
                sums.total(basis)
            with pytest.raises(RefusedInput, match=f"on the basis {basis}"):
                sums.lines[0].cost(basis)


def test_a_net_cost_of_zero_or_below_is_one_and_no_reason_to_fall_back(tmp_path: Path) -> None:
    lines = [node("9", line_item_net_unblended_cost=net) for net in ("0", "-3")]
    assert read(tmp_path, text(tmp_path, lines)).total(Basis.NET_UNBLENDED) == -3


@pytest.mark.parametrize("nonsense", ["NaN", "inf", "1,5"])
def test_cb_29_a_net_cost_that_is_no_amount_refuses_the_file_by_row(
    tmp_path: Path, nonsense: str
) -> None:
    lines = [node("1", line_item_net_unblended_cost=net) for net in ("1", nonsense)]
    with pytest.raises(RefusedInput, match=f"row 2: the cost '{nonsense}' of a Usage line"):
        read(tmp_path, text(tmp_path, lines))


def test_one_part_of_an_unused_reservation_may_be_empty_but_not_both(tmp_path: Path) -> None:
    unused = "reservation_unused_recurring_fee"
    fee = node("9", line_item_line_item_type="RIFee", **{unused: "2"})
    assert read(tmp_path, text(tmp_path, [fee])).total(Basis.AMORTISED) == 2
    with pytest.raises(RefusedInput, match="include the savings plan and reservation columns"):
        read(tmp_path, text(tmp_path, [{**fee, unused: ""}]))


def test_cb_07_savings_plans_and_their_refund(tmp_path: Path) -> None:
    covered = {"savings_plan_savings_plan_effective_cost": "6"}
    fee = {
        "savings_plan_total_commitment_to_date": "8",
        "savings_plan_used_commitment": "6",
        **PLAN,
    }
    lines = [
        node("10", line_item_line_item_type="SavingsPlanCoveredUsage", **covered),
        node("-10", line_item_line_item_type="SavingsPlanNegation"),
        node("8", line_item_line_item_type="SavingsPlanRecurringFee", **fee),
        node("-8", line_item_line_item_type="Refund", **PLAN),
    ]
    sums = read(tmp_path, text(tmp_path, [{**dict.fromkeys(fee), **line} for line in lines]))
    assert sums.total(Basis.UNBLENDED) == 0
    assert sums.total(Basis.AMORTISED) == 8
    assert {line.line_type: line.amortised for line in sums.lines} == {
        "SavingsPlanCoveredUsage": 6,
        "SavingsPlanNegation": 0,
        "SavingsPlanRecurringFee": 2,
        "Refund": 0,
    }
    assert sum(line.node_hours for line in sums.lines) == 1
