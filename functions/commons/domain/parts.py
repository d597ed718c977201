"""Parts of an amount: how large each is, and by which figures, before any rounding."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from commons.domain.chargeback_rules import Spread

NOTHING = Fraction(0)
ONE = Fraction(1)
_PERCENT = Fraction(100)


@dataclass(frozen=True, slots=True)
class Part:
    """whole · numerator ÷ denominator · factor; `method` says what the figures are."""

    method: str
    numerator: Fraction = ONE
    denominator: Fraction = ONE
    factor: Fraction = ONE

    @property
    def size(self) -> Fraction:
        """As a part of one."""
        return self.numerator / self.denominator * self.factor

    def times(self, factor: Fraction) -> "Part":
        return Part(self.method, self.numerator, self.denominator, self.factor * factor)


def spread[Key: Hashable](
    rule: Spread, weights: Mapping[Key, Fraction], name: Callable[[Key], str], rest: Key
) -> dict[Key, Part]:
    """Parts of one, which add up to one. What the rule gives to nobody there goes to `rest`.

    `weights` has everybody who may get a part, and what they are charged directly.
    """
    match rule.method:
        case "even" if weights:
            return {key: Part("even", ONE, Fraction(len(weights))) for key in weights}
        case "fixed":
            return _fixed(rule, weights, name, rest)
        case "proportional" if every := sum(weights.values(), NOTHING):
            weighty = {key: weight for key, weight in weights.items() if weight}
            return {key: Part("proportional", each, every) for key, each in weighty.items()}
    return {rest: Part("kept")}


def _fixed[Key: Hashable](
    rule: Spread, weights: Mapping[Key, Fraction], name: Callable[[Key], str], rest: Key
) -> dict[Key, Part]:
    named: dict[str, list[Key]] = {}
    for key in weights:
        named.setdefault(name(key), []).append(key)
    parts = {
        key: Part("fixed", Fraction(rule.shares[each]), _PERCENT, Fraction(1, len(keys)))
        for each, keys in named.items()
        if each in rule.shares
        for key in keys
    }
    if left := ONE - sum((part.size for part in parts.values()), NOTHING):
        parts[rest] = Part("kept", left)
    return parts
