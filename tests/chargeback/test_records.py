"""Records and exports: each line once, each key once, safe to open, complete over many pages."""

import csv
import dataclasses
import json
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli import main, output, stack
from commons import bootstrap
from commons.adapters.export_files import write_csv
from commons.adapters.line_files import read_lines, write_lines
from commons.domain.chargeback_export import HEADER, row
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_records import combine, prove_records
from commons.domain.chargeback_run import RunRef
from commons.domain.errors import RefusedInput
from commons.domain.money import plain, total
from tests.chargeback.chain import CHARGEBACK, CLUSTER, PERIOD, Chain
from tests.chargeback.test_publish_chargeback import nodes_for

LINE = ChargebackLine(
    line_id="0123456789abcdef",
    cluster=CLUSTER,
    namespace="hyperpod-ns-alpha",
    team="alpha",
    project=None,
    cost_center="cc-1",
    period=PERIOD,
    day=date(2026, 10, 2),
    instance_type="ml.p5.48xlarge",
    component="reserved",
    amount=Decimal("1.5"),
    currency="USD",
    estimated=False,
    run_id="0123456789abcdef",
    rule_version="r1",
    manifest="s3://b/k",
    pool="pool|x",
    own=Decimal(8),
    borrowed=Decimal(0),
)
RUN = RunRef(period=PERIOD, run_id=LINE.run_id)
HOSTILE = ["=1+1", "+cmd", "-2", "@SUM(A1)", "\tx", "\rx", "a,b", 'say "x"', "two\nlines", "é ✓"]


def line(**values: Any) -> ChargebackLine:
    return dataclasses.replace(LINE, **values)


def test_cb_30_lines_of_one_record_are_combined_before_they_are_written(chain: Chain) -> None:
    lines = [line(namespace=f"n{min(n, 49):02}", amount=Decimal(n + 1)) for n in range(51)]
    lines[50] = dataclasses.replace(lines[50], component="borrowed")
    lines.append(line(namespace="n49", amount=Decimal("0.25")))
    table = bootstrap.chargeback_table()
    table.put_records(RUN, combine(lines))
    records = table.records(RUN.run_id)
    assert len(records) == 50
    assert total(record.amount for record in records) == Decimal("1326.25")
    assert {name: p.amount for name, p in records[49].components.items()} == {
        "borrowed": 51,
        "reserved": Decimal("50.25"),
    }
    (day,) = table.day_records(RUN.run_id, CLUSTER, "n49")
    assert (day.amount, day.lines, day.key.day) == (Decimal("101.25"), 3, LINE.day)


def test_cb_29_records_are_decimals_at_ten_places(chain: Chain) -> None:
    amounts = [Decimal("0.3000000000"), Decimal("1E-10"), Decimal("3.7600000000"), Decimal("-0.0")]
    amounts.append(Decimal("9" * 27 + ".1234567891"))
    lines = [line(namespace=f"n{n}", amount=amount) for n, amount in enumerate(amounts)]
    table = bootstrap.chargeback_table()
    table.put_records(RUN, combine(lines))
    assert [record.amount for record in table.records(RUN.run_id)] == amounts
    assert [plain(amount) for amount in amounts] == [
        "0.3000000000",
        "0.0000000001",
        "3.7600000000",
        "0.0000000000",
        "9" * 27 + ".1234567891",
    ]


lines_of = st.lists(
    st.builds(
        line,
        namespace=st.sampled_from(["a", "b"]),
        day=st.dates(date(2026, 10, 1), date(2026, 10, 31)),
        component=st.sampled_from(["reserved", "borrowed", "tax"]),
        amount=st.decimals(-(10**9), 10**9, places=10),
        own=st.decimals(0, 10**6, places=10),
    ),
    max_size=20,
)


@given(lines_of)
def test_records_of_the_period_and_of_the_days_are_the_lines(lines: list[ChargebackLine]) -> None:
    expected = sum((Fraction(each.amount) for each in lines), Fraction(0))
    records = combine(lines)
    prove_records("r", records, total(each.amount for each in lines))
    for of_day in (True, False):
        mine = [r for r in records if (r.key.day is not None) is of_day]
        assert sum((Fraction(r.amount) for r in mine), Fraction(0)) == expected
        assert sum(r.lines for r in mine) == len(lines)


def test_records_that_are_not_the_bill_cannot_be_published() -> None:
    with pytest.raises(RefusedInput, match=r"records of the days are 1\.5000000000"):
        prove_records("r", combine([LINE]), Decimal("1.6"))


@settings(max_examples=15, deadline=None)
@given(lines=lines_of)
def test_lines_come_back_from_their_files_as_they_were(
    lines: list[ChargebackLine], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    folders = write_lines(lines, folder)
    paths = [path for each in folders for path in each.glob("*.parquet")]
    read = read_lines(paths, folder)
    assert sorted(map(as_text, read)) == sorted(map(as_text, lines))


def as_text(each: ChargebackLine) -> list[str]:
    """Every field, amounts in the one way they are written."""
    values = dataclasses.astuple(each)
    return [plain(value) if isinstance(value, Decimal) else str(value) for value in values]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_formula_in_a_name_is_text_to_a_spreadsheet(text: str, tmp_path: Path) -> None:
    hostile = line(namespace=text, team=text, amount=Decimal("-1.25"))
    path = write_csv([hostile], tmp_path)
    with path.open(newline="", encoding="utf-8") as file:
        (read,) = csv.DictReader(file)
    assert read["namespace"].lstrip("'") == text
    assert not read["namespace"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert Decimal(read["amount"]) == Decimal("-1.25")
    write_lines([hostile], tmp_path)


def test_an_export_has_a_cell_for_each_column() -> None:
    assert len(row(LINE)) == len(HEADER)
    cells = dict(zip(HEADER, row(LINE), strict=True))
    assert (cells["amount"], cells["held_device_hours"]) == ("1.5000000000", "8.0000000000")
    assert cells["project"] == ""


@pytest.fixture
def commons(
    chain: Chain, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Any]:
    outputs = {"ChargebackTable": "chargeback", "ChargebackBucket": CHARGEBACK}
    monkeypatch.setattr(stack, "output", outputs.__getitem__)
    monkeypatch.setattr(output.console, "width", 160)
    stack.client.cache_clear()

    def run(*words: str, code: int = 0) -> Any:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["commons", "chargeback", *words])
        with pytest.raises(SystemExit) as ended:
            main.run()
        shown = capsys.readouterr()
        assert ended.value.code == code, shown
        if code:
            return shown.err
        return json.loads(shown.out) if "--json" in words else shown.out

    return run


def test_ex_02_an_export_of_2500_records_has_2500_rows_and_one_header(
    chain: Chain, commons: Callable[..., Any], tmp_path: Path
) -> None:
    padding = "n" * 300
    rows = [
        nodes_for(n + 1, resource_tags={"aws_eks_namespace": f"{padding}{n:04}"})
        for n in range(2500)
    ]
    assert chain.deliver(chain.report(rows, 5)[0]) == "published"
    # more than the megabyte that one query answers
    records = bootstrap.chargeback_table().records(chain.current()["run_id"])
    assert len(records) == 2500
    target = tmp_path / "out.csv"
    commons("export", "--period", PERIOD, "--output", str(target))
    with target.open(newline="") as file:
        exported = list(csv.DictReader(file))
    assert len(exported) == 2500
    assert sum(Decimal(each["amount"]) for each in exported) == 2500 * 2501 // 2
    assert len({each["namespace"] for each in exported}) == 2500


def test_show_prints_the_contract_and_a_filter_changes_no_amount(
    chain: Chain, commons: Callable[..., Any]
) -> None:
    chain.register()
    alpha, beta = chain.onboard("alpha", 4), chain.onboard("beta", 2)
    chain.used(alpha, date(2026, 10, 2), own=10)
    chain.deliver(chain.report([nodes_for(80)], 5)[0])
    shown = commons("show", "--period", PERIOD, "--json")
    assert list(shown) == [
        *("period", "status", "run_id", "currency", "total", "source_total", "lines", "by")
    ]
    assert shown["total"] == shown["source_total"] == "80.0000000000"
    assert sum(Decimal(each["amount"]) for each in shown["by"]) == 80
    first = next(each for each in shown["by"] if each["namespace"] == alpha)
    assert first == {
        "cluster": CLUSTER,
        "namespace": alpha,
        "team": "alpha",
        "project": None,
        "cost_center": "cc-alpha",
        "component": "reserved",
        # four devices for the hour that the bill covers, of 192 device-hours for 80
        "amount": "1.6666666667",
        "device_hours": {
            "held": "10.0000000000",
            "own": "10.0000000000",
            "borrowed": "0.0000000000",
        },
    }
    for words in (("--namespace", alpha), ("--team", "alpha")):
        filtered = commons("show", "--period", PERIOD, *words, "--json")
        assert filtered["by"] == [first]
        assert filtered["total"] == first["amount"]
        assert filtered["source_total"] == "80.0000000000"
    assert commons("show", "--period", PERIOD, "--team", "nobody", "--json")["by"] == []
    told = commons("show", "--period", PERIOD)
    assert beta in told
    assert "The bill          80.00 USD" in told
    assert "chargeback.csv" in told


def test_runs_are_listed_with_the_one_that_is_current(
    chain: Chain, commons: Callable[..., Any]
) -> None:
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    chain.deliver(chain.report([nodes_for(67)], 6)[0])
    listed = sorted(commons("runs", "--json"), key=lambda run: str(run["total"]))
    assert [(r["status"], r["current"], r["total"]) for r in listed] == [
        ("superseded", False, "60.0000000000"),
        ("provisional", True, "67.0000000000"),
    ]
    assert set(listed[0]) >= {"period", "run_id", "status", "current", "total"}
    assert "provisional" in commons("runs")


def test_what_there_is_not_is_said_in_a_sentence(chain: Chain, commons: Callable[..., Any]) -> None:
    assert "No cost report has come yet" in commons("show", "--period", "2026-09", code=1)
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    assert "There are: 2026-10" in commons("show", "--period", "2026-09", code=1)
    for wrong in ("2026-13", "October", "2026-1"):
        assert "is no period" in commons("show", "--period", wrong, code=2)
    assert "one of csv, parquet" in commons("export", "--period", PERIOD, "--format", "pdf", code=2)


def test_a_parquet_export_is_the_same_lines(
    chain: Chain, commons: Callable[..., Any], tmp_path: Path
) -> None:
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    target = tmp_path / "out.parquet"
    words = ("--format", "parquet", "--output", str(target), "--json")
    told = commons("export", "--period", PERIOD, *words)
    assert told["file"] == str(target)
    assert sum(each.amount for each in read_lines([target], tmp_path)) == 60
