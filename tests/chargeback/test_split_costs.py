"""Split cost allocation of EC2 nodes: a parent and its parts are one money."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from commons.domain.cost_basis import Basis
from commons.domain.cost_lines import CostLine
from commons.domain.cost_scope import Cluster, Kind, Scope
from commons.domain.money import total
from commons.domain.split_costs import outside_total, warnings
from local.cost_rows import row
from tests.chargeback.chain import CLUSTER, Chain
from tests.chargeback.test_cost_basis import read as read_sums
from tests.chargeback.test_cost_files import parquet, read, text

DAY = date(2026, 10, 2)
ACCOUNT = "444455556666"


def instance(cost: float, **more: Any) -> dict[str, Any]:
    """The line of an EC2 node."""
    values = {
        "line_item_product_code": "AmazonEC2",
        "line_item_usage_account_id": ACCOUNT,
        "line_item_usage_type": "USW2-BoxUsage:m6i.large",
        "line_item_operation": "RunInstances",
        "line_item_resource_id": "i-0abc",
        "product_region_code": "us-west-2",
    }
    return row(DAY, cost, **values | more)


def pod(
    namespace: str, split: Any, unused: Any = 0.0, cluster: str = "ml-shared", **more: Any
) -> dict[str, Any]:
    """A row of a pod, as the split has one for its processors and one for its memory."""
    arn = f"arn:aws:eks:us-west-2:{ACCOUNT}:pod/{cluster}/{namespace}/a-pod/6f8a"
    values = {
        "line_item_product_code": "AmazonEKS",
        "line_item_usage_account_id": ACCOUNT,
        "line_item_usage_type": "USW2-EKS-EC2-vCPU-Hours",
        "line_item_operation": "EKSPod-EC2",
        "line_item_resource_id": arn,
        "split_line_item_parent_resource_id": "i-0abc",
        "split_line_item_split_cost": split,
        "split_line_item_unused_cost": unused,
    }
    return row(DAY, 0, **values | more)


def test_cb_19_an_instance_that_ran_part_of_an_hour_is_its_parts_and_nothing_is_scaled_again(
    chain: Chain,
) -> None:
    chain.register()
    chain.onboard("alpha", namespace="alpha")
    chain.onboard("beta", namespace="beta")
    half_an_hour = {"line_item_usage_amount": 0.5}
    parts = [pod("alpha", 2.5, 0.5, **half_an_hour), pod("beta", 1.25, 0.75, **half_an_hour)]
    rows = [instance(5, **half_an_hour), instance(7), *parts]
    assert chain.deliver(chain.report(rows, 5)[0]) == "published"
    run = chain.current()
    assert chain.amounts() == {
        (CLUSTER, "alpha", "direct"): 3,
        (CLUSTER, "beta", "direct"): 2,
    }
    assert (run["total"], run["outside_total"], run["report_total"]) == (5, 7, 12)
    assert run["warnings"] == []


def test_pods_of_a_cluster_that_is_none_of_ours_stay_with_their_instance(chain: Chain) -> None:
    chain.register()
    rows = [instance(5), pod("alpha", 3, cluster="somebody-elses"), pod("beta", 2)]
    chain.deliver(chain.report(rows, 5)[0])
    run = chain.current()
    assert (run["total"], run["outside_total"], run["report_total"]) == (2, 3, 5)


def test_the_pod_is_known_by_its_tags_or_else_by_its_resource(tmp_path: Path) -> None:
    tags = {"aws:eks:namespace": "tagged", "aws:eks:cluster-name": "ml-shared"}
    rows = [pod("alpha", 1), pod("alpha", 2, resource_tags=tags), pod("alpha", 4)]
    lines = read(tmp_path, parquet(tmp_path, rows))
    found = {(each.namespace, each.eks_cluster): each.amortised for each in lines}
    assert found == {("alpha", "ml-shared"): 5, ("tagged", "ml-shared"): 2}
    assert {(each.region, each.resource, each.split) for each in lines} == {("us-west-2", "", True)}


def test_a_tenants_tag_names_no_pod_that_is_another(tmp_path: Path) -> None:
    forged = {"user_aws:eks:namespace": "beta", "user_namespace": "beta"}
    (line,) = read(tmp_path, parquet(tmp_path, [pod("alpha", 1, resource_tags=forged)]))
    assert line.namespace == "alpha"


def test_pods_have_the_same_split_on_each_basis_and_a_net_one_if_aws_gives_it(
    tmp_path: Path,
) -> None:
    net = {"split_line_item_net_split_cost": "2", "split_line_item_net_unused_cost": "0.5"}
    net_cost = "line_item_net_unblended_cost"
    rows = [instance(9), pod("alpha", "3", "1")]
    priced = [{**rows[0], **dict.fromkeys(net), net_cost: "8"}, {**rows[1], **net, net_cost: "0"}]
    (_, line) = sorted(read(tmp_path, text(tmp_path, priced)), key=lambda line: line.split)
    assert [line.cost(basis) for basis in Basis] == [4, 4, Decimal("2.5"), Decimal("2.5")]
    gross = read_sums(tmp_path, text(tmp_path, [{**row, net_cost: "8"} for row in rows]))
    assert set(gross.totals) == {Basis.UNBLENDED, Basis.AMORTISED}


def test_what_is_not_split_yet_stays_with_the_instance(tmp_path: Path) -> None:
    rows = [instance(5), pod("alpha", "", "")]
    sums = read_sums(tmp_path, text(tmp_path, rows))
    assert {line.split: line.amortised for line in sums.lines} == {True: 0, False: 5}
    assert sums.total(Basis.AMORTISED) == 5


def test_tasks_of_ecs_count_nowhere_beside_their_instance(tmp_path: Path) -> None:
    task = pod("alpha", 3, line_item_operation="ECSTask-EC2", line_item_product_code="AmazonECS")
    (line,) = read(tmp_path, parquet(tmp_path, [instance(5), task]))
    assert (line.product, line.amortised, line.rows) == ("AmazonEC2", 5, 1)


def test_an_export_without_the_columns_of_the_split_leaves_pods_with_their_instance(
    tmp_path: Path,
) -> None:
    rows = [instance(5), pod("alpha", 3)]
    rows = [{k: v for k, v in row.items() if not k.startswith("split_")} for row in rows]
    (line,) = read(tmp_path, text(tmp_path, rows))
    assert (line.split, line.amortised) == (False, 5)


def split_line(cost: Decimal, eks_cluster: str = "ml-shared") -> CostLine:
    return CostLine(
        True, "USD", account=ACCOUNT, namespace="a", eks_cluster=eks_cluster, split=True,
        amortised=cost,
    )  # fmt: skip


def test_parts_of_more_than_all_instances_are_told() -> None:
    whole = CostLine(False, "USD", product="AmazonEC2", amortised=Decimal(5))
    clusters = [Cluster(CLUSTER, "ml-shared")]
    for cost, told in ((Decimal(5), 0), (Decimal("5.0000000001"), 1)):
        placed = Scope([whole, split_line(cost)], clusters).place()
        assert len(warnings(placed, Basis.AMORTISED)) == told
    assert warnings(Scope([whole], clusters).place(), Basis.AMORTISED) == []


costs = st.decimals(-(10**6), 10**6, places=10)


@given(st.lists(costs, max_size=5), st.lists(st.tuples(costs, st.booleans()), max_size=5))
def test_in_scope_and_outside_are_the_report_whatever_is_split(
    instances: list[Decimal], pods: list[tuple[Decimal, bool]]
) -> None:
    lines = [CostLine(False, "USD", product="AmazonEC2", amortised=cost) for cost in instances]
    lines += [split_line(cost, "ml-shared" if ours else "other") for cost, ours in pods]
    placed = Scope(lines, [Cluster(CLUSTER, "ml-shared")]).place()
    inside = [each.line.amortised for each in placed if each.kind is not Kind.OUTSIDE]
    assert total([*inside, outside_total(placed, Basis.AMORTISED)]) == total(instances)
