"""Kubernetes quantities: `184`, `1500m`, `2000Gi`, read exactly and written canonically."""

import re
from decimal import Decimal

_BINARY = {f"{letter}i": 1024**power for power, letter in enumerate("KMGTPE", start=1)}
_DECIMAL = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "P": Decimal(10**15),
    "E": Decimal(10**18),
}
_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?)([KMGTPE]i|[numkMGTPE]?)"
)


def parse(text: str | int | float) -> Decimal:
    """The value in base units; raises ValueError for what is no quantity."""
    found = _QUANTITY.fullmatch(str(text))
    if not found:
        raise ValueError(f"quantities must match the regular expression of the API: {text!r}")
    number, suffix = found.groups()
    return Decimal(number) * (_BINARY.get(suffix) or _DECIMAL[suffix])


def canonical(text: str | int) -> str:
    """The amount as the API server stores it: binary and decimal suffixes stay what they are."""
    if re.search(r"[eE][+-]?[0-9]", str(text)):
        return str(text)
    return write(parse(text), "memory" if str(text).endswith("i") else "")


def write(value: Decimal, resource: str) -> str:
    """The canonical form: the largest suffix that leaves a whole number."""
    if value == 0:
        return "0"
    scales: dict[str, Decimal] = (
        {suffix: Decimal(scale) for suffix, scale in _BINARY.items()}
        if resource in {"memory", "ephemeral-storage"}
        else {suffix: scale for suffix, scale in _DECIMAL.items() if scale > 1}
    )
    for suffix, scale in reversed(scales.items()):
        if value % scale == 0:
            return f"{int(value // scale)}{suffix}"
    return str(int(value)) if value == int(value) else f"{int(value * 1000)}m"
