"""FOCUS 1.2: the rows of an export are what the published requirements model wants of them."""

import csv
import dataclasses
import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st

from commons.adapters.export_files import write_focus
from commons.domain import focus
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_run import RunRef
from commons.domain.focus_columns import COLUMNS, NAMES, Level, Type
from commons.domain.money import total
from tests.chargeback.test_records import LINE

RUN = RunRef(period="2026-10", run_id=LINE.run_id)
POOL = f"pool|012345678901|098765432109|us-west-2|{LINE.cluster}|direct||ml.p5.48xlarge|2026-10-02"
# the model's list of what every file must have, by hand from its rules CostAndUsage-D-*-M
MANDATORY = {
    *("BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency"),
    *("BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory", "ChargeClass"),
    *("ChargeDescription", "ChargePeriodEnd", "ChargePeriodStart", "ContractedCost"),
    *("EffectiveCost", "InvoiceIssuerName", "ListCost", "PricingQuantity", "PricingUnit"),
    *("ProviderName", "PublisherName", "ServiceCategory", "ServiceName"),
}


def line(number: int, **values: Any) -> ChargebackLine:
    made = {"line_id": f"{number:016x}", "pool": POOL, **values}
    return dataclasses.replace(LINE, **made)


LINES = [
    line(1),
    line(2, component="borrowed", own=Decimal(0), borrowed=Decimal(3)),
    line(3, component="lend_credit", amount=Decimal("-0.5"), own=Decimal(0)),
    line(4, component="tax", pool="apart|1|2||||||2026-10-01", cluster="2", instance_type=None),
    line(5, team=None, component="unassigned", namespace="__platform__", cost_center=None),
    line(6, corrects="2026-08", day=date(2026, 8, 3), amount=Decimal("-2"), pool=f"{POOL}|x"),
    line(7, amount=Decimal(0), pool=f"{POOL}|free"),
]


def table(lines: list[ChargebackLine], folder: Path) -> list[dict[str, Any]]:
    """The Parquet file as read back, by column."""
    parquet, _ = write_focus(RUN, lines, folder)
    with duckdb.connect() as db:
        found = db.execute(f"SELECT * FROM '{parquet}'")  # noqa: S608 - a path of ours
        names = [each[0] for each in found.description or []]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_the_table_has_what_is_mandatory() -> None:
    assert {each.name for each in COLUMNS if each.level is Level.MANDATORY} == MANDATORY
    assert all(each.name.startswith("x_") == (each.level is Level.OWN) for each in COLUMNS)
    assert len(set(NAMES)) == len(NAMES)


def test_types_values_and_nulls_are_those_of_the_table(tmp_path: Path) -> None:
    rows = table(LINES, tmp_path)
    with duckdb.connect() as db:
        described = db.execute(f"DESCRIBE SELECT * FROM '{tmp_path}/focus-1.2.parquet'").fetchall()  # noqa: S608 - as above
    assert [(row[0], row[1]) for row in described] == [(c.name, c.type.value) for c in COLUMNS]
    for row in rows:
        for column in COLUMNS:
            value = row[column.name]
            assert value is not None or column.nullable, column.name
            assert value is None or not column.values or value in column.values
            assert column.type is not Type.TEXT or value != ""


def test_sums_are_those_of_the_lines_and_ratios_of_a_pool_are_one(tmp_path: Path) -> None:
    rows = table(LINES, tmp_path)
    every = total(each.amount for each in LINES)
    for cost in ("BilledCost", "EffectiveCost", "ContractedCost", "ListCost"):
        assert total(row[cost] for row in rows) == every
    for pool in {row["x_Pool"] for row in rows}:
        ratios = [row["x_AllocatedRatio"] for row in rows if row["x_Pool"] == pool]
        known = [each for each in ratios if each is not None]
        assert not known or total(known) == 1
    with (tmp_path / "focus-1.2.csv").open(newline="", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    assert total(Decimal(row["BilledCost"]) for row in read) == every
    assert tuple(read[0]) == NAMES


def test_a_correction_is_billed_in_the_open_period_for_the_day_it_corrects() -> None:
    (row,) = focus.rows(RUN, [LINES[5]])
    assert row["ChargeClass"] == "Correction"
    assert row["BillingPeriodStart"] == "2026-10-01T00:00:00Z"
    assert row["BillingPeriodEnd"] == "2026-11-01T00:00:00Z"
    assert row["ChargePeriodStart"] == "2026-08-03T00:00:00Z"
    assert (row["x_Corrects"], row["x_AllocatedRatio"]) == ("2026-08", None)


def test_cb_27_account_ids_stay_text_with_their_zeros(tmp_path: Path) -> None:
    (row,) = table([LINES[0]], tmp_path)
    assert (row["BillingAccountId"], row["SubAccountId"]) == ("012345678901", "098765432109")


def test_cb_28_commas_quotes_and_line_breaks_stay_in_their_cell(tmp_path: Path) -> None:
    hostile = 'Telephony (sold by X, LLC)\n"quoted"'
    rows = table([line(1, team=hostile), line(2)], tmp_path)
    assert [row["x_Team"] for row in rows] == [hostile, "alpha"]
    assert json.loads(rows[0]["Tags"])["gpu-commons/team"] == hostile
    with (tmp_path / "focus-1.2.csv").open(newline="", encoding="utf-8") as file:
        assert [row["x_Team"] for row in csv.DictReader(file)] == [hostile, "alpha"]


_amounts = st.decimals(
    Decimal(-1000), Decimal(1000), places=10, allow_nan=False, allow_infinity=False
)


@settings(deadline=None)
@given(found=st.lists(st.tuples(_amounts, st.sampled_from("ab")), max_size=20))
def test_ratios_are_one_for_any_pool(found: list[tuple[Decimal, str]]) -> None:
    lines = [line(n, amount=amount, pool=pool) for n, (amount, pool) in enumerate(found)]
    rows = list(focus.rows(RUN, lines))
    for pool in "ab":
        mine = [Decimal(r["x_AllocatedRatio"] or 0) for r in rows if r["x_Pool"] == pool]
        cost = total(each.amount for each in lines if each.pool == pool)
        assert total(mine) == (1 if cost else 0)
    assert total(Decimal(r["BilledCost"] or 0) for r in rows) == total(x.amount for x in lines)
