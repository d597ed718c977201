"""The report: one file, its figures are the lines', and a browser has nothing to complain about."""

import dataclasses
import re
import shutil
import subprocess
from datetime import UTC, date, datetime
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from commons.adapters.report_charts import charts
from commons.adapters.report_file import shown, write_report
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_run import RunRef
from commons.domain.consumption import consumption
from commons.domain.money import plain, total
from commons.domain.report_page import Circumstances, Page, page
from tests.chargeback.test_records import LINE
from tests.unit.test_statements import outcome

RUN = RunRef(period="2026-10", run_id=LINE.run_id)
NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
CLUSTER = LINE.cluster


def line(**values: Any) -> ChargebackLine:
    return dataclasses.replace(LINE, **values)


def month_of(namespaces: int, days: int = 31) -> list[ChargebackLine]:
    """Each namespace reserves 48 hours a day, uses 24, lends 6; one day is estimated."""
    lines = []
    for number in range(namespaces):
        team = f"team-{number:04}-of-the-foundation-models-group"
        for day in range(1, days + 1):
            each = line(
                namespace=f"hyperpod-ns-{team}",
                team=team,
                cost_center=f"cc-{number:04}",
                day=date(2026, 10, day),
                estimated=day == 3,
                method="by_use",
                numerator=Decimal(48),
                denominator=Decimal(960),
                own=Decimal(24),
                amount=Decimal("96.0000000001") + number,
            )
            credit = {"component": "lend_credit", "amount": Decimal(-6), "own": Decimal(0)}
            lines += [each, dataclasses.replace(each, numerator=Decimal(6), **credit)]
    return lines


def made(lines: list[ChargebackLine], **around: Any) -> Page:
    return page(RUN, outcome(lines), lines, Circumstances("provisional", NOW, **around))


class Read(HTMLParser):
    """Rows of every table by its id: the exact values of the numbers after the row's name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, dict[str, list[Decimal]]] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._table: dict[str, list[Decimal]] = {}
        self._row: list[Decimal] = []
        self._name: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        if tag == "table":
            self._table = self.tables[given.get("id") or ""] = {}
        if tag == "th" and given.get("scope") == "row":
            self._name = []
        if tag == "data":
            self._row.append(Decimal(given.get("value") or ""))

    def handle_data(self, data: str) -> None:
        if self._name is not None:
            self._name.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._row = []
        if tag == "th" and self._name is not None:
            self._row = self._table["".join(self._name).strip()] = []
            self._name = None


def written(shown_page: Page, folder: Path) -> str:
    return write_report(shown_page, folder, "chargeback.html").read_text(encoding="utf-8")


def test_figures_on_the_page_are_those_of_the_lines(tmp_path: Path) -> None:
    lines = [*month_of(3), line(team=None, cost_center=None, component="tax", amount=Decimal(7))]
    lines.append(line(amount=Decimal("-1.5"), day=date(2026, 8, 2), corrects="2026-08"))
    before = {(CLUSTER, "hyperpod-ns-alpha"): Decimal("100.25"), (CLUSTER, "gone"): Decimal(9)}
    read = Read(written(made(lines, previous=before), tmp_path))
    every = total(each.amount for each in lines)
    for name in ("cost-centers", "teams", "components", "days"):
        rows = read.tables[f"{name}-table"]
        assert rows.pop("Total") == [every]
        assert total(values[-1] for values in rows.values()) == every
    spaces = read.tables["namespaces-table"]
    assert spaces.pop("Total") == [every]
    mine = [each.amount for each in lines if each.namespace == "hyperpod-ns-alpha"]
    assert spaces["hyperpod-ns-alpha"] == [total(mine)]
    assert read.tables["days-table"]["2026-10-03"] == [
        total(each.amount for each in lines if each.day == date(2026, 10, 3))
    ]
    assert read.tables["corrections-table"] == {"2026-08": [Decimal("-1.5")]}
    assert read.tables["movers-table"]["gone"] == [Decimal(9), Decimal(0), Decimal(-9)]
    assert set(read.tables["gaps-table"]) == {"2026-10-03"}


def test_reserved_is_used_lent_and_idle_and_idle_money_is_its_part() -> None:
    lines = month_of(1, days=2)
    (used,) = consumption(lines).values()
    assert (used.reserved, used.own, used.lent, used.idle) == (96, 48, 12, 36)
    assert used.idle_cost == Decimal("72.0000000000")  # 18 of 48 hours of 96 a day
    # the same hours bought in two accounts are two pools of one quota
    doubled = consumption([*lines, *(dataclasses.replace(x, own=Decimal(0)) for x in lines)])
    (twice,) = doubled.values()
    assert (twice.reserved, twice.idle) == (96, 36)
    assert twice.idle_cost == Decimal("144.0000000002")


def test_the_page_is_one_file_of_at_most_a_megabyte_however_many_there_are(tmp_path: Path) -> None:
    many = made(month_of(2500, days=2), previous={})
    text = written(many, tmp_path)
    assert len(text.encode()) <= 1024 * 1024
    rows = Read(text).tables["namespaces-table"]
    assert "2100 others" in rows
    assert total(v[-1] for name, v in rows.items() if name != "Total") == rows["Total"][0]
    assert not re.search(r"<script|\son\w+=|https?://(?!www\.w3\.org/)", text)


def test_300_namespaces_are_all_in_the_table(tmp_path: Path) -> None:
    text = written(made(month_of(300)), tmp_path)
    assert len(text.encode()) <= 1024 * 1024
    assert len(Read(text).tables["namespaces-table"]) == 301


HOSTILE = "<script>alert(1)</script>\"'&"


def test_what_comes_from_outside_is_text_on_the_page(tmp_path: Path) -> None:
    hostile = line(namespace=HOSTILE, team=HOSTILE, cost_center=HOSTILE, cluster=HOSTILE)
    text = written(made([hostile], previous={}), tmp_path)
    assert "<script" not in text
    assert HOSTILE in Read(text).tables["teams-table"]


def test_a_reader_without_eyes_finds_their_way(tmp_path: Path) -> None:
    read = Read(written(made(month_of(3), previous={}), tmp_path))
    tags = [tag for tag, _ in read.tags]
    assert {"main", "nav", "header", "footer"} <= set(tags)
    assert tags.count("table") == tags.count("caption") > 6
    assert all(given.get("scope") for tag, given in read.tags if tag == "th")
    ids = [given["id"] for _, given in read.tags if "id" in given]
    assert len(ids) == len(set(ids))
    inside = [given["href"] for tag, given in read.tags if tag == "a"]
    assert all(str(link).removeprefix("#") in ids for link in inside)
    assert ("html", {"lang": "en"}) in read.tags
    for name, svg in charts(made(month_of(3), previous={})).items():
        assert "aria-label=" in svg, name


def _contrast(one: str, other: str) -> float:
    def light(color: str) -> float:
        digits = color.lstrip("#")
        digits = "".join(c * 2 for c in digits) if len(digits) == 3 else digits
        parts = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_and_bars_have_contrast_in_light_dark_and_print() -> None:
    style = Path("functions/commons/adapters/report_page.css").read_text()
    schemes = [dict(re.findall(r"--(\w+): (#\w+)", part)) for part in style.split(":root {")[1:]]
    assert len(schemes) == 3
    for colors in schemes:
        for name in ("ink", "soft", "link", "warn"):
            assert _contrast(colors[name], colors["paper"]) >= 4.5, name
        for name in ("c1", "c2", "c3", "c4"):
            assert _contrast(colors[name], colors["paper"]) >= 3, name


@pytest.mark.parametrize(
    ("amount", "text"),
    [("1234.565", "1,234.56"), ("-0.001", "0.00"), ("-812.4", "\N{MINUS SIGN}812.40")],
)
def test_numbers_for_the_eye_have_two_places(amount: str, text: str) -> None:
    assert shown(Decimal(amount)) == text


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here: the report is not opened in one")
@pytest.mark.parametrize("scheme", [0, 1])
def test_a_browser_shows_the_figures_and_logs_no_error(tmp_path: Path, scheme: int) -> None:
    lines = month_of(5)
    path = write_report(made(lines, previous={}), tmp_path, "chargeback.html")
    opened = subprocess.run(
        [
            *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--enable-logging=stderr", "--v=0", f"--user-data-dir={tmp_path}/browser"),
            *(f"--blink-settings=preferredColorScheme={scheme}", path.as_uri()),
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "CONSOLE" not in opened.stderr, opened.stderr
    read = Read(opened.stdout)
    every = total(each.amount for each in lines)
    assert read.tables["teams-table"]["Total"] == [every]
    assert f'<data value="{plain(every)}">{every:,.2f}</data>' in opened.stdout
    assert opened.stdout.count("<svg") == 5
