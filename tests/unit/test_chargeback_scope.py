"""Which lines concern a cluster, what they pay for, and that no pool is lost on the way."""

import dataclasses
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain.chargeback_bill import Bill
from commons.domain.chargeback_history import History, Ownership
from commons.domain.chargeback_lines import ChargebackLine, RunContext
from commons.domain.chargeback_rules import DEFAULT
from commons.domain.control_totals import prove
from commons.domain.cost_basis import Basis
from commons.domain.cost_lines import CostLine, CostSums
from commons.domain.cost_scope import Cluster, Kind, Scope
from commons.domain.errors import RefusedInput
from commons.domain.money import total
from commons.domain.pools import gather
from commons.domain.usage import QuotaVersion

ARN = "arn:aws:sagemaker:us-west-2:444455556666:cluster/ab12cd34ef56"
EKS = "arn:aws:eks:us-west-2:444455556666:cluster/ml-shared"
CLUSTER = Cluster(ARN, "ml-shared")
DAY = date(2026, 10, 2)
CONTEXT = RunContext("run", "rule", "2026-10", "USD", "s3://b/m")
NODE = CostLine(
    candidate=True,
    currency="USD",
    payer="111122223333",
    account="444455556666",
    product="AmazonSageMaker",
    usage_type="USW2-Cluster:ml.p5.48xlarge",
    resource=ARN,
    line_type="Usage",
    day=DAY,
    unblended=Decimal(10),
    amortised=Decimal(10),
    hours=Decimal(24),
    rows=1,
)


def node(**values: object) -> CostLine:
    return dataclasses.replace(NODE, **values)


PLACES = [
    (node(), Kind.POOL, "", ARN),
    (node(usage_type="USW2-ReservedCluster:ml.p5.48xlarge"), Kind.POOL, "", ARN),
    (node(resource=""), Kind.POOL, "", ARN),
    (node(usage_type="USW2-Cluster:VolumeUsage.gp2"), Kind.SHARED, "storage", ARN),
    (node(product="AmazonEKS", usage_type="x", resource=EKS), Kind.SHARED, "shared", ARN),
    (node(product="AmazonEKS", resource=f"{EKS}-2"), Kind.OUTSIDE, "", ""),
    (node(product="AmazonFSx", resource="fs-1"), Kind.SHARED, "storage", "444455556666/"),
    (node(product="AmazonFSx", account="999999999999"), Kind.OUTSIDE, "", ""),
    (node(line_type="Tax", resource="", usage_type=""), Kind.APART, "tax", "444455556666"),
    (node(line_type="Tax"), Kind.SHARED, "tax", ARN),
    (node(line_type="Credit", resource=""), Kind.APART, "credit", "444455556666"),
    (node(line_type="EdpDiscount", resource=""), Kind.APART, "discount", "444455556666"),
    (node(line_type="Tax", product="AmazonEC2", resource=""), Kind.OUTSIDE, "", ""),
    (node(product="AWSSupportEnterprise", resource=""), Kind.APART, "support", "444455556666"),
    (node(product="OCBSupport", account="9" * 12, resource=""), Kind.OUTSIDE, "", ""),
    (
        node(product="MachineLearningSavingsPlans", resource=""),
        Kind.SHARED,
        "shared",
        "444455556666/",
    ),
    (node(namespace="train"), Kind.DIRECT, "direct", ARN),
    (node(namespace="train", line_type="Refund"), Kind.DIRECT, "refund", ARN),
    (node(namespace=" "), Kind.POOL, "", ARN),
    (node(usage_type="USW2-Studio", resource=""), Kind.OUTSIDE, "", ""),
    (CostLine(False, "USD", amortised=Decimal(5)), Kind.OUTSIDE, "", ""),
]


@pytest.mark.parametrize(("line", "kind", "component", "cluster"), PLACES)
def test_where_a_line_belongs(line: CostLine, kind: Kind, component: str, cluster: str) -> None:
    placed = Scope([NODE, line], [CLUSTER]).place()[1]
    assert (placed.kind, placed.component, placed.cluster) == (kind, component, cluster)


def test_cb_12_a_namespace_is_told_apart_by_the_clusters_tag() -> None:
    line = node(product="AmazonEC2", resource="", namespace="train")
    tagged = [dataclasses.replace(line, eks_cluster=name) for name in ("ml-shared", "hp-2")]
    places = [placed.cluster for placed in Scope(tagged, [CLUSTER]).place()]
    assert places == [ARN, "444455556666/hp-2"]


def test_negations_repeat_no_hours_and_volumes_have_none() -> None:
    lines = [
        node(line_type="SavingsPlanCoveredUsage", amortised=Decimal(6)),
        node(line_type="SavingsPlanNegation", amortised=Decimal(0)),
        node(usage_type="USW2-Cluster:VolumeUsage.gp2", hours=Decimal("0.68")),
    ]
    pools = gather(Scope(lines, [CLUSTER]).place(), "2026-10", Basis.AMORTISED)
    assert [(pool.kind, pool.hours, pool.rows) for pool in pools] == [
        (Kind.POOL, 24, 2),
        (Kind.SHARED, 0, 1),
    ]


@pytest.mark.parametrize("day", [None, date(2026, 9, 30), date(2026, 11, 1)])
def test_a_node_dated_outside_the_period_is_refused_a_credit_is_of_its_first_day(
    day: date | None,
) -> None:
    with pytest.raises(RefusedInput, match="the period is 2026-10"):
        gather(Scope([node(day=day)], []).place(), "2026-10", Basis.AMORTISED)
    credit = node(day=day, line_type="Credit")
    (pool,) = gather(Scope([credit], []).place(), "2026-10", Basis.AMORTISED)
    assert pool.day == date(2026, 10, 1)


def test_the_first_and_last_day_belong_to_the_period() -> None:
    lines = [node(day=date(2026, 10, 1)), node(day=date(2026, 10, 31))]
    assert len(gather(Scope(lines, []).place(), "2026-10", Basis.AMORTISED)) == 2


def history() -> History:
    since = datetime(2026, 9, 1, tzinfo=UTC)
    quota = {"ml.p5.48xlarge": Decimal(8)}
    version = QuotaVersion(effective_from=since, version=1, resources=quota, strategy="Lend")
    names = ["alpha", "beta"]
    centers = ((date(2026, 1, 1), "old"), (date(2026, 10, 15), "new"))
    return History(
        used={(ARN, "beta", "ml.p5.48xlarge", DAY): (Fraction(9), Fraction(100, 3))},
        quotas={(ARN, "alpha"): [version]},
        missing={(ARN, DAY): timedelta(hours=2)},
        owners={(ARN, n): [Ownership(team=f"team-{n}", cost_centers=centers)] for n in names},
    )


def bill_of(lines: list[CostLine]) -> Bill:
    totals = {
        Basis.UNBLENDED: total(line.unblended for line in lines),
        Basis.AMORTISED: total(line.amortised for line in lines),
    }
    return Bill(CostSums(lines, totals), [CLUSTER], DEFAULT)


def allocated(lines: list[CostLine]) -> list[ChargebackLine]:
    return bill_of(lines).allocate(CONTEXT, history())[0]


costs = st.decimals(-(10**7), 10**7, places=10)
any_line = st.builds(
    lambda place, cost, day: dataclasses.replace(place[0], amortised=cost, day=DAY + day),
    st.sampled_from(PLACES),
    costs,
    st.timedeltas(timedelta(0), timedelta(days=20)),
)


@pytest.mark.law
@given(st.lists(any_line, max_size=25), st.randoms())
def test_the_parts_are_the_bill_for_any_report_in_any_order(lines, random) -> None:  # type: ignore[no-untyped-def]
    inside = [p.line for p in Scope(lines, [CLUSTER]).place() if p.kind is not Kind.OUTSIDE]
    parts = allocated(lines)
    assert total(part.amount for part in parts) == total(line.amortised for line in inside)
    shuffled = list(lines)
    random.shuffle(shuffled)
    assert allocated(shuffled) == parts


def test_the_cost_center_is_the_one_of_the_day_and_use_in_progress_is_marked() -> None:
    parts = allocated([node(), node(day=date(2026, 10, 20))])
    alpha = [part for part in parts if part.namespace == "alpha"]
    assert [(p.cost_center, p.estimated) for p in alpha if p.component == "reserved"] == [
        ("old", True),
        ("new", False),
    ]


def test_shared_cost_follows_direct_charge_and_is_unallocated_where_nobody_is_charged() -> None:
    shared = node(usage_type="USW2-Cluster:VolumeUsage.gp2", amortised=Decimal(7))
    parts = [p for p in allocated([node(), shared]) if p.component == "storage"]
    assert {p.namespace for p in parts} == {"alpha", "beta"}
    assert total(p.amount for p in parts) == 7
    (alone,) = allocated([shared])
    assert (alone.namespace, alone.team, alone.amount) == ("__unallocated__", None, 7)


def test_an_unknown_instance_type_is_unassigned_and_told() -> None:
    line = node(usage_type="USW2-Cluster:ml.q9.99xlarge")
    (part,), outcome = bill_of([line]).allocate(CONTEXT, history())
    assert (part.namespace, part.component) == ("__platform__", "unassigned")
    assert "ml.q9.99xlarge is no known instance type" in outcome.warnings[0]


def test_use_beyond_the_bill_is_told_with_its_share() -> None:
    line = node(hours=Decimal(1), start=datetime(2026, 10, 2, tzinfo=UTC))
    parts, outcome = bill_of([line]).allocate(CONTEXT, history())
    assert "variance" in {part.component for part in parts}
    assert "exceeds what was billed" in outcome.warnings[0]


@pytest.mark.parametrize(("report", "outside"), product(["10", "10.0000000001"], ["0", "1"]))
def test_a_run_whose_totals_disagree_is_refused(report: str, outside: str) -> None:
    pools = gather(Scope([NODE], [CLUSTER]).place(), "2026-10", Basis.AMORTISED)
    parts = allocated([NODE])
    if (report, outside) == ("10", "0"):
        assert prove("r", Decimal(10), Decimal(0), pools, parts).source_total == 10
    else:
        with pytest.raises(RefusedInput, match="in scope"):
            prove("r", Decimal(report), Decimal(outside), pools, parts)


def test_a_run_that_loses_a_line_is_refused_and_names_the_pool() -> None:
    pools = gather(Scope([NODE], [CLUSTER]).place(), "2026-10", Basis.AMORTISED)
    with pytest.raises(RefusedInput, match=rf"pool pool\|111122223333\|.*{ARN}.*2026-10-02 is 10"):
        prove("r", Decimal(10), Decimal(0), pools, allocated([NODE])[1:])


def test_a_line_of_no_pool_is_refused() -> None:
    pools = gather(Scope([NODE], [CLUSTER]).place(), "2026-10", Basis.AMORTISED)
    stray = dataclasses.replace(allocated([NODE])[0], pool="made up")
    with pytest.raises(RefusedInput, match="pool made up is in no file"):
        prove("r", Decimal(10), Decimal(0), pools, [*allocated([NODE]), stray])
