"""Bad input refuses a run by file, row and reason; the former run stays, and nothing is halved."""
# ruff: noqa: S608 - queries over files of the tests themselves

import gzip
import json
import os
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import duckdb
import pytest

from commons.adapters import cost_csv, cost_sources
from commons.domain.cost_basis import Basis
from commons.domain.errors import RefusedInput
from local.cost_report import manifest_of
from local.cost_rows import COLUMNS
from tests.chargeback.chain import REPORTS, Chain, execution
from tests.chargeback.test_cost_files import node, parquet, read, text
from tests.chargeback.test_publish_chargeback import nodes_for

FOLDER = "cur2/x/data/BILLING_PERIOD=2026-10"
MANIFEST = "cur2/x/metadata/BILLING_PERIOD=2026-10/x-Manifest.json"


@pytest.fixture
def former(chain: Chain) -> Any:
    """A month that is published; after the test nothing of it may have changed."""
    chain.register()
    assert chain.deliver(chain.report([nodes_for(60)], 1)[0]) == "published"
    shown = boto3.resource("dynamodb").Table("chargeback").scan()["Items"]
    yield chain.current()
    items = boto3.resource("dynamodb").Table("chargeback").scan()["Items"]
    assert [item for item in shown if item not in items] == []
    written = [item for item in items if item not in shown]
    assert {str(item["pk"]).split("#")[0] for item in written} <= {"PERIOD"}
    stored = chain.s3.list_objects_v2(Bucket="acme-chargeback")["Contents"]
    runs = {each["Key"].split("/")[2] for each in stored if each["Key"].startswith("lines/")}
    assert len(runs) == 1


def deliver(chain: Chain, files: Sequence[tuple[str, bytes]]) -> str:
    """A later execution of these files; the reason why it is refused."""
    for name, body in files:
        chain.s3.put_object(Bucket=REPORTS, Key=f"{FOLDER}/{name}", Body=body)
    keys = [f"{FOLDER}/{name}" for name, _ in files]
    body = manifest_of(REPORTS, keys, execution(9), COLUMNS)
    chain.s3.put_object(Bucket=REPORTS, Key=MANIFEST, Body=body)
    assert chain.deliver(MANIFEST, sequencer="0F") in ("RefusedInput", "StillConverging")
    (refusal,) = chain.refusals()
    (reason,) = refusal["reasons"]
    return str(reason)


def cut(body: bytes) -> bytes:
    return body[: len(body) // 2]


def table(folder: Path, rows: Sequence[dict[str, Any]]) -> bytes:
    return parquet(folder, rows).read_bytes()


def cells(folder: Path, rows: Sequence[dict[str, Any]]) -> bytes:
    return text(folder, rows).read_bytes()


NAN = {"line_item_unblended_cost": "NaN"}
ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "not a number": (NAN, "row 3: the cost 'NaN' of a Usage line is no amount"),
    "infinite": ({"line_item_unblended_cost": "-inf"}, "row 3: the cost '-inf'"),
    "45 digits": ({"line_item_unblended_cost": "1" * 45}, f"row 3: the cost '{'1' * 45}'"),
    "no hours": ({"line_item_usage_amount": "many"}, "row 3: the usage amount is no amount"),
    "another currency": (
        {"line_item_currency_code": "EUR"},
        "row 3: its currency is 'EUR', most lines have USD",
    ),
    "another month": (
        {"line_item_usage_start_date": "2026-11-01T00:00:00Z"},
        "row 3: a Usage line of USW2-Cluster:ml.p5.48xlarge is dated 2026-11-01, the period is "
        "2026-10",
    ),
    "no date": ({"line_item_usage_start_date": "soon"}, "has no date, the period is 2026-10"),
    "a text that is too long": (
        {"line_item_resource_id": "x" * 513},
        f"row 3: its resource is '{'x' * 60}'…, which is no name",
    ),
}


@pytest.mark.parametrize("fault", ROWS)
def test_a_row_at_fault_refuses_the_run_by_file_and_row(
    chain: Chain, former: dict[str, Any], tmp_path: Path, fault: str
) -> None:
    values, expected = ROWS[fault]
    bad = [node("1.5"), node("2"), node("3") | values, node("4")]
    files = [("a.csv.gz", cells(tmp_path, [node("1")])), ("b.csv.gz", cells(tmp_path, bad))]
    reason = deliver(chain, files)
    assert reason.startswith(f"data file s3://{REPORTS}/{FOLDER}/b.csv.gz is refused: ")
    assert expected in reason
    assert chain.current() == former


FILES: dict[str, tuple[str, Callable[[Path], bytes], str]] = {
    "a gzip that was cut short": (
        "b.csv.gz",
        lambda folder: cut(cells(folder, [node(n) for n in range(500)])),
        "it ends in the middle",
    ),
    "a gzip that is none": ("b.csv.gz", lambda _: b"neither one", "incorrect header check"),
    "a gzip with a wrong sum": (
        "b.csv.gz",
        lambda folder: cells(folder, [node(1)])[:-8] + b"\0" * 8,
        "incorrect data check",
    ),
    "a Parquet that is none": ("b.parquet", lambda _: b"PAR1 or not", "too small"),
    "a Parquet that was cut short": (
        "b.parquet",
        lambda folder: cut(table(folder, [node(1)])),
        "No magic bytes",
    ),
    "a row of too few cells": (
        "b.csv",
        lambda folder: gzip.decompress(cells(folder, [node(1)])) + b"1,2\r\n",
        "line 3: Expected Number of Columns",
    ),
    "bytes that are no text": (
        "b.csv",
        lambda folder: gzip.decompress(cells(folder, [node(1)])).replace(b"USD", b"\xff\xfe "),
        "line 2: Invalid unicode",
    ),
    "a column twice": (
        "b.csv",
        lambda _: b"line_item_unblended_cost,Line_Item_Unblended_Cost\n1,2\n",
        "column line_item_unblended_cost is there twice",
    ),
    "a quote without an end": (
        "b.csv",
        lambda folder: gzip.decompress(cells(folder, [node(1)])) + b'"',
        "line 3:",
    ),
}


@pytest.mark.parametrize("fault", FILES)
def test_a_file_at_fault_refuses_the_run_by_name(
    chain: Chain, former: dict[str, Any], tmp_path: Path, fault: str
) -> None:
    name, make, expected = FILES[fault]
    kind = name.partition(".")[2]
    good = table if kind == "parquet" else cells
    first = "a.parquet" if kind == "parquet" else "a.csv.gz"
    reason = deliver(chain, [(first, good(tmp_path, [node(1)])), (name, make(tmp_path))])
    assert reason.startswith(f"data file s3://{REPORTS}/{FOLDER}/{name} is refused: ")
    assert expected in reason
    assert chain.current() == former


def test_a_manifest_of_a_missing_file_is_refused_by_its_name(
    chain: Chain, former: dict[str, Any]
) -> None:
    body = manifest_of(REPORTS, [f"{FOLDER}/gone.parquet"], execution(9), COLUMNS)
    chain.s3.put_object(Bucket=REPORTS, Key=MANIFEST, Body=body)
    assert chain.deliver(MANIFEST) == "StillConverging"
    assert "gone.parquet" in chain.refusals()[0]["reasons"][0]
    assert chain.current() == former


def test_a_manifest_of_a_foreign_bucket_is_refused_by_the_files_name(
    chain: Chain, former: dict[str, Any]
) -> None:
    body = json.loads(manifest_of(REPORTS, [f"{FOLDER}/a.parquet"], execution(9), COLUMNS))
    body["dataFiles"].append(f"s3://somebody-elses/{FOLDER}/b.parquet")
    chain.s3.put_object(Bucket=REPORTS, Key=MANIFEST, Body=json.dumps(body).encode())
    assert chain.deliver(MANIFEST) == "RefusedInput"
    assert f"s3://somebody-elses/{FOLDER}/b.parquet is not in the bucket" in str(chain.refusals())
    assert chain.current() == former


def test_nan_and_infinity_in_a_column_of_doubles_name_the_file_and_row(
    chain: Chain, former: dict[str, Any], tmp_path: Path
) -> None:
    plain = parquet(tmp_path, [node(1.0), node(2.0)], "plain.parquet")
    bad = tmp_path / "bad.parquet"
    cost = "CASE WHEN line_item_unblended_cost = 2 THEN '-inf'::DOUBLE ELSE 1 END"
    duckdb.execute(
        f"COPY (SELECT * REPLACE ({cost} AS line_item_unblended_cost) FROM '{plain}') "
        f"TO '{bad}' (FORMAT parquet)"
    )
    reason = deliver(chain, [("a.parquet", plain.read_bytes()), ("b.parquet", bad.read_bytes())])
    assert "b.parquet is refused: row 2: the cost '-inf'" in reason


# every text that becomes part of a key, of nodes and of what carries a namespace
TEXTS = (
    "bill_payer_account_id", "line_item_currency_code", "line_item_line_item_type",
    "line_item_resource_id", "line_item_usage_account_id", "line_item_usage_type",
    "product_region_code",
)  # fmt: skip
# what a program may take for a command, an address or an end of text
CARRIED = ("=cmd|' /C calc'!A1", "'; DROP TABLE teams --", "../../etc/passwd", '"', "%00", "ü£漢")
REFUSED = ("a\x00b", "a\r\nb", "\x1b[31mred", "\u202egnp.exe", "\x85")


@pytest.mark.parametrize("hostile", CARRIED)
@pytest.mark.parametrize("form", [parquet, text])
def test_a_hostile_text_that_can_be_printed_is_only_text(
    tmp_path: Path, form: Any, hostile: str
) -> None:
    """It moves no money and is in the lines as it came."""
    for column in (name for name in TEXTS if name != "line_item_currency_code"):
        rows = [node(1), node(2, **{column: hostile}), node(4)]
        lines = read(tmp_path, form(tmp_path, rows))
        assert sum(line.amortised for line in lines) == 7
        assert sum(line.rows for line in lines) == 3
    tagged = node(2, resource_tags={"aws:eks:namespace": hostile})
    assert hostile in {line.namespace for line in read(tmp_path, form(tmp_path, [tagged]))}


@pytest.mark.parametrize("hostile", REFUSED, ids=ascii)
@pytest.mark.parametrize("form", [parquet, text])
def test_a_text_that_cannot_be_printed_is_refused_by_row_and_shown_harmless(
    tmp_path: Path, form: Any, hostile: str
) -> None:
    rows = [{"resource_tags": {"aws:eks:namespace": hostile}}, *({each: hostile} for each in TEXTS)]
    for values in rows:
        with pytest.raises(RefusedInput) as refused:
            read(tmp_path, form(tmp_path, [node(1), node(2, **values)]))
        assert "row 2: its " in str(refused.value)
        assert ascii(hostile) in str(refused.value)
        assert str(refused.value).isprintable()


def test_a_currency_is_three_capital_letters(tmp_path: Path) -> None:
    for wrong in ("=1+", "usd", "", "USDX"):
        with pytest.raises(RefusedInput, match=r"row 1: its currency is .* which is none"):
            read(tmp_path, text(tmp_path, [node(1, line_item_currency_code=wrong)]))


def test_texts_that_nobody_reads_may_be_anything(tmp_path: Path) -> None:
    rows = [node(1, line_item_line_item_description=each) for each in (*CARRIED, *REFUSED)]
    (line,) = read(tmp_path, text(tmp_path, rows))
    assert (line.amortised, line.rows) == (len(rows), len(rows))


def test_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost_csv, "ALWAYS_UNPACKED", 1_000_000)
    whole = gzip.decompress(text(tmp_path, [node(1)]).read_bytes())
    row = whole.splitlines(keepends=True)[1]
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(whole + row * 50_000))
    read_so_far = []
    unpack = cost_csv._unpacked
    monkeypatch.setattr(
        cost_csv, "_unpacked", lambda path: (read_so_far.append(c) or c for c in unpack(path))
    )
    with pytest.raises(RefusedInput, match=r"bomb\.csv\.gz is refused: its \d+ bytes unpack to"):
        read(tmp_path, bomb)
    assert sum(map(len, read_so_far)) < 100 * bomb.stat().st_size + 2 * 1024 * 1024


def test_a_report_that_repeats_itself_a_lot_is_no_bomb(tmp_path: Path) -> None:
    (line,) = read(tmp_path, text(tmp_path, [node(1)] * 20_000))
    assert (line.amortised, line.rows) == (20_000, 20_000)


def test_a_row_without_end_is_refused_and_not_held_in_memory(tmp_path: Path) -> None:
    noise = os.urandom(cost_csv.LARGEST_ROW).hex()
    path = text(tmp_path, [node(1), node(2, line_item_line_item_description=noise)])
    with pytest.raises(RefusedInput, match=r"line 3: Maximum line size"):
        read(tmp_path, path)


def test_a_parquet_of_more_rows_than_bytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost_sources, "ALWAYS_ROWS", 1000)
    one = parquet(tmp_path, [node(1)], "one.parquet")
    many = tmp_path / "many.parquet"
    rows = f"SELECT t.* FROM '{one}' t, range(500000)"
    duckdb.execute(f"COPY ({rows}) TO '{many}' (FORMAT parquet, COMPRESSION zstd)")
    assert many.stat().st_size < 500_000
    with pytest.raises(RefusedInput, match=r"many\.parquet .* bytes claim to be 500000 rows"):
        read(tmp_path, many)


def test_files_that_do_not_go_together_are_refused_and_not_tried_for_ever(tmp_path: Path) -> None:
    tags = parquet(tmp_path, [node(1)], "map.parquet")
    other = tmp_path / "list.parquet"
    duckdb.execute(
        f"COPY (SELECT * REPLACE ([1, 2] AS resource_tags) FROM '{tags}') "
        f"TO '{other}' (FORMAT parquet)"
    )
    with pytest.raises(RefusedInput, match="is refused"):
        read(tmp_path, tags, other)


def test_two_files_of_one_currency_each_are_refused_too(tmp_path: Path) -> None:
    files = [
        parquet(tmp_path, [node(1)] * 2, "usd.parquet"),
        parquet(tmp_path, [node(1, line_item_currency_code="EUR")], "eur.parquet"),
    ]
    with pytest.raises(
        RefusedInput, match=r"eur\.parquet is refused: row 1: its currency is 'EUR'"
    ):
        read(tmp_path, *files)


def test_two_currencies_in_two_batches_are_refused_by_name(chain: Chain) -> None:
    rows = [nodes_for(1)] * 51 + [nodes_for(1, line_item_currency_code="EUR")]
    assert chain.deliver(chain.report(rows, 5, files=52)[0]) == "RefusedInput"
    assert "EUR" in chain.refusals()[0]["reasons"][0]


def test_what_was_refused_is_read_once_it_is_right(
    chain: Chain, former: dict[str, Any], tmp_path: Path
) -> None:
    assert "row 1" in deliver(chain, [("a.csv.gz", cells(tmp_path, [node("NaN")]))])
    (line,) = read(tmp_path, text(tmp_path, [node("70")]))
    assert line.cost(Basis.UNBLENDED) == Decimal(70)
