"""What each choice of the rules does to a bill: modes, spreading, platform namespaces, lost use."""

import dataclasses
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from commons.domain.allocation import PLATFORM, Holder, divide, shares_of
from commons.domain.chargeback_bill import Bill
from commons.domain.chargeback_history import History, Ownership
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_rules import DEFAULT, ChargebackRules, Spread, rules_for
from commons.domain.chargeback_run import Outcome
from commons.domain.cost_basis import Basis
from commons.domain.cost_bridge import Step, proven
from commons.domain.cost_lines import CostLine, CostSums
from commons.domain.errors import RefusedInput
from commons.domain.money import total
from commons.domain.parts import spread
from commons.domain.usage import QuotaVersion
from tests.unit.test_chargeback_scope import ARN, CLUSTER, CONTEXT, DAY, node

TYPE = "ml.p5.48xlarge"
SINCE = datetime(2026, 9, 1, tzinfo=UTC)


def rules(**values: Any) -> ChargebackRules:
    given_ = {"kind": "ChargebackRules", "version": "v", "valid_from": "2026-10", **values}
    return ChargebackRules.model_validate(given_)


def quota(devices: int) -> list[QuotaVersion]:
    resources = {TYPE: Decimal(devices)}
    return [QuotaVersion(effective_from=SINCE, version=1, resources=resources, strategy="Lend")]


def made(
    lines: list[CostLine], rule: ChargebackRules = DEFAULT, **history: Any
) -> tuple[dict[tuple[str, str], Decimal], Outcome, list[ChargebackLine]]:
    """Amounts by namespace and component, what is told beside them, and the lines."""
    totals = {
        Basis.UNBLENDED: total(line.unblended for line in lines),
        Basis.AMORTISED: total(line.amortised for line in lines),
    }
    bill = Bill(CostSums(lines, totals), [CLUSTER], rule)
    found, outcome = bill.allocate(CONTEXT, History(**history))
    amounts: dict[tuple[str, str], Decimal] = {}
    for line in found:
        key = (line.namespace, line.component)
        amounts[key] = amounts.get(key, Decimal(0)) + line.amount
    return {key: amount for key, amount in amounts.items() if amount}, outcome, found


def used(**hours: int) -> dict[tuple[str, str, str, date], tuple[Fraction, Fraction]]:
    return {(ARN, name, TYPE, DAY): (Fraction(n), Fraction(0)) for name, n in hours.items()}


def pool(cost: int, hours: int = 24) -> CostLine:
    return node(unblended=Decimal(cost), amortised=Decimal(cost), hours=Decimal(hours))


HOLDERS = [
    Holder("alpha", quota=Fraction(48), own=Fraction(12), lends=True),
    Holder("beta", quota=Fraction(24), own=Fraction(24), borrowed=Fraction(12)),
]


def amounts(rule: ChargebackRules, holders: list[Holder] = HOLDERS) -> dict[str, Decimal]:
    shares = shares_of(Decimal(96), divide(Fraction(96), holders, rule), holders)
    return {f"{each.namespace} {each.component}": each.amount for each in shares if each.amount}


def test_by_use_all_of_the_cost_follows_use() -> None:
    assert amounts(rules(mode="usage")) == {"alpha usage": 24, "beta usage": 72}


def test_by_use_what_nobody_used_goes_to_owners_of_quota_then_to_nobody() -> None:
    idle = [Holder("alpha", quota=Fraction(1)), Holder("beta", quota=Fraction(3))]
    assert amounts(rules(mode="usage"), idle) == {"alpha reserved": 24, "beta reserved": 72}
    assert amounts(rules(mode="usage"), []) == {f"{PLATFORM} unassigned": 96}


def test_by_quota_alone_use_is_shown_and_not_charged() -> None:
    assert amounts(rules(mode="reserved")) == {
        "alpha reserved": 48,
        "beta reserved": 24,
        f"{PLATFORM} unassigned": 24,
    }
    shares = shares_of(Decimal(96), divide(Fraction(96), HOLDERS, rules(mode="reserved")), HOLDERS)
    (borrowed,) = [each for each in shares if each.component == "borrowed"]
    assert (borrowed.amount, borrowed.borrowed) == (0, 12)


def test_the_price_of_a_borrowed_hour_is_what_the_lender_gets() -> None:
    half = amounts(rules(borrow_price="0.5"))
    assert (half["beta borrowed"], half["alpha lend_credit"]) == (6, -6)
    assert amounts(rules(borrow_price=0)).keys() == {
        "alpha reserved",
        "beta reserved",
        f"{PLATFORM} unassigned",
    }


@pytest.mark.parametrize(
    ("unassigned", "expected"),
    [
        ({"method": "keep"}, {PLATFORM: 24}),
        # alpha is charged 48 less 12 lent, beta 24 and 12 borrowed
        ({"method": "proportional"}, {"alpha": 12, "beta": 12}),
        ({"method": "even"}, {"alpha": 12, "beta": 12}),
        (
            {"method": "fixed", "shares": {"alpha": 25, "gone": 50}},
            {"alpha": 6, PLATFORM: 18},
        ),
    ],
)
def test_what_nobody_reserved_is_kept_or_spread(
    unassigned: dict[str, Any], expected: dict[str, int]
) -> None:
    found = amounts(rules(unassigned=unassigned))
    assert {k.split()[0]: v for k, v in found.items() if k.endswith("unassigned")} == expected


def test_variance_is_never_spread() -> None:
    rogue = [Holder("rogue", own=Fraction(120))]
    found = amounts(rules(unassigned={"method": "even"}), rogue)
    assert found == {"rogue on_demand": 120, f"{PLATFORM} variance": -24}


@pytest.mark.law
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.fractions(0, 1000), max_size=6),
    st.one_of(
        st.just(Spread()),
        st.just(Spread(method="even")),
        st.dictionaries(
            st.sampled_from("abcdefgh"), st.decimals("0.1", 12, places=2), min_size=1
        ).map(lambda shares: Spread(method="fixed", shares=shares)),
    ),
)
def test_the_parts_of_one_are_one(weights: dict[str, Fraction], rule: Spread) -> None:
    parts = spread(rule, weights, str, "nobody")
    assert sum(part.size for part in parts.values()) == 1
    assert set(parts) <= {*weights, "nobody"}


def test_a_fixed_share_is_one_also_where_two_clusters_have_the_name() -> None:
    rule = Spread(method="fixed", shares={"a": Decimal(50)})
    weights = {("one", "a"): Fraction(1), ("two", "a"): Fraction(0), ("two", "b"): Fraction(9)}
    parts = spread(rule, weights, lambda place: place[1], ("one", "nobody"))
    assert {place: part.size for place, part in parts.items()} == {
        ("one", "a"): Fraction(1, 4),
        ("two", "a"): Fraction(1, 4),
        ("one", "nobody"): Fraction(1, 2),
    }


def test_use_is_shown_once_where_two_payers_have_nodes_of_one_kind() -> None:
    lines = [pool(60), dataclasses.replace(pool(40), payer="999999999999")]
    found, _, shown = made(lines, rules(mode="usage"), used=used(one=30, two=90))
    assert found == {("one", "usage"): 25, ("two", "usage"): 75}
    assert sum(line.own for line in shown) == 120


def test_who_is_credited_more_than_charged_gets_nothing_of_what_is_shared() -> None:
    credit = node(namespace="lender", usage_type="", amortised=Decimal(-9))
    volumes = node(usage_type="USW2-Cluster:VolumeUsage.gp2", amortised=Decimal(6))
    found, *_ = made([pool(100), credit, volumes], rules(mode="usage"), used=used(one=1))
    assert {key: found[key] for key in found if key[1] == "storage"} == {("one", "storage"): 6}


def test_cb_32_platform_namespaces_are_spread_over_who_is_charged() -> None:
    extra = node(namespace="monitoring", usage_type="", unblended=Decimal(2), amortised=Decimal(2))
    platform = rules(mode="usage", platform_namespaces=["kube-system", "monitoring"])
    hours = {"kube-system": 30, "monitoring": 10, "one": 100, "two": 300, "idle": 0}
    found, _, lines = made([pool(440), extra], platform, used=used(**hours))
    assert found == {
        ("one", "usage"): 100,
        ("two", "usage"): 300,
        ("one", "shared"): Decimal("10.5"),
        ("two", "shared"): Decimal("31.5"),
    }
    # what the platform used stays visible, at no amount
    system = next(line for line in lines if line.namespace == "kube-system")
    assert (system.amount, system.own) == (0, 30)


def test_cb_32_platform_namespaces_may_be_spread_evenly() -> None:
    even = rules(mode="usage", platform_namespaces=["kube-system"], shared={"method": "even"})
    found, *_ = made([pool(100)], even, used=used(**{"kube-system": 40, "one": 10, "two": 50}))
    assert (found["one", "shared"], found["two", "shared"]) == (20, 20)


def test_a_day_of_which_too_much_is_unknown_is_charged_by_quota_alone() -> None:
    history: dict[str, Any] = {"used": used(rogue=50), "quotas": {(ARN, "alpha"): quota(4)}}
    for hours, charged in ((6, True), (7, False)):
        missing = {(ARN, DAY): timedelta(hours=hours)}
        found, _, lines = made([pool(192)], rules(), missing=missing, **history)
        assert (("rogue", "on_demand") in found) is charged
        assert all(line.estimated for line in lines)


def test_cb_33_cost_after_a_team_has_left_is_its_cost_and_told() -> None:
    owners = {(ARN, "old"): [Ownership(team="old-team", ended_on=date(2026, 10, 1))]}
    found, outcome, lines = made([pool(10)], rules(mode="usage"), used=used(old=5), owners=owners)
    assert found == {("old", "usage"): 10}
    assert {line.team for line in lines} == {"old-team"}
    (told,) = outcome.warnings
    assert told.startswith("team old-team has left, and old in")


def test_use_above_a_quota_that_nobody_called_borrowed_is_told_and_not_charged() -> None:
    history: dict[str, Any] = {"used": used(alpha=60), "quotas": {(ARN, "alpha"): quota(2)}}
    found, outcome, _ = made([pool(192)], **history)
    assert found == {("alpha", "reserved"): 48, (PLATFORM, "unassigned"): 144}
    assert "used 12.0000000000 device-hours" in outcome.warnings[0]


def test_quotas_beyond_what_was_billed_are_told() -> None:
    _, outcome, _ = made([pool(192)], quotas={(ARN, "alpha"): quota(16)})
    assert "each counts 0.5000 of itself" in outcome.warnings[0]


def test_every_line_has_an_id_of_its_own_and_the_figures_that_make_it() -> None:
    volumes = node(usage_type="USW2-Cluster:VolumeUsage.gp2", amortised=Decimal(7))
    lines = made([pool(100), volumes], used=used(one=70, two=30))[2]
    assert len({line.line_id for line in lines}) == len(lines)
    for line in lines:
        exact = line.pool_amount * line.numerator / line.denominator * line.factor
        assert abs(exact - line.amount) < Decimal("1e-8")


def test_the_bridge_leads_from_what_is_charged_to_the_invoice() -> None:
    covered = node(line_type="SavingsPlanCoveredUsage", unblended=Decimal(20), amortised=Decimal(6))
    negation = node(line_type="SavingsPlanNegation", unblended=Decimal(-20), amortised=Decimal(0))
    tax = node(line_type="Tax", unblended=Decimal(3), amortised=Decimal(3))
    steps = made([pool(100), covered, negation, tax])[1].bridge
    sums = {step.name: step.amount for step in steps if step.sum}
    assert sums == {
        "charged back": 109,
        "report, amortised": 109,
        "usage and fees, unblended": 100,
        "invoiced": 103,
    }
    assert [step.amount for step in steps if not step.sum] == [14, -20, -3, 3]


def test_a_bridge_whose_sums_are_not_its_steps_is_refused() -> None:
    steps = [Step(name="a", amount=Decimal(5), sum=True), Step(name="b", amount=Decimal(2))]
    assert proven([*steps, Step(name="c", amount=Decimal(7), sum=True)])
    with pytest.raises(RefusedInput, match=r"c is 8\.0000000000, the steps make 7\.0000000000"):
        proven([*steps, Step(name="c", amount=Decimal(8), sum=True)])


def test_the_newest_rules_of_a_period_hold_in_it() -> None:
    known = [rules(version=v, valid_from=f"2026-{m}") for v, m in (("a", "08"), ("b", "10"))]
    assert [rules_for(f"2026-{m}", known).version for m in ("07", "08", "09", "10", "12")] == [
        "default",
        "a",
        "a",
        "b",
        "b",
    ]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"valid_from": "2026-13"}, "must be a period"),
        ({"borrow_price": 1.5}, "less than or equal to 1"),
        ({"borrow_price": True}, "must be a number"),
        ({"borrow_price": "NaN"}, "finite number"),
        ({"shared": {"method": "fixed"}}, "must have shares"),
        ({"shared": {"shares": {"a": 1}}}, "must have shares if"),
        ({"unassigned": {"method": "fixed", "shares": {"a": 60, "b": 41}}}, "100 percent"),
        ({"platform_namespaces": ["__platform__"]}, "match pattern"),
        ({"made_up": 1}, "not permitted"),
    ],
)
def test_rules_that_cannot_be_followed_are_refused(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        rules(**values)
