"""Amounts: decimals with ten places, added without ever rounding."""

from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, Inexact, InvalidOperation
from fractions import Fraction

PLACES = 10
UNIT = Decimal("1e-10")
ZERO = Decimal("0E-10")

# the default context rounds silently at 28 digits; this one raises instead
_EXACT = Context(
    prec=76, rounding=ROUND_HALF_EVEN, traps=[Inexact, InvalidOperation, DivisionByZero]
)


def total(amounts: Iterable[Decimal]) -> Decimal:
    """The exact sum, with ten places. Raises decimal.Inexact where a digit would be lost."""
    result = ZERO
    for amount in amounts:
        result = _EXACT.add(result, amount)
    return _EXACT.quantize(result, UNIT)


def from_units(count: int, places: int = PLACES) -> Decimal:
    """So many units of the last place, exactly."""
    return _EXACT.scaleb(Decimal(count), -places)


def rounded(value: Fraction) -> Decimal:
    """To ten places, halves to even: for quantities that are shown, never for shares of money."""
    return from_units(round(value * 10**PLACES))


def plain(amount: Decimal) -> str:
    """Ten places, no exponent, no negative zero: the one way an amount is written as text."""
    number = _EXACT.quantize(amount, UNIT)
    return format(number.copy_abs() if number == 0 else number, "f")
