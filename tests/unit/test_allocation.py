"""A pool is handed out whole: reserved, borrowed, lent, used without quota, and the rest."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain.allocation import PLATFORM, Holder, Share, divide, shares_of
from commons.domain.chargeback_rules import DEFAULT, ChargebackRules

DAY = Fraction(24)
hours = st.fractions(min_value=0, max_value=5000, max_denominator=3600)
costs = st.decimals(min_value=-(10**9), max_value=10**9, places=10)
holders = st.lists(
    st.builds(
        Holder,
        namespace=st.sampled_from([f"ns-{n}" for n in range(9)]),
        quota=hours | st.just(Fraction(0)),
        own=hours,
        borrowed=hours | st.just(Fraction(0)),
        lends=st.booleans(),
    ),
    unique_by=lambda holder: holder.namespace,
    max_size=9,
)
rules = st.builds(
    lambda price, mode: DEFAULT.model_copy(update={"borrow_price": price, "mode": mode}),
    st.decimals(0, 1, places=4),
    st.sampled_from(["reserved_plus_borrowed", "usage", "reserved"]),
)


def allocate(
    cost: Decimal, capacity: Fraction, found: list[Holder], rule: ChargebackRules = DEFAULT
) -> list[Share]:
    return shares_of(cost, divide(capacity, found, rule), found)


def amounts(shares: list[Share]) -> dict[tuple[str, str], Decimal]:
    return {(share.namespace, share.component): share.amount for share in shares}


@pytest.mark.law
@given(costs, hours, holders, rules)
def test_the_shares_are_the_pool_to_the_last_digit(cost, capacity, found, rule) -> None:  # type: ignore[no-untyped-def]
    shares = allocate(cost, capacity, found, rule)
    assert sum((Fraction(share.amount) for share in shares), Fraction(0)) == Fraction(cost)


@pytest.mark.law
@given(costs, hours, holders, st.randoms())
def test_the_order_of_the_namespaces_does_not_matter(cost, capacity, found, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(found)
    random.shuffle(shuffled)
    assert allocate(cost, capacity, found) == allocate(cost, capacity, shuffled)


@pytest.mark.law
@given(costs, hours, holders)
def test_all_use_is_shown_beside_the_money(cost, capacity, found) -> None:  # type: ignore[no-untyped-def]
    shares = allocate(cost, capacity, found)
    assert sum(share.own for share in shares) == sum(holder.own for holder in found)
    assert sum(share.borrowed for share in shares) == sum(holder.borrowed for holder in found)


def test_who_borrows_pays_and_who_lends_is_credited() -> None:
    found = [
        Holder("alpha", quota=16 * DAY, own=Fraction(100), lends=True),
        Holder("beta", quota=8 * DAY, own=8 * DAY, borrowed=Fraction(96), lends=True),
    ]
    shares = allocate(Decimal(768), 32 * DAY, found)
    assert amounts(shares) == {
        ("alpha", "reserved"): 384,
        ("alpha", "lend_credit"): -96,
        ("beta", "reserved"): 192,
        ("beta", "borrowed"): 96,
        (PLATFORM, "unassigned"): 192,
    }


def test_what_no_lender_covers_is_borrowed_from_the_unassigned_at_the_full_price() -> None:
    half = DEFAULT.model_copy(update={"borrow_price": Decimal("0.5")})
    found = [
        Holder("alpha", quota=Fraction(10), own=Fraction(4), lends=True),
        Holder("beta", borrowed=Fraction(12)),
    ]
    shares = allocate(Decimal(100), Fraction(100), found, half)
    # six hours at half the price from alpha, six at the full one
    assert amounts(shares) == {
        ("alpha", "reserved"): 10,
        ("alpha", "lend_credit"): -3,
        ("beta", "borrowed"): 9,
        (PLATFORM, "unassigned"): 84,
    }


def test_who_does_not_lend_gets_no_credit() -> None:
    found = [
        Holder("alpha", quota=Fraction(10), lends=False),
        Holder("beta", borrowed=Fraction(5)),
    ]
    assert ("alpha", "lend_credit") not in amounts(allocate(Decimal(20), Fraction(20), found))


def test_quotas_beyond_the_capacity_are_scaled_down() -> None:
    found = [Holder("alpha", quota=Fraction(30)), Holder("beta", quota=Fraction(10))]
    shares = allocate(Decimal(20), Fraction(20), found)
    assert amounts(shares) == {("alpha", "reserved"): 15, ("beta", "reserved"): 5}


def test_use_without_quota_is_on_demand() -> None:
    shares = allocate(Decimal(10), Fraction(10), [Holder("kube-system", own=Fraction(4))])
    assert amounts(shares) == {("kube-system", "on_demand"): 4, (PLATFORM, "unassigned"): 6}
    assert shares[1].own == 4


def test_use_beyond_what_was_billed_is_a_variance_and_never_clamped() -> None:
    shares = allocate(Decimal(10), Fraction(10), [Holder("rogue", own=Fraction(14))])
    assert amounts(shares) == {("rogue", "on_demand"): 14, (PLATFORM, "variance"): -4}


def test_a_fee_without_hours_goes_to_the_owners_of_quota_then_to_the_unassigned() -> None:
    found = [Holder("a", quota=Fraction(1)), Holder("b", quota=Fraction(3)), Holder("c", own=DAY)]
    shares = amounts(allocate(Decimal(8), Fraction(0), found))
    assert {key: amount for key, amount in shares.items() if amount} == {
        ("a", "reserved"): 2,
        ("b", "reserved"): 6,
    }
    assert amounts(allocate(Decimal(8), Fraction(0), [])) == {(PLATFORM, "unassigned"): 8}


def test_capacity_that_cost_nothing_still_shows_its_use() -> None:
    shares = allocate(Decimal(0), Fraction(48), [Holder("a", quota=Fraction(48), own=Fraction(5))])
    (share,) = shares
    assert (share.namespace, share.component, share.amount) == ("a", "reserved", 0)
    assert share.own == 5


def test_the_rule_in_force_lets_a_borrowed_hour_cost_what_a_reserved_one_does() -> None:
    assert DEFAULT.borrow_price == 1
