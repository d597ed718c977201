"""The way from what is charged back to what AWS invoices, step by step, for everything in scope."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from commons.domain.cost_basis import Basis
from commons.domain.cost_lines import CostLine
from commons.domain.cost_scope import Kind, Placed
from commons.domain.errors import RefusedInput
from commons.domain.money import plain, total

# steps after the unblended cost of what was used, in their order; each is a kind of line
_ADJUSTMENTS = ("discount", "credit", "refund", "support", "tax")


class Step(BaseModel):
    """An amount that is added, or (`sum`) what all before it make."""

    model_config = ConfigDict(frozen=True)

    name: str
    amount: Decimal
    sum: bool = False


def bridge(placed: Iterable[Placed], basis: Basis, apart: Mapping[str, Decimal]) -> Sequence[Step]:
    """From the total charged back to the invoice.

    `apart`: by name, what is charged back and is in no line of the report: scheduled entries of
    training plans, corrections of closed periods. Pods of EKS stay at their part of what their
    instance costs, since an invoice has no other figure for them.
    """
    lines = [each.line for each in placed if each.kind is not Kind.OUTSIDE]
    charged = total(line.cost(basis) for line in lines)
    steps = [Step(name="charged back", amount=total([charged, *apart.values()]), sum=True)]
    steps += [
        Step(name=f"without {name}", amount=amount.copy_negate())
        for name, amount in apart.items()
        if amount
    ]
    steps.append(Step(name=f"report, {basis.value.replace('_', ' ')}", amount=charged, sum=True))
    steps += _commitments(lines, basis)
    used = [line for line in lines if line.adjustment not in _ADJUSTMENTS]
    steps.append(Step(name="usage and fees, unblended", amount=_unblended(used), sum=True))
    for kind in _ADJUSTMENTS:
        if amount := _unblended(line for line in lines if line.adjustment == kind):
            steps.append(Step(name=kind, amount=amount))
    steps.append(Step(name="invoiced", amount=_unblended(lines), sum=True))
    return proven(steps)


def proven(steps: Sequence[Step]) -> Sequence[Step]:
    """Raises RefusedInput unless every sum is what the steps before it make."""
    running = steps[0].amount
    for step in steps[1:]:
        if not step.sum:
            running = total([running, step.amount])
        elif step.amount != running:
            reason = f"{step.name} is {plain(step.amount)}, the steps make {plain(running)}"
            raise RefusedInput("the bridge to the invoice", [reason])
    return steps


def _commitments(lines: Sequence[CostLine], basis: Basis) -> list[Step]:
    """What the basis moves between lines: prepaid and covered usage, and discounts inside them."""
    moved: dict[str, list[Decimal]] = {}
    for line in lines:
        difference = total([line.unblended, line.cost(basis).copy_negate()])
        if difference and line.adjustment not in _ADJUSTMENTS:
            moved.setdefault(line.line_type, []).append(difference)
    steps = [
        Step(name=f"{kind}: billed instead of amortised", amount=total(amounts))
        for kind, amounts in sorted(moved.items())
    ]
    adjusted = [line for line in lines if line.adjustment in _ADJUSTMENTS]
    if taken := total(line.cost(basis).copy_negate() for line in adjusted):
        steps.append(Step(name="adjustments, as charged back", amount=taken))
    return steps


def _unblended(lines: Iterable[CostLine]) -> Decimal:
    return total(line.unblended for line in lines)
