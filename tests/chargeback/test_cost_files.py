"""Real files read by DuckDB: exact sums, tags in every spelling, refusals by file and row."""

import csv
import gzip
import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commons.adapters.cost_files import read_partials, rows_by_file, summarise
from commons.domain.cost_basis import Basis
from commons.domain.cost_columns import COLUMNS
from commons.domain.cost_lines import CostLine, FileRows
from commons.domain.cost_scope import Scope
from commons.domain.errors import RefusedInput
from commons.domain.pools import gather, lines_behind
from local.cost_report import write_parquet
from local.cost_rows import row
from tests.chargeback.chain import CLUSTER, PERIOD

DAY = date(2026, 10, 2)


def node(cost: Any, **more: Any) -> dict[str, Any]:
    values = {
        "line_item_product_code": "AmazonSageMaker",
        "line_item_usage_account_id": "444455556666",
        "line_item_usage_type": "USW2-Cluster:ml.p5.48xlarge",
        "line_item_resource_id": CLUSTER,
        "line_item_usage_amount": 1.0,
    }
    made = row(DAY, 0, **values | more)
    return made | {"line_item_unblended_cost": cost}


def parquet(folder: Path, rows: Sequence[dict[str, Any]], name: str = "a.parquet") -> Path:
    write_parquet(rows, folder / name)
    return folder / name


def text(folder: Path, rows: Sequence[dict[str, Any]], name: str = "a.csv.gz") -> Path:
    """As Data Exports writes CSV: maps are JSON text, nothing is an empty cell."""
    with gzip.open(folder / name, "wt", newline="") as target:
        writer = csv.DictWriter(target, list(rows[0]))
        writer.writeheader()
        for each in rows:
            cells = {k: json.dumps(v) if isinstance(v, dict) else v for k, v in each.items()}
            writer.writerow(cells)
    return folder / name


def read(folder: Path, *files: Path) -> list[CostLine]:
    named = [(f"s3://bucket/{path.name}", path) for path in files]
    summarise(named, folder / "partial.parquet", PERIOD)
    sums = read_partials([folder / "partial.parquet"], folder)
    for basis in sums.totals:
        whole = [line.cost(basis) for line in sums.lines if not line.split]
        assert sum(whole, Decimal(0)) == sums.total(basis)
    return list(sums.lines)


FORMS = [parquet, text]


@pytest.mark.parametrize("form", FORMS)
def test_sums_are_exact_decimals(tmp_path: Path, form: Any) -> None:
    costs = [30.40, 0.1, 0.2, 1.0e-10, 3.7600000000000007, -0.0]
    (line,) = read(tmp_path, form(tmp_path, [node(cost) for cost in costs]))
    assert line.amortised == Decimal("34.4600000001")
    assert (line.hours, line.rows) == (6, 6)
    assert line.instance_type == "ml.p5.48xlarge"


@pytest.mark.parametrize(
    "cost", ["NaN", "", "inf", "-Infinity", "1" * 45, "12,50", "none"], ids=lambda c: c[:9]
)
def test_cb_29_what_is_no_amount_refuses_the_file_by_name_and_row(
    tmp_path: Path, cost: str
) -> None:
    path = text(tmp_path, [node("1.5"), node("2"), node(cost), node("3")])
    with pytest.raises(RefusedInput, match=r"s3://bucket/a\.csv\.gz is refused: row 3") as refused:
        read(tmp_path, path)
    assert f"'{cost}'" in str(refused.value)


def test_cb_29_nan_in_a_column_of_doubles_refuses_the_file_and_names_the_right_one(
    tmp_path: Path,
) -> None:
    good, bad = parquet(tmp_path, [node(1.0)]), tmp_path / "b.parquet"
    write_parquet([node(1.0), node(2.0)], tmp_path / "c.parquet")
    nan = "SELECT * REPLACE (CASE WHEN line_item_unblended_cost = 2 THEN 'NaN'::DOUBLE "
    duckdb.execute(
        f"COPY ({nan} ELSE 1 END AS line_item_unblended_cost) FROM '{tmp_path}/c.parquet') "
        f"TO '{bad}' (FORMAT parquet)"
    )
    with pytest.raises(RefusedInput, match=r"b\.parquet is refused: row 2"):
        read(tmp_path, good, bad)


def test_cb_29_numbers_as_text_keep_ten_places(tmp_path: Path) -> None:
    costs = ["30.40", "1.0E-10", "3.7600000000000007", "-0", "0." + "1" * 45]
    (line,) = read(tmp_path, text(tmp_path, [node(cost) for cost in costs]))
    assert line.amortised == Decimal("34.2711111112")


@pytest.mark.parametrize("form", FORMS)
def test_cb_10_the_tags_of_aws_mean_the_same_in_every_spelling(tmp_path: Path, form: Any) -> None:
    tagged = [
        node(1, resource_tags={"aws_eks_namespace": "train"}),
        node(2, resource_tags={"aws:eks:namespace": "train"}),
        node(4, resource_tags={"user_namespace": "train", "user_aws_eks_namespace": "train"}),
    ]
    lines = read(tmp_path, form(tmp_path, tagged))
    assert {line.namespace: line.amortised for line in lines} == {"train": 3, "": 4}


@pytest.mark.parametrize(
    "column", ["resource_tags_aws_eks_namespace", "resource_tags_aws:eks:namespace"]
)
def test_cb_10_a_tag_may_have_a_column_of_its_own(tmp_path: Path, column: str) -> None:
    rows = [{**node(5), column: "train", "resource_tags_user_namespace": "other"}]
    (line,) = read(tmp_path, text(tmp_path, rows))
    assert line.namespace == "train"


def test_cb_09_tags_that_are_null_or_no_json_are_no_namespace(tmp_path: Path) -> None:
    tags = [None, "", "{}", '{"aws_eks_namespace": ""}', "{broken", "null"]
    rows = [{**node(1), "resource_tags": each} for each in tags]
    (line,) = read(tmp_path, text(tmp_path, rows))
    assert (line.namespace, line.amortised, line.rows) == ("", 6, 6)


@pytest.mark.parametrize("form", FORMS)
def test_cb_27_account_numbers_keep_their_leading_zeros(tmp_path: Path, form: Any) -> None:
    ids = {"line_item_usage_account_id": "012345678901", "bill_payer_account_id": "000000000012"}
    (line,) = read(tmp_path, form(tmp_path, [node(1, **ids)]))
    assert (line.account, line.payer) == ("012345678901", "000000000012")


def test_cb_27_a_column_of_numbers_gives_its_zeros_back(tmp_path: Path) -> None:
    ids = {"line_item_usage_account_id": "012345678901", "bill_payer_account_id": "000000000012"}
    source, numbers = parquet(tmp_path, [node(1, **ids)]), tmp_path / "numbers.parquet"
    casts = [f"CAST({name} AS BIGINT) AS {name}" for name in ids]
    duckdb.execute(
        f"COPY (SELECT * REPLACE ({', '.join(casts)}) FROM '{source}') "  # noqa: S608 - files of ours
        f"TO '{numbers}' (FORMAT parquet)"
    )
    (line,) = read(tmp_path, numbers)
    assert (line.account, line.payer) == ("012345678901", "000000000012")


def test_cb_28_commas_quotes_and_newlines_inside_a_field_shift_nothing(tmp_path: Path) -> None:
    texts = ["Telephony (sold by X, LLC)", 'a "quoted"\r\nline, and one more', "plain", "=1+1"]
    rows = [node(n + 1, line_item_line_item_description=t) for n, t in enumerate(texts)]
    (line,) = read(tmp_path, text(tmp_path, rows))
    assert (line.amortised, line.rows) == (10, 4)


def test_cb_11_columns_are_read_by_name_in_any_order_and_beside_new_ones(tmp_path: Path) -> None:
    rows = [node(1), node(2)]
    turned = [{"brand_new": "x", **dict(reversed(each.items()))} for each in rows]
    assert read(tmp_path, text(tmp_path, turned)) == read(
        tmp_path, text(tmp_path, rows, "b.csv.gz")
    )


@pytest.mark.parametrize("column", [each.name for each in COLUMNS if each.required])
def test_a_file_without_a_required_column_is_refused(tmp_path: Path, column: str) -> None:
    rows = [{k: v for k, v in node(1).items() if k != column}]
    with pytest.raises(RefusedInput, match=f"column {column} is missing"):
        read(tmp_path, text(tmp_path, rows))


@pytest.mark.parametrize("name", ["a.snappy.parquet", "a.csv.gz"])
def test_what_is_no_file_of_its_kind_is_refused_by_name(tmp_path: Path, name: str) -> None:
    broken = tmp_path / name
    broken.write_bytes(b"neither one nor the other")
    with pytest.raises(RefusedInput, match=f"s3://bucket/{name} is refused"):
        read(tmp_path, broken)


def test_a_truncated_gzip_is_refused_by_name(tmp_path: Path) -> None:
    whole = text(tmp_path, [node(n, line_item_line_item_description=str(n) * 50) for n in range(9)])
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(RefusedInput, match=r"cut\.csv\.gz"):
        read(tmp_path, cut)


def test_days_are_utc_whatever_the_machine_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    late = node(1, line_item_usage_start_date="2026-10-02T23:30:00Z")
    for form in FORMS:
        (line,) = read(tmp_path, form(tmp_path, [late]))
        assert line.day == DAY


AMORTISED = [
    ({"line_item_line_item_type": "SavingsPlanNegation"}, -8.86, "0"),
    ({"line_item_line_item_type": "SavingsPlanUpfrontFee"}, 100, "0"),
    (
        {
            "line_item_line_item_type": "SavingsPlanCoveredUsage",
            "savings_plan_savings_plan_effective_cost": 5.32,
        },
        8.86,
        "5.32",
    ),
    (
        {
            "line_item_line_item_type": "SavingsPlanRecurringFee",
            "savings_plan_total_commitment_to_date": 8.0,
            "savings_plan_used_commitment": 6.0,
        },
        8,
        "2",
    ),
    (
        {"line_item_line_item_type": "DiscountedUsage", "reservation_effective_cost": 3.5},
        0,
        "3.5",
    ),
    (
        {
            "line_item_line_item_type": "RIFee",
            "reservation_unused_amortized_upfront_fee_for_billing_period": 1.25,
            "reservation_unused_recurring_fee": 0.5,
        },
        9,
        "1.75",
    ),
    ({"line_item_line_item_type": "Fee", "reservation_reservation_a_r_n": "arn:x"}, 9, "0"),
    ({"line_item_line_item_type": "Fee"}, 9, "9"),
    ({"line_item_line_item_type": "Refund"}, -5, "-5"),
    (
        {"line_item_line_item_type": "Refund", "line_item_product_code": "ComputeSavingsPlans"},
        -8,
        "0",
    ),
    ({"line_item_line_item_type": "Usage"}, 7, "7"),
]


@pytest.mark.parametrize(("values", "unblended", "amount"), AMORTISED)
def test_the_amortised_cost_of_a_line(
    tmp_path: Path, values: dict[str, Any], unblended: float, amount: str
) -> None:
    (line,) = read(tmp_path, parquet(tmp_path, [node(unblended, **values)]))
    assert line.amortised == Decimal(amount)


def test_lines_that_concern_no_cluster_are_one_sum(tmp_path: Path) -> None:
    web = [
        node(n, line_item_product_code="AmazonEC2", line_item_resource_id=f"i-{n}") for n in (1, 2)
    ]
    (line,) = read(tmp_path, parquet(tmp_path, web))
    assert line == CostLine(
        False, "USD", product="AmazonEC2", unblended=Decimal(3), amortised=Decimal(3),
        hours=line.hours, rows=2,
    )  # fmt: skip


def test_cutting_a_file_in_two_changes_nothing(tmp_path: Path) -> None:
    rows = [node(n / 7, resource_tags={"aws_eks_namespace": f"n{n % 3}"}) for n in range(20)]
    whole = read(tmp_path, parquet(tmp_path, rows))
    halves = [parquet(tmp_path, rows[:9], "b.parquet"), parquet(tmp_path, rows[9:], "c.parquet")]
    assert read(tmp_path, *halves) == whole


any_line = st.fixed_dictionaries(
    {
        "line_item_unblended_cost": st.decimals(-(10**9), 10**9, places=10).map(str),
        "line_item_line_item_type": st.sampled_from(["Usage", "Tax", "EdpDiscount", "Credit"]),
        "line_item_product_code": st.sampled_from(["AmazonSageMaker", "AmazonEC2", "AmazonFSx"]),
        "line_item_net_unblended_cost": st.decimals(-(10**9), 10**9, places=10).map(str),
        "resource_tags": st.sampled_from(
            [{}, {"aws_eks_namespace": "a"}, {"aws:eks:namespace": "b"}]
        ),
    }
)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(any_line, st.integers(0, 5)), min_size=1, max_size=20), st.randoms())
def test_how_rows_are_dealt_to_files_and_batches_changes_nothing(lines, random) -> None:  # type: ignore[no-untyped-def]
    with TemporaryDirectory() as name:
        folder = Path(name)
        whole = read(folder, text(folder, [node("0") | line for line, _ in lines]))
        random.shuffle(lines)
        partials = []
        for batch in range(3):
            named = []
            for number in (2 * batch, 2 * batch + 1):
                rows = [node("0") | line for line, file in lines if file == number]
                if rows:
                    path = text(folder, rows, f"{number}.csv.gz")
                    named.append((path.name, path))
            if named:
                partials.append(folder / f"partial-{batch}.parquet")
                summarise(named, partials[-1], PERIOD)
        assert list(read_partials(partials, folder).lines) == whole


def test_a_plan_fee_without_the_columns_of_its_use_is_refused_and_not_counted_as_zero(
    tmp_path: Path,
) -> None:
    fee = node(8.0, line_item_line_item_type="SavingsPlanRecurringFee")
    without = {k: v for k, v in fee.items() if not k.startswith("savings_plan_")}
    with pytest.raises(RefusedInput, match=r"row 1.*include the savings plan"):
        read(tmp_path, text(tmp_path, [without]))


def test_the_files_behind_a_pool_and_how_many_rows_of_each(tmp_path: Path) -> None:
    late = {"line_item_usage_start_date": "2026-10-03T05:00:00Z"}
    files = [
        [node(1), node(2), node(4, line_item_product_code="AmazonS3")],
        [node(8, **late)],
        [node(16), node(32, line_item_line_item_type="SavingsPlanNegation")],
    ]
    paths = [parquet(tmp_path, rows, f"{n}.parquet") for n, rows in enumerate(files)]
    empty = text(tmp_path, [node(1)], "empty.csv.gz")
    empty.write_bytes(gzip.compress(b""))
    batches = [[paths[0], paths[1]], [empty, text(tmp_path, files[2], "last.csv.gz")]]
    partials = []
    for number, batch in enumerate(batches):
        partials.append(tmp_path / f"partial-{number}.parquet")
        summarise([(path.name, path) for path in batch], partials[-1], PERIOD)
    placed = Scope(read_partials(partials, tmp_path).lines, []).place()
    pools = {pool.day: pool for pool in gather(placed, "2026-10", Basis.AMORTISED)}

    found = rows_by_file(partials, lines_behind(placed, "2026-10", pools[DAY].id), tmp_path)
    assert found == [FileRows(0, 0, 2), FileRows(1, 1, 2)]
    assert sum(each.rows for each in found) == pools[DAY].rows
    third = lines_behind(placed, "2026-10", pools[date(2026, 10, 3)].id)
    assert rows_by_file(partials, third, tmp_path) == [FileRows(0, 1, 1)]
    assert rows_by_file(partials, [], tmp_path) == []
