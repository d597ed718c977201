"""Quantities as Kubernetes writes them: `500m`, `16`, `2000Gi`, `1e3`."""

import re
from decimal import Decimal

_FORM = re.compile(r"([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)([eE][+-]?\d{1,2}|[KMGTPE]i|[numkMGTPE])?")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}


def quantity(text: str | int) -> Decimal:
    """Exact. Raises ValueError for what Kubernetes would not take, and for a negative amount."""
    found = _FORM.fullmatch(str(text))
    if found is None:
        raise ValueError(f"{str(text)[:40]!r} is no Kubernetes quantity")
    number, ending = Decimal(found[1]), found[2] or ""
    if number < 0:
        raise ValueError(f"{text!r} is negative")
    if ending in _BINARY:
        return number * Decimal(1024) ** _BINARY[ending]
    exponent = _DECIMAL[ending] if ending in _DECIMAL else int(ending[1:] or 0)
    return number.scaleb(exponent)
