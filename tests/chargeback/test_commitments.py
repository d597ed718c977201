"""Savings plans, fees that are billed ahead, and a step that dies: the whole chain."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from commons import bootstrap
from commons.adapters.chargeback_store import ChargebackStore
from commons.adapters.line_files import read_lines
from commons.domain.chargeback_run import RunRef
from commons.domain.errors import StillConverging
from local.cost_rows import row
from tests.chargeback.chain import CLUSTER, PERIOD, REPORTS, Chain
from tests.chargeback.test_publish_chargeback import nodes_for

ACCOUNT = "444455556666"


def plan_row(day: date, cost: float, line_type: str, **more: Any) -> dict[str, Any]:
    """A line of a machine learning savings plan, which names no cluster."""
    return row(
        day,
        cost,
        line_item_product_code="MachineLearningSavingsPlans",
        line_item_usage_account_id=ACCOUNT,
        line_item_line_item_type=line_type,
        **more,
    )


def fee(day: date, committed: float, used: float) -> dict[str, Any]:
    commitment = {
        "savings_plan_total_commitment_to_date": committed,
        "savings_plan_used_commitment": used,
    }
    return plan_row(day, committed, "SavingsPlanRecurringFee", **commitment)


def test_cb_06_fees_that_are_billed_ahead_make_no_use_on_days_to_come(
    chain: Chain, tmp_path: Path
) -> None:
    chain.register()
    alpha = chain.onboard("alpha", 8)
    so_far = [date(2026, 10, 1) + timedelta(days=n) for n in range(10)]
    month = [date(2026, 10, 1) + timedelta(days=n) for n in range(31)]
    rows = [
        nodes_for(24) | {"line_item_usage_start_date": f"{day}T00:00:00Z"} for day in so_far
    ] + [fee(day, 8, 6) for day in month]
    assert chain.deliver(chain.report(rows, 11)[0]) == "published"
    run = RunRef(period=PERIOD, run_id=chain.current()["run_id"])
    lines = list(read_lines(bootstrap.chargeback_store().lines(run, tmp_path), tmp_path))
    assert {line.day for line in lines if line.component != "shared"} == set(so_far)
    shared = [line for line in lines if line.component == "shared"]
    assert {line.day for line in shared} == set(month)
    # until somebody is charged on a day, nobody can be asked to share its fee
    assert {line.namespace for line in shared if line.day > so_far[-1]} == {"__unallocated__"}
    assert alpha in {line.namespace for line in shared}
    assert chain.current()["total"] == 10 * 24 + 31 * 2


def test_cb_07_a_plan_charges_its_price_where_it_covers_and_shares_what_nothing_used(
    chain: Chain,
) -> None:
    chain.register()
    chain.onboard("a", namespace="a")
    tags = {"resource_tags": {"aws:eks:namespace": "a"}}
    day = date(2026, 10, 2)
    rows = [
        nodes_for(
            10,
            line_item_line_item_type="SavingsPlanCoveredUsage",
            savings_plan_savings_plan_effective_cost=6.0,
            **tags,
        ),
        nodes_for(-10, line_item_line_item_type="SavingsPlanNegation", **tags),
        fee(day, 8, 6),
        plan_row(day, -8, "Refund"),
    ]
    chain.deliver(chain.report(rows, 5)[0])
    amounts = chain.amounts()
    assert amounts[CLUSTER, "a", "direct"] == 6
    assert sum(amount for key, amount in amounts.items() if key[2] == "shared") == 2
    assert all(amount >= 0 for amount in amounts.values())
    assert chain.current()["total"] == 8


def test_cb_31_a_step_that_dies_is_repeated_and_no_input_is_lost(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = chain.report([nodes_for(n) for n in (10, 20, 30)], 5)[0]
    before = {each["Key"] for each in chain.s3.list_objects_v2(Bucket=REPORTS)["Contents"]}
    save = ChargebackStore.save_partial

    def dies(*_: Any) -> None:
        raise StillConverging("the function ran out of memory")

    monkeypatch.setattr(ChargebackStore, "save_partial", dies)
    assert chain.deliver(manifest) == "StillConverging"
    assert chain.current() == {}
    assert {e["Key"] for e in chain.s3.list_objects_v2(Bucket=REPORTS)["Contents"]} == before
    monkeypatch.setattr(ChargebackStore, "save_partial", save)
    assert chain.deliver(manifest) == "published"
    assert chain.current()["total"] == 60
    assert len(bootstrap.chargeback_table().runs()) == 1
    assert chain.current()["period"] == PERIOD
