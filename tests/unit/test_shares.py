"""Shares add up to the whole, whatever the order, to the last unit."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain.shares import settle, split

CENT = 2
amounts = st.decimals(
    min_value=-(10**12), max_value=10**12, places=10, allow_nan=False, allow_infinity=False
)
weights = st.dictionaries(
    st.text(min_size=1, max_size=3), st.fractions(min_value=0, max_value=10**6), min_size=1
).filter(lambda found: any(found.values()))


def test_cb_18_a_cent_shared_by_three_does_not_go_missing() -> None:
    shares = split(Decimal("1.00"), {"a": 1, "b": 1, "c": 1}, CENT)
    assert shares == {"a": Decimal("0.34"), "b": Decimal("0.33"), "c": Decimal("0.33")}


def test_cb_18_uneven_weights_add_up_and_are_within_a_cent_of_the_exact_share() -> None:
    parts = [Decimal("1.18")] * 7 + [Decimal("1.17")] + [Decimal("1.0")] * 4
    keyed = {f"n{n:02}": part for n, part in enumerate(parts)}
    shares = split(Decimal("7002.73"), keyed, CENT)
    assert sum(shares.values()) == Decimal("7002.73")
    every = sum(parts)
    for key, part in keyed.items():
        exact = Fraction(Decimal("7002.73")) * Fraction(part) / Fraction(every)
        assert abs(Fraction(shares[key]) - exact) < Fraction(1, 100)


def test_cb_18_nothing_is_shared_as_nothing_and_a_negative_amount_mirrors_the_positive() -> None:
    three = {"a": 1, "b": 1, "c": 1}
    assert set(split(Decimal("0.00"), three, CENT).values()) == {Decimal(0)}
    mirrored = {key: -share for key, share in split(Decimal("1.00"), three, CENT).items()}
    assert split(Decimal("-1.00"), three, CENT) == mirrored


@given(amounts, weights, st.randoms())
def test_cb_18_the_order_of_the_input_does_not_matter(whole, found, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(found.items())
    random.shuffle(shuffled)
    shares = split(whole, found)
    assert shares == split(whole, dict(shuffled))
    assert sum(map(Fraction, shares.values())) == Fraction(whole)


@given(amounts, weights)
def test_no_share_is_a_unit_away_from_the_exact_one(whole: Decimal, found) -> None:  # type: ignore[no-untyped-def]
    every = sum(found.values())
    for key, share in split(whole, found).items():
        exact = Fraction(whole) * found[key] / every
        assert abs(Fraction(share) - exact) < Fraction(1, 10**10)


def test_nobody_to_share_with_is_an_error() -> None:
    for found in ({}, {"a": 0}, {"a": 2, "b": -1}):
        with pytest.raises(ValueError, match="weights"):
            split(Decimal(1), found)


def test_parts_that_are_not_the_whole_are_refused() -> None:
    with pytest.raises(ValueError, match="the whole is 2"):
        settle({"a": Fraction(1)}, Decimal(2))


def test_a_whole_with_more_places_than_the_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 2 places"):
        settle({"a": Fraction(1, 1000)}, Decimal("0.001"), CENT)


def test_the_larger_fraction_gets_the_missing_unit_and_ties_go_to_the_smaller_key() -> None:
    exact = {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    assert settle(exact, Decimal(1), 0) == {"a": 0, "b": 1}
    tied = {"b": Fraction(1, 2), "a": Fraction(1, 2)}
    assert settle(tied, Decimal(1), 0) == {"a": 1, "b": 0}
