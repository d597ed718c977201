"""Sums of cost report lines, as read from the files: the input of scope and allocation."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

# AmazonSageMaker usage types of HyperPod nodes: USW2-Cluster:ml.p5.48xlarge, …-ReservedCluster:…
_NODE = re.compile(r"(?:.*-)?(?:Reserved)?Cluster:(ml\.[a-z0-9-]+\.[a-z0-9]+)(?:-[A-Za-z]+)?")
# these carry the hours of a node once; a negation or a fee repeats hours or has none
_HOURS_COUNT = {"Usage", "DiscountedUsage", "SavingsPlanCoveredUsage"}
_ADJUSTMENTS = {
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
    """Σ over the report's lines that agree in every field but the last five.

    Lines that cannot concern a cluster are one CostLine per currency with `candidate` False and
    no other field set.
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
    amount: Decimal = Decimal(0)
    hours: Decimal = Decimal(0)
    rows: int = 0
    start: datetime | None = None
    end: datetime | None = None

    @property
    def instance_type(self) -> str | None:
        """Of a HyperPod node; None for every other line."""
        found = _NODE.fullmatch(self.usage_type) if self.product == "AmazonSageMaker" else None
        return found[1] if found else None

    @property
    def adjustment(self) -> str | None:
        """Component of a line that is no cost of a resource: tax, credit, refund, discount,
        support."""
        if "Support" in self.product:
            return _ADJUSTMENTS.get(self.line_type, "support")
        return _ADJUSTMENTS.get(self.line_type)

    @property
    def node_hours(self) -> Decimal:
        return self.hours if self.line_type in _HOURS_COUNT else Decimal(0)
