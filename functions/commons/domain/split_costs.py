"""Split cost allocation: what pods cost is a part of their instance, and is in the report once."""

from collections.abc import Sequence
from decimal import Decimal

from commons.domain.cost_basis import Basis
from commons.domain.cost_scope import Kind, Placed
from commons.domain.money import plain, total


def outside_total(placed: Sequence[Placed], basis: Basis) -> Decimal:
    """What the report has beside everything in scope.

    The part of an instance that goes to pods of ours is no longer outside: in scope and outside
    are the report again.
    """
    outside = [p.line.cost(basis) for p in placed if p.kind is Kind.OUTSIDE and not p.line.split]
    return total([*outside, _moved(placed, basis).copy_negate()])


def warnings(placed: Sequence[Placed], basis: Basis) -> list[str]:
    """Parts of more than the whole: instances are missing in the report, or are not all of EC2."""
    moved = _moved(placed, basis)
    instances = total(
        p.line.cost(basis) for p in placed if p.line.product == "AmazonEC2" and not p.line.split
    )
    if moved <= max(instances, Decimal(0)):
        return []
    return [
        f"pods on EC2 nodes cost {plain(moved)} by split cost allocation, all of EC2 in the report "
        f"{plain(instances)}: instances are missing in it"
    ]


def _moved(placed: Sequence[Placed], basis: Basis) -> Decimal:
    return total(p.line.cost(basis) for p in placed if p.line.split and p.kind is not Kind.OUTSIDE)
