"""The cost reports of the demo: one of a day, and a day later a newer one of two days."""

from datetime import datetime, timedelta
from decimal import Decimal

from cli import stack
from cli.demo_tasks import P5
from local import settings
from local.cost_report import Execution, company_rows, write_report
from local.cost_rows import Nodes

NODES, HOURLY_PRICE = 4, Decimal("55.04")
FILES = 3


def deliver(cluster: str, first: datetime, number: int) -> str:
    """Deliver report `number` (1 or 2, so many days from the first) as Data Exports does.

    Answers a sentence about it.
    """
    days = [(first + timedelta(days=n)).date() for n in range(number)]
    at = first + timedelta(days=number, hours=7, minutes=40)
    execution = Execution(id=f"9b6b32ef-2b70-3d10-9448-07e23ebc000{number}", at=at)
    nodes = Nodes(cluster, P5, NODES, HOURLY_PRICE)
    rows = company_rows([nodes], days, {cluster: settings.EKS_CLUSTER}, late=number > 1)
    bucket, prefix = stack.output("CostReportBucket"), stack.output("CostReportPrefix")
    s3 = stack.client("s3")
    write_report(s3, bucket, prefix, f"{first:%Y-%m}", execution, rows, FILES)
    covered = " and ".join(f"{day:%B} {day.day}" for day in days)
    return f"{len(rows)} lines about {covered} in {FILES} files, delivered on {at:%B} {at.day}"
