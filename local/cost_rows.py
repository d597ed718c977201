"""Rows of a CUR 2.0 export, as Data Exports writes them: for demonstrations and tests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

# column -> DuckDB type; costs are doubles there, as they are in the real export
COLUMNS = {
    "bill_bill_type": "VARCHAR",
    "bill_billing_entity": "VARCHAR",
    "bill_billing_period_start_date": "TIMESTAMP",
    "bill_billing_period_end_date": "TIMESTAMP",
    "bill_invoice_id": "VARCHAR",
    "bill_invoicing_entity": "VARCHAR",
    "bill_payer_account_id": "VARCHAR",
    "bill_payer_account_name": "VARCHAR",
    "cost_category": "MAP(VARCHAR, VARCHAR)",
    "discount": "MAP(VARCHAR, DOUBLE)",
    "identity_line_item_id": "VARCHAR",
    "identity_time_interval": "VARCHAR",
    "line_item_availability_zone": "VARCHAR",
    "line_item_currency_code": "VARCHAR",
    "line_item_legal_entity": "VARCHAR",
    "line_item_line_item_description": "VARCHAR",
    "line_item_line_item_type": "VARCHAR",
    "line_item_operation": "VARCHAR",
    "line_item_product_code": "VARCHAR",
    "line_item_resource_id": "VARCHAR",
    "line_item_unblended_cost": "DOUBLE",
    "line_item_unblended_rate": "VARCHAR",
    "line_item_usage_account_id": "VARCHAR",
    "line_item_usage_account_name": "VARCHAR",
    "line_item_usage_amount": "DOUBLE",
    "line_item_usage_end_date": "TIMESTAMP",
    "line_item_usage_start_date": "TIMESTAMP",
    "line_item_usage_type": "VARCHAR",
    "pricing_public_on_demand_cost": "DOUBLE",
    "pricing_term": "VARCHAR",
    "pricing_unit": "VARCHAR",
    "product": "MAP(VARCHAR, VARCHAR)",
    "product_instance_type": "VARCHAR",
    "product_region_code": "VARCHAR",
    "product_servicecode": "VARCHAR",
    "reservation_effective_cost": "DOUBLE",
    "reservation_reservation_a_r_n": "VARCHAR",
    "reservation_unused_amortized_upfront_fee_for_billing_period": "DOUBLE",
    "reservation_unused_recurring_fee": "DOUBLE",
    "resource_tags": "MAP(VARCHAR, VARCHAR)",
    "savings_plan_savings_plan_a_r_n": "VARCHAR",
    "savings_plan_savings_plan_effective_cost": "DOUBLE",
    "savings_plan_total_commitment_to_date": "DOUBLE",
    "savings_plan_used_commitment": "DOUBLE",
    "split_line_item_parent_resource_id": "VARCHAR",
    "split_line_item_split_cost": "DOUBLE",
    "split_line_item_unused_cost": "DOUBLE",
}

Row = dict[str, Any]
_PREFIXES = {"us-east-1": "USE1", "us-west-2": "USW2", "eu-west-1": "EUW1"}


@dataclass(frozen=True)
class Nodes:
    """`count` nodes of a HyperPod cluster that run all day, at a price per node and hour."""

    cluster: str
    instance_type: str
    count: int
    hourly_price: Decimal

    @property
    def account(self) -> str:
        return self.cluster.split(":")[4]

    @property
    def region(self) -> str:
        return self.cluster.split(":")[3]

    @property
    def usage_prefix(self) -> str:
        return _PREFIXES.get(self.region, self.region.upper())


def row(day: date, cost: Decimal | float, **values: Any) -> Row:
    """One line of one hour; what is not given is as it is for an ordinary usage line."""
    start = values.pop("start", datetime.combine(day, time(), UTC))
    end = values.pop("end", start + timedelta(hours=1))
    first = day.replace(day=1)
    after = (first + timedelta(days=31)).replace(day=1)
    ordinary: Row = {
        "bill_bill_type": "Anniversary",
        "bill_billing_entity": "AWS",
        "bill_billing_period_start_date": _stamp(datetime.combine(first, time(), UTC)),
        "bill_billing_period_end_date": _stamp(datetime.combine(after, time(), UTC)),
        "bill_payer_account_id": "111122223333",
        "identity_time_interval": f"{_stamp(start)}/{_stamp(end)}",
        "line_item_currency_code": "USD",
        "line_item_legal_entity": "Amazon Web Services, Inc.",
        "line_item_line_item_type": "Usage",
        "line_item_unblended_cost": float(cost),
        "line_item_usage_account_id": "111122223333",
        "line_item_usage_amount": 0.0,
        "line_item_usage_start_date": _stamp(start),
        "line_item_usage_end_date": _stamp(end),
        "cost_category": {},
        "discount": {},
        "product": {},
        "resource_tags": {},
    }
    return dict.fromkeys(COLUMNS) | ordinary | values


def node_rows(nodes: Nodes, days: Sequence[date]) -> Iterator[Row]:
    """A line per hour, as an hourly export has them."""
    for day in days:
        for hour in range(24):
            yield row(
                day,
                nodes.hourly_price * nodes.count,
                start=datetime.combine(day, time(hour), UTC),
                line_item_usage_amount=float(nodes.count),
                **_of(nodes, "AmazonSageMaker", f"Cluster:{nodes.instance_type}"),
                line_item_resource_id=nodes.cluster,
                line_item_operation="RunInstance",
                product={"instance_type": nodes.instance_type, "component": "Cluster"},
                product_instance_type=nodes.instance_type,
            )


def volume_rows(nodes: Nodes, days: Sequence[date], daily_cost: Decimal) -> Iterator[Row]:
    """The disks of the nodes."""
    for day in days:
        usage = _of(nodes, "AmazonSageMaker", "Cluster:VolumeUsage.gp2")
        yield row(
            day, daily_cost, end=_midnight(day), **usage, line_item_resource_id=nodes.cluster,
            line_item_operation="CreateVolume", line_item_usage_amount=16.4,
        )  # fmt: skip


def control_plane_rows(nodes: Nodes, days: Sequence[date], eks_cluster: str) -> Iterator[Row]:
    """The EKS fee: ten cents an hour."""
    arn = f"arn:aws:eks:{nodes.region}:{nodes.account}:cluster/{eks_cluster}"
    for day in days:
        usage = _of(nodes, "AmazonEKS", "AmazonEKS-Hours:perCluster")
        yield row(
            day, Decimal("2.40"), end=_midnight(day), **usage, line_item_resource_id=arn,
            line_item_operation="CreateOperation", line_item_usage_amount=24.0,
        )  # fmt: skip


def adjustment_row(nodes: Nodes, day: date, line_type: str, cost: Decimal) -> Row:
    """A tax, credit or refund that names no resource."""
    usage = _of(nodes, "AmazonSageMaker", f"Cluster:{nodes.instance_type}")
    return row(day, cost, end=_midnight(day), line_item_line_item_type=line_type, **usage)


def foreign_rows(account: str, days: Sequence[date]) -> Iterator[Row]:
    """What has nothing to do with a GPU cluster: a web server and a bucket."""
    for day in days:
        for product, usage, cost in (
            ("AmazonEC2", "USW2-BoxUsage:m6i.large", "2.304"),
            ("AmazonS3", "USW2-TimedStorage-ByteHrs", "0.0123456789"),
        ):
            yield row(
                day, Decimal(cost), end=_midnight(day), line_item_usage_account_id=account,
                line_item_product_code=product, line_item_usage_type=usage,
                line_item_resource_id=f"{product.lower()}-of-somebody-else",
                product_region_code="us-west-2", line_item_usage_amount=24.0,
            )  # fmt: skip


def _of(nodes: Nodes, product: str, usage_type: str) -> Row:
    return {
        "line_item_usage_account_id": nodes.account,
        "line_item_product_code": product,
        "line_item_usage_type": f"{nodes.usage_prefix}-{usage_type}",
        "product_region_code": nodes.region,
        "product_servicecode": product,
    }


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC) + timedelta(days=1)


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
