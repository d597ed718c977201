"""Largest remainder: parts that add up to the whole, whatever the order they come in.

Every part is rounded down to a whole unit; the units that are still missing go to the largest
fractions, ties to the smaller key.
"""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

from commons.domain.money import PLACES, from_units


def settle[Key: Any](
    exact: Mapping[Key, Fraction], whole: Decimal, places: int = PLACES
) -> dict[Key, Decimal]:
    """`exact` in units of the last place, so that the parts are exactly `whole`.

    Raises ValueError if the exact parts are not the whole, or the whole has more places.
    """
    if sum(exact.values()) != Fraction(whole):
        raise ValueError(f"the parts make {float(sum(exact.values()))}, the whole is {whole}")
    scaled = {key: part * 10**places for key, part in exact.items()}
    units = {key: floor(part) for key, part in scaled.items()}
    missing = Fraction(whole) * 10**places - sum(units.values())
    if missing.denominator != 1:
        raise ValueError(f"{whole} has more than {places} places")
    by_fraction = sorted(units, key=lambda key: (units[key] - scaled[key], key))
    for key in by_fraction[: int(missing)]:
        units[key] += 1
    return {key: from_units(count, places) for key, count in units.items()}


def split[Key: Any](
    whole: Decimal, weights: Mapping[Key, Fraction | Decimal | int], places: int = PLACES
) -> dict[Key, Decimal]:
    """`whole` in proportion to `weights`; the shares of -x are those of x with the other sign.

    Raises ValueError if a weight is negative, or if all are zero.
    """
    exact = {key: Fraction(weight) for key, weight in weights.items()}
    every = sum(exact.values(), Fraction(0))
    if every <= 0 or min(exact.values()) < 0:
        raise ValueError("a share needs weights that are not negative and not all zero")
    size = abs(Fraction(whole))
    parts = settle(
        {key: size * part / every for key, part in exact.items()}, whole.copy_abs(), places
    )
    # copying the sign does not round, as the operator would
    return {key: part.copy_sign(whole) if part else part for key, part in parts.items()}
