"""Sums of cost report lines, as read from the files: the input of scope and allocation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from commons.domain.cost_basis import Basis
from commons.domain.errors import RefusedInput

# AmazonSageMaker usage types of HyperPod nodes: USW2-Cluster:ml.p5.48xlarge, …-ReservedCluster:…
NODE = r"(?:.*-)?(?:Reserved)?Cluster:(ml\.[a-z0-9-]+\.[a-z0-9]+)(?:-[A-Za-z]+)?"
# these carry the hours of a node once; a negation or a fee repeats hours or has none
_HOURS_COUNT = {"Usage", "DiscountedUsage", "SavingsPlanCoveredUsage"}
ADJUSTMENTS = {
    "Tax": "tax",
    "Credit": "credit",
    "Refund": "refund",
    "Discount": "discount",
    "BundledDiscount": "discount",
    "EdpDiscount": "discount",
    "PrivateRateDiscount": "discount",
    "RiVolumeDiscount": "discount",
    "SppDiscount": "discount",
}


@dataclass(frozen=True, slots=True)
class CostLine:
    """Σ over the report's lines that agree in every field up to `split`.

    Lines that cannot concern a cluster are one CostLine per currency with `candidate` False and
    no other key set; those of EC2 are one apart, with their product.
    """

    candidate: bool
    currency: str
    payer: str = ""
    account: str = ""
    region: str = ""
    product: str = ""
    usage_type: str = ""
    # kept for products that name their clusters or file systems
    resource: str = ""
    line_type: str = ""
    day: date | None = None
    # only from tags that AWS itself sets; a tenant's own tag never gets here
    namespace: str = ""
    eks_cluster: str = ""
    # of a pod, by split cost allocation: a part of what a line of EC2 costs, not beside it
    split: bool = False
    unblended: Decimal = Decimal(0)
    amortised: Decimal = Decimal(0)
    # None where the export has no net costs
    net_unblended: Decimal | None = None
    net_amortised: Decimal | None = None
    hours: Decimal = Decimal(0)
    rows: int = 0
    start: datetime | None = None
    end: datetime | None = None

    def cost(self, basis: Basis) -> Decimal:
        """Raises RefusedInput on a basis that the export has no columns for."""
        found: Decimal | None = getattr(self, basis)
        if found is None:
            raise no_such_cost(basis)
        return found

    @property
    def instance_type(self) -> str | None:
        """Of a HyperPod node; None for every other line."""
        found = re.fullmatch(NODE, self.usage_type) if self.product == "AmazonSageMaker" else None
        return found[1] if found else None

    @property
    def adjustment(self) -> str | None:
        """Component of a line that is no cost of a resource: tax, credit, refund, discount,
        support."""
        if "Support" in self.product:
            return ADJUSTMENTS.get(self.line_type, "support")
        return ADJUSTMENTS.get(self.line_type)

    @property
    def node_hours(self) -> Decimal:
        return self.hours if self.line_type in _HOURS_COUNT else Decimal(0)


@dataclass(frozen=True, slots=True)
class CostSums:
    """What all files of a report add up to."""

    lines: Sequence[CostLine]
    # Σ over everything that was read, added up apart from the lines; no basis that is lacking
    totals: Mapping[Basis, Decimal]

    def total(self, basis: Basis) -> Decimal:
        """Raises RefusedInput on a basis that the export has no columns for."""
        if basis not in self.totals:
            raise no_such_cost(basis)
        return self.totals[basis]


@dataclass(frozen=True, slots=True)
class FileRows:
    """So many lines of a report are in one file: `plan.batches[batch][file]`."""

    batch: int
    file: int
    rows: int


def no_such_cost(basis: Basis) -> RefusedInput:
    reason = f"not every line has a cost on the basis {basis}: the export lacks its columns, or "
    return RefusedInput("the cost report", [f"{reason}the account has no discount in this period"])
