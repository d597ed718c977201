"""Kubernetes quantities, exactly."""

from decimal import Decimal

import pytest

from commons.domain.quantities import quantity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("184", "184"),
        ("500m", "0.5"),
        ("1.5", "1.5"),
        (".5", "0.5"),
        ("2k", "2000"),
        ("3M", "3000000"),
        ("2Gi", str(2 * 1024**3)),
        ("1Ki", "1024"),
        ("1e3", "1000"),
        ("12E-1", "1.2"),
        ("1E", "1000000000000000000"),
        ("5n", "0.000000005"),
        (8, "8"),
    ],
)
def test_a_quantity_is_read_exactly(text: str, expected: str) -> None:
    assert quantity(text) == Decimal(expected)


@pytest.mark.parametrize("text", ["", "eight", "8 GPUs", "0x8", "1e999", "8Zi", "NaN", "--1"])
def test_what_kubernetes_would_not_take_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no Kubernetes quantity"):
        quantity(text)


def test_a_negative_amount_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        quantity("-1")
