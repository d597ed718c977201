"""The chargeback as CSV for people: safe to open in a spreadsheet, one header, one row a line."""

from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.money import plain, total

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
# a cell that starts with one of these is a formula to a spreadsheet
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def row(line: ChargebackLine) -> list[str]:
    """Cells in the order of HEADER; numbers stay numbers, text cannot become a formula."""
    return [
        line.period,
        line.day.isoformat(),
        *(_text(each) for each in (line.cluster, line.namespace, line.team, line.project)),
        *(_text(each) for each in (line.cost_center, line.component, line.instance_type)),
        plain(line.amount),
        _text(line.currency),
        plain(total([line.own, line.borrowed])),
        plain(line.own),
        plain(line.borrowed),
        "true" if line.estimated else "false",
        _text(line.run_id),
        _text(line.rule_version),
        _text(line.manifest),
        _text(line.pool),
        line.line_id,
        line.method,
        *(plain(each) for each in (line.numerator, line.denominator, line.factor)),
        plain(line.pool_amount),
        str(line.rows),
        line.corrects or "",
    ]


def _text(value: str | None) -> str:
    """A leading apostrophe makes a spreadsheet take the cell for text."""
    text = value or ""
    return f"'{text}" if text.startswith(_FORMULA) else text
