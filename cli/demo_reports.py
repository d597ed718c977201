"""The cost reports of the demo: one of the tenth, and a day later a newer one of two days."""

from datetime import datetime, timedelta
from decimal import Decimal

from cli import stack
from cli.demo_tasks import P5
from local import settings
from local.cost_report import Execution, company_rows, write_report
from local.cost_rows import Nodes

NODES, HOURLY_PRICE = 4, Decimal("55.04")
FILES = 3


def deliver(cluster: str, month: datetime, number: int) -> str:
    """Deliver report `number` (1 or 2) as Data Exports does; a sentence about it."""
    first = month.replace(day=10)
    days = [(first + timedelta(days=n)).date() for n in range(number)]
    at = first + timedelta(days=number, hours=7, minutes=40)
    execution = Execution(id=f"9b6b32ef-2b70-3d10-9448-07e23ebc000{number}", at=at)
    nodes = Nodes(cluster, P5, NODES, HOURLY_PRICE)
    rows = company_rows([nodes], days, {cluster: settings.EKS_CLUSTER}, late=number > 1)
    bucket, prefix = stack.output("CostReportBucket"), stack.output("CostReportPrefix")
    s3 = stack.client("s3")
    write_report(s3, bucket, prefix, f"{month:%Y-%m}", execution, rows, FILES)
    covered = f"the {days[0].day}th" + (f" to the {days[-1].day}th" if number > 1 else "")
    return f"{len(rows)} lines about {covered} in {FILES} files, delivered on the {at.day}th"
