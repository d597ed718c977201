"""The columns of a cost report: the names of CUR 2.0, and what older reports call the same.

Older reports in Parquet have the names of CUR 2.0, in CSV they have `lineItem/UnblendedCost`.
Columns are found by name in whatever case and order; those that nobody reads may come and go.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """`older` are other names of it, the better one first."""

    name: str
    older: tuple[str, ...]
    required: bool = False


def _column(name: str, *older: str) -> Column:
    return Column(name, older)


def _required(name: str, *older: str) -> Column:
    return Column(name, older, required=True)


_UNUSED_UPFRONT = "UnusedAmortizedUpfrontFeeForBillingPeriod"

COLUMNS = (
    _required("bill_payer_account_id", "bill/PayerAccountId"),
    _required("line_item_currency_code", "lineItem/CurrencyCode"),
    _required("line_item_line_item_type", "lineItem/LineItemType"),
    _required("line_item_product_code", "lineItem/ProductCode"),
    _required("line_item_resource_id", "lineItem/ResourceId"),
    _required("line_item_unblended_cost", "lineItem/UnblendedCost"),
    _required("line_item_usage_account_id", "lineItem/UsageAccountId"),
    _required("line_item_usage_amount", "lineItem/UsageAmount"),
    _required("line_item_usage_start_date", "lineItem/UsageStartDate"),
    _required("line_item_usage_type", "lineItem/UsageType"),
    _column("line_item_net_unblended_cost", "lineItem/NetUnblendedCost"),
    _column("line_item_operation", "lineItem/Operation"),
    _column("line_item_usage_end_date", "lineItem/UsageEndDate"),
    _column("product_region_code", "product/regionCode", "product_region", "product/region"),
    _column("reservation_effective_cost", "reservation/EffectiveCost"),
    _column("reservation_net_effective_cost", "reservation/NetEffectiveCost"),
    _column("reservation_reservation_a_r_n", "reservation/ReservationARN"),
    _column(
        "reservation_unused_amortized_upfront_fee_for_billing_period",
        f"reservation/{_UNUSED_UPFRONT}",
    ),
    _column("reservation_unused_recurring_fee", "reservation/UnusedRecurringFee"),
    _column(
        "reservation_net_unused_amortized_upfront_fee_for_billing_period",
        f"reservation/Net{_UNUSED_UPFRONT}",
    ),
    _column("reservation_net_unused_recurring_fee", "reservation/NetUnusedRecurringFee"),
    _column("savings_plan_savings_plan_effective_cost", "savingsPlan/SavingsPlanEffectiveCost"),
    _column(
        "savings_plan_net_savings_plan_effective_cost", "savingsPlan/NetSavingsPlanEffectiveCost"
    ),
    _column("savings_plan_total_commitment_to_date", "savingsPlan/TotalCommitmentToDate"),
    _column("savings_plan_used_commitment", "savingsPlan/UsedCommitment"),
    _column("split_line_item_split_cost", "splitLineItem/SplitCost"),
    _column("split_line_item_unused_cost", "splitLineItem/UnusedCost"),
    _column("split_line_item_net_split_cost", "splitLineItem/NetSplitCost"),
    _column("split_line_item_net_unused_cost", "splitLineItem/NetUnusedCost"),
)
_REQUIRED = {column.name for column in COLUMNS if column.required}
_SPELLINGS = {name.lower() for column in COLUMNS for name in (column.name, *column.older)}

# tags are a map, JSON text or a column each. A tag that a user sets is prefixed with user_ or
# user: and never has one of these names.
# column -> what the keys in it may begin with; each further look-up costs every line of the report
TAG_MAPS = {"resource_tags": ("",), "tags": ("", "resourceTags/")}
_TAG_COLUMNS = ("resource_tags_", "resourceTags/")
_TAG_KEYS = ("aws_eks_", "aws:eks:")


def tag_keys(*names: str) -> list[str]:
    """What AWS calls its own tags of these names, in every spelling."""
    return [prefix + name for name in names for prefix in _TAG_KEYS]


def tag_columns(keys: Iterable[str]) -> list[str]:
    """Names of columns of their own that tags of these keys may have."""
    return [prefix + key for prefix in _TAG_COLUMNS for key in keys]


def is_read(name: str) -> bool:
    """Whether anything is read from a column of this name."""
    known = name.lower() in _SPELLINGS or name.lower() in TAG_MAPS
    return known or name.lower().startswith(tuple(map(str.lower, tag_columns(_TAG_KEYS))))


def found(present: Iterable[str]) -> dict[str, str]:
    """Name of CUR 2.0 -> the name that the report has for it, of every column that is read."""
    names = {name.lower(): name for name in present}
    return {
        column.name: names[spelling.lower()]
        for column in COLUMNS
        for spelling in reversed((column.name, *column.older))
        if spelling.lower() in names
    }


def missing_columns(present: Iterable[str]) -> list[str]:
    """A sentence per required column that is not there."""
    absent = _REQUIRED - found(present).keys()
    return [f"column {name} is missing" for name in sorted(absent)]


def has_split_costs(present: Iterable[str]) -> bool:
    return "split_line_item_split_cost" in found(present)
