"""Charts of the report as SVG. Their colours are variables of the page, for light and dark.

Numbers are floats here and only here: they say how long a bar is. Figures are in the tables.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import vl_convert

from commons.domain.report_figures import Mover, Share, Tenant
from commons.domain.report_page import NOBODY, Page

_VERSION = "5.21"
_TOP = 12
_WIDTH = 620
_ROW = 26
_CONFIG = {
    "background": "transparent",
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--soft)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 190,
    },
    "legend": {"labelColor": "var(--ink)", "labelFontSize": 12, "orient": "top", "title": None},
    "range": {"category": ["var(--c1)", "var(--c2)", "var(--c4)", "var(--c3)"]},
    "bar": {"color": "var(--c1)"},
}
Row = dict[str, Any]


def charts(page: Page) -> dict[str, str]:
    """SVG by name; a chart that would show nothing is not there."""
    currency = page.outcome.currency
    made = {
        "cost_centers": _bars(page.cost_centers, "Cost by cost centre", currency),
        "components": _bars(page.components, "Cost by component", currency),
        "days": _days(page),
        "hours": _hours(page.tenants),
        "movers": _movers(page.movers or (), currency),
    }
    return {name: _svg(spec) for name, spec in made.items() if spec}


def _bars(shares: Sequence[Share], title: str, unit: str) -> Row | None:
    shown = [{"name": each.name, "value": float(each.amount)} for each in shares[:_TOP]]
    if rest := sum((each.amount for each in shares[_TOP:]), Decimal(0)):
        shown.append({"name": f"{len(shares) - _TOP} others", "value": float(rest)})
    return _lying(shown, title, unit, {"value": "var(--c1)"}) if shown else None


def _movers(movers: Sequence[Mover], unit: str) -> Row | None:
    shown = [{"name": _label(m, movers), "value": float(m.change)} for m in movers]
    color = {
        "condition": {"test": "datum.value < 0", "value": "var(--c2)"},
        "value": "var(--c3)",
    }
    return _lying(shown, "Change against last month", unit, color) if shown else None


def _label(one: Mover, among: Sequence[Mover]) -> str:
    """With its cluster where the name alone would be two bars in one."""
    alike = [each for each in among if each.namespace == one.namespace]
    return f"{one.namespace} ({one.cluster.rpartition('/')[2]})" if alike[1:] else one.namespace


def _lying(rows: list[Row], title: str, unit: str, color: Row) -> Row:
    x = {"field": "value", "type": "quantitative", "title": unit, "axis": {"format": ",.0f"}}
    return {
        "description": title,
        "data": {"values": rows},
        "mark": {"type": "bar", "height": {"band": 0.7}},
        "encoding": {"y": _names(), "x": x, "color": color},
        "height": {"step": _ROW},
    }


def _names() -> Row:
    return {"field": "name", "type": "nominal", "sort": None, "title": None}


def _days(page: Page) -> Row:
    rows = [
        {"day": each.day.day, "value": float(each.amount), "state": _state(each.estimated)}
        for each in page.days
    ]
    unit = page.outcome.currency
    y = {"field": "value", "type": "quantitative", "title": unit, "axis": {"format": ",.0f"}}
    states = sorted({_state(each.estimated) for each in page.days}, reverse=True)
    scale = {"domain": states, "range": [_COLORS[state] for state in states]}
    legend = {} if "estimated" in states else {"legend": None}
    x = {"field": "day", "type": "ordinal", "title": "day of the month", "axis": {"labelAngle": 0}}
    return {
        "description": "Cost per day",
        "data": {"values": rows},
        "mark": {"type": "bar", "width": {"band": 0.75}},
        "encoding": {
            "x": x,
            "y": y,
            "color": {"field": "state", "type": "nominal", "scale": scale, **legend},
        },
        "height": 200,
    }


_COLORS = {"known": "var(--c1)", "estimated": "var(--c3)"}


def _state(estimated: bool) -> str:
    return "estimated" if estimated else "known"


_PARTS: Sequence[tuple[str, Callable[[Tenant], Decimal]]] = (
    ("used", lambda tenant: tenant.used.own),
    ("lent", lambda tenant: tenant.used.lent),
    ("idle", lambda tenant: tenant.used.idle),
    ("borrowed", lambda tenant: tenant.used.borrowed),
)


def _hours(tenants: Sequence[Tenant]) -> Row | None:
    by_hours = sorted(tenants, key=lambda t: (-t.used.reserved, -t.used.own, t.namespace))
    with_hours = [each for each in by_hours if each.used.reserved or each.used.own][:_TOP]
    rows = [
        {"name": each.namespace or NOBODY, "part": part, "order": n, "value": float(hours(each))}
        for each in with_hours
        for n, (part, hours) in enumerate(_PARTS)
    ]
    if not rows:
        return None
    x = {"field": "value", "type": "quantitative", "title": "device-hours", "stack": "zero"}
    domain = [part for part, _ in _PARTS]
    color = {"field": "part", "type": "nominal", "scale": {"domain": domain}}
    spec = _lying(rows, "Reserved device-hours: used, lent and idle; borrowed beside", "", color)
    spec["encoding"]["x"] = x | {"axis": {"format": ",.0f"}}
    spec["encoding"]["order"] = {"field": "order", "type": "quantitative"}
    return spec


def _svg(spec: Row) -> str:
    """Without a size of its own, so that the page decides how wide it is."""
    whole = {"width": _WIDTH, "autosize": {"type": "fit-x", "contains": "padding"}, **spec}
    made = vl_convert.vegalite_to_svg(
        whole, vl_version=_VERSION, config=_CONFIG, allowed_base_urls=[]
    )
    return re.sub(r'^<svg([^>]*?) width="[\d.]+" height="[\d.]+"', r"<svg\1", made, count=1)
