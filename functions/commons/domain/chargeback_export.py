"""The chargeback as CSV for people: safe to open in a spreadsheet, one header, one row a line."""

from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.money import plain, total
from commons.domain.spreadsheet import safe

HEADER = (
    "period",
    "day",
    "cluster",
    "namespace",
    "team",
    "project",
    "cost_center",
    "component",
    "instance_type",
    "amount",
    "currency",
    "held_device_hours",
    "own_device_hours",
    "borrowed_device_hours",
    "estimated",
    "run_id",
    "rule_version",
    "manifest",
    "pool",
    "line_id",
    "method",
    "numerator",
    "denominator",
    "factor",
    "pool_amount",
    "report_rows",
    "corrects",
)  # fmt: skip


def row(line: ChargebackLine) -> list[str]:
    """Cells in the order of HEADER; numbers stay numbers, text cannot become a formula."""
    return [
        line.period,
        line.day.isoformat(),
        *(safe(each) for each in (line.cluster, line.namespace, line.team, line.project)),
        *(safe(each) for each in (line.cost_center, line.component, line.instance_type)),
        plain(line.amount),
        safe(line.currency),
        plain(total([line.own, line.borrowed])),
        plain(line.own),
        plain(line.borrowed),
        "true" if line.estimated else "false",
        safe(line.run_id),
        safe(line.rule_version),
        safe(line.manifest),
        safe(line.pool),
        line.line_id,
        line.method,
        *(plain(each) for each in (line.numerator, line.denominator, line.factor)),
        plain(line.pool_amount),
        str(line.rows),
        line.corrects or "",
    ]
