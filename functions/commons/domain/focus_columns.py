"""The columns of FOCUS 1.2 that are written, as the published requirements model has them.

https://focus.finops.org, dataset CostAndUsage; a test holds the rows of an export against this
table. Columns of our own begin with `x_`.
"""

from dataclasses import dataclass
from enum import StrEnum

VERSION = "1.2"


class Type(StrEnum):
    """As DuckDB names them. Ids are text: a reader that guesses types loses leading zeros."""

    TEXT = "VARCHAR"
    NUMBER = "DECIMAL(38,10)"
    TIME = "TIMESTAMP WITH TIME ZONE"
    FLAG = "BOOLEAN"
    COUNT = "BIGINT"


class Level(StrEnum):
    """Whether the model wants the column: always, where it can be told, or as advice."""

    MANDATORY = "mandatory"
    CONDITIONAL = "conditional"
    RECOMMENDED = "recommended"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Column:
    """`values`: the only ones that are allowed; none named: any."""

    name: str
    type: Type = Type.TEXT
    level: Level = Level.MANDATORY
    nullable: bool = False
    values: tuple[str, ...] = ()


CATEGORIES = ("Usage", "Purchase", "Tax", "Credit", "Adjustment")
_NUMBER, _TIME = Type.NUMBER, Type.TIME
_CONDITIONAL, _OWN = Level.CONDITIONAL, Level.OWN

COLUMNS = (
    Column("BilledCost", _NUMBER),
    Column("BillingAccountId"),
    Column("BillingAccountName", nullable=True),
    Column("BillingCurrency"),
    Column("BillingPeriodEnd", _TIME),
    Column("BillingPeriodStart", _TIME),
    Column("ChargeCategory", values=CATEGORIES),
    Column("ChargeClass", nullable=True, values=("Correction",)),
    Column("ChargeDescription", nullable=True),
    Column(
        "ChargeFrequency",
        level=Level.RECOMMENDED,
        values=("One-Time", "Recurring", "Usage-Based"),
    ),
    Column("ChargePeriodEnd", _TIME),
    Column("ChargePeriodStart", _TIME),
    Column("ConsumedQuantity", _NUMBER, _CONDITIONAL, nullable=True),
    Column("ConsumedUnit", level=_CONDITIONAL, nullable=True),
    Column("ContractedCost", _NUMBER),
    Column("EffectiveCost", _NUMBER),
    Column("InvoiceId", level=Level.RECOMMENDED, nullable=True),
    Column("InvoiceIssuerName"),
    Column("ListCost", _NUMBER),
    Column(
        "PricingCategory",
        level=_CONDITIONAL,
        nullable=True,
        values=("Standard", "Committed", "Dynamic", "Other"),
    ),
    Column("PricingQuantity", _NUMBER, nullable=True),
    Column("PricingUnit", nullable=True),
    Column("ProviderName"),
    Column("PublisherName"),
    Column("RegionId", level=_CONDITIONAL, nullable=True),
    Column("RegionName", level=_CONDITIONAL, nullable=True),
    Column("ResourceId", level=_CONDITIONAL, nullable=True),
    Column("ResourceName", level=_CONDITIONAL, nullable=True),
    Column("ResourceType", level=_CONDITIONAL, nullable=True),
    Column(
        "ServiceCategory",
        values=(
            "AI and Machine Learning",
            "Analytics",
            "Business Applications",
            "Compute",
            "Databases",
            "Developer Tools",
            "Multicloud",
            "Identity",
            "Integration",
            "Internet of Things",
            "Management and Governance",
            "Media",
            "Migration",
            "Mobile",
            "Networking",
            "Security",
            "Storage",
            "Web",
            "Other",
        ),
    ),
    Column("ServiceName"),
    Column("ServiceSubcategory", level=Level.RECOMMENDED),
    Column("SubAccountId", level=_CONDITIONAL, nullable=True),
    Column("SubAccountName", level=_CONDITIONAL, nullable=True),
    Column("Tags", level=_CONDITIONAL, nullable=True),
    Column("x_AllocatedMethod", level=_OWN),
    Column("x_AllocatedRatio", _NUMBER, _OWN, nullable=True),
    Column("x_Component", level=_OWN),
    Column("x_Corrects", level=_OWN, nullable=True),
    Column("x_CostCenter", level=_OWN, nullable=True),
    Column("x_Estimated", Type.FLAG, _OWN),
    Column("x_InstanceType", level=_OWN, nullable=True),
    Column("x_LineId", level=_OWN),
    Column("x_Namespace", level=_OWN),
    Column("x_Pool", level=_OWN),
    Column("x_Project", level=_OWN, nullable=True),
    Column("x_ReportRows", Type.COUNT, _OWN),
    Column("x_RuleVersion", level=_OWN),
    Column("x_RunId", level=_OWN),
    Column("x_SourceManifest", level=_OWN),
    Column("x_Team", level=_OWN, nullable=True),
)
NAMES = tuple(column.name for column in COLUMNS)
