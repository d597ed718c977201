"""The story: a cost report is complete. Its files become the chargeback of a period."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from commons import bootstrap
from commons.adapters.chargeback_table import ChargebackTable
from local.cost_report import company_rows
from local.cost_rows import Nodes, node_rows, row
from tests.chargeback.chain import CLUSTER, OTHER, PERIOD, Chain

DAY = date(2026, 10, 2)
NODES = Nodes(CLUSTER, "ml.p5.48xlarge", 4, Decimal("98.32"))


def nodes_for(total: int, cluster: str = CLUSTER, **more: object) -> dict[str, object]:
    """One line of a day of one node."""
    return row(
        DAY,
        total,
        line_item_product_code="AmazonSageMaker",
        line_item_usage_account_id="444455556666",
        line_item_usage_type="USW2-Cluster:ml.p5.48xlarge",
        line_item_resource_id=cluster,
        line_item_usage_amount=24.0,
        **more,
    )


def test_cb_02_report_in_several_files_then_a_newer_run(chain: Chain) -> None:
    first = chain.report([nodes_for(n) for n in (10, 20, 30)], 2)
    assert chain.deliver(first[0]) == "published"
    assert chain.current()["total"] == 60
    old = chain.current()["run_id"]

    second = chain.report([nodes_for(n) for n in (12, 22, 33)], 3)
    assert chain.deliver(second[0]) == "published"
    assert chain.current()["total"] == 67

    for key in (*first, *second):
        assert chain.deliver(key) != "published"
    assert chain.current()["total"] == 67
    assert chain.runs() == {old: "superseded", chain.current()["run_id"]: "provisional"}
    assert [e.detail["total"] for e in chain.events.published] == ["60.0000000000", "67.0000000000"]
    assert chain.events.published[1].detail["previousRunId"] == old


def test_the_parts_of_a_company_are_its_bill(chain: Chain) -> None:
    chain.register()
    alpha, beta = chain.onboard("alpha", 16), chain.onboard("beta", 8)
    days = [DAY + timedelta(days=n) for n in range(3)]
    chain.used(alpha, DAY, own=100)
    chain.used(beta, DAY, own=192, borrowed=96)
    rows = company_rows([NODES], days, {CLUSTER: "ml-shared"})
    assert chain.deliver(chain.report(rows, 5)[1]) == "published"
    run = chain.current()
    expected = sum(
        (
            Decimal(str(r["line_item_unblended_cost"]))
            for r in rows
            if "somebody-else" not in str(r["line_item_resource_id"])
        ),
        Decimal(0),
    )
    assert run["total"] == run["source_total"] == expected
    assert sum(chain.amounts().values()) == expected
    assert run["outside_total"] == 3 * (Decimal("2.304") + Decimal("0.0123456789"))
    rate = Decimal("98.32") / 8
    amounts = chain.amounts()
    assert amounts[CLUSTER, alpha, "reserved"] == rate * 16 * 24 * 3
    assert amounts[CLUSTER, beta, "borrowed"] == rate * 96
    assert amounts[CLUSTER, alpha, "lend_credit"] == -rate * 96
    assert {name for _, _, name in amounts} >= {"unassigned", "shared", "storage", "tax", "credit"}


def test_cb_12_same_namespace_name_in_two_clusters(chain: Chain) -> None:
    chain.register()
    chain.register(OTHER, "ml-other")
    chain.onboard("alpha", namespace="train")
    chain.onboard("beta", cluster=OTHER, namespace="train")
    tags = {"aws_eks_namespace": "train"}
    rows = [nodes_for(30, resource_tags=tags), nodes_for(70, OTHER, resource_tags=tags)]
    chain.deliver(chain.report(rows, 5)[0])
    amounts = chain.amounts()
    assert amounts == {(CLUSTER, "train", "direct"): 30, (OTHER, "train", "direct"): 70}


def test_nodes_of_one_day_are_read_from_hourly_lines(chain: Chain) -> None:
    chain.deliver(chain.report(list(node_rows(NODES, [DAY])), 5)[0])
    assert chain.current()["total"] == 24 * 4 * Decimal("98.32")


def test_of_two_runs_that_become_current_at_once_the_second_looks_again(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    seen = bootstrap.chargeback_table().current(PERIOD)
    chain.deliver(chain.report([nodes_for(67)], 6)[0])
    winner = chain.current()
    late = chain.report([nodes_for(70)], 7)[0]
    with monkeypatch.context() as patched:
        # it read the pointer before the other wrote it
        patched.setattr(ChargebackTable, "current", lambda *_: seen)
        assert chain.deliver(late) == "ChangedMeanwhile"
    assert chain.current() == winner
