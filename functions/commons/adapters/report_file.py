"""The report as one HTML file: no script, nothing from elsewhere, at most 1 MB."""

import base64
import hashlib
from decimal import Decimal
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from commons.adapters.report_charts import charts
from commons.domain.money import plain
from commons.domain.report_page import Page
from commons.domain.usage import month

_HERE = Path(__file__).parent
_STATES = {
    "open": "The month is still under way; figures grow with every cost report.",
    "provisional": "The month is over; a newer cost report may still change it until it is closed.",
    "closed": "The month is closed; what changes later is a correction in an open month.",
}


def write_report(page: Page, folder: Path, name: str) -> Path:
    text = _template().render(
        page=page,
        rows=[*page.tenants, *page.others],
        month=f"{month(page.run.period)[0]:%B %Y}",
        states=_STATES,
        # made by the chart library from names that it escapes itself
        charts={key: Markup(svg) for key, svg in charts(page).items()},  # noqa: S704 - as above
        style=Markup(_style()),  # noqa: S704 - a file of ours
        style_hash=_hash(_style()),
    )
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def shown(amount: Decimal) -> str:
    """Two places for the eye; without a minus before zero."""
    text = f"{amount:,.2f}"
    return text.lstrip("-") if not text.strip("-0.,") else text.replace("-", "\N{MINUS SIGN}")


def _short(cluster: str) -> str:
    """The id at the end of an ARN; what names no cluster is told by its account."""
    return cluster.rpartition("/")[2]


@cache
def _style() -> str:
    return (_HERE / "report_page.css").read_text(encoding="utf-8")


def _hash(style: str) -> str:
    """How the page's policy knows its one style sheet."""
    return f"sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}"


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined
    )
    environment.filters |= {"exact": plain, "places": shown, "short": _short}
    return environment.get_template("report_page.html.jinja")
