"""Reports of the generation before Data Exports mean the same, down to the last digit."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from commons.domain.cost_columns import COLUMNS, found, missing_columns
from commons.domain.cost_manifest import period_of, read_manifest
from commons.domain.cost_report import Delivery, read_report
from commons.domain.errors import RefusedInput
from tests.chargeback.chain import CLUSTER, REPORTS, Chain
from tests.chargeback.older_reports import FOLDER, NAME, as_csv, deliver_older, manifest, renamed
from tests.chargeback.test_cost_files import node, parquet, read, text
from tests.chargeback.test_publish_chargeback import nodes_for

DAY = date(2026, 10, 2)
KEY = f"{FOLDER}/{NAME}-Manifest.json"
FILE = f"{FOLDER}/20261003T021502Z/{NAME}-00001.csv.gz"
NAMES = [column.older[0] for column in COLUMNS if column.older]


def refused(body: bytes, key: str = KEY) -> str:
    with pytest.raises(RefusedInput) as error:
        read_report(Delivery(bucket=REPORTS, key=key), body)
    return str(error.value)


def test_the_same_rows_under_either_generation_of_names_are_the_same_lines(tmp_path: Path) -> None:
    tags = {"aws:eks:namespace": "train", "user:app": "=1+1"}
    covered = {
        "line_item_line_item_type": "SavingsPlanCoveredUsage",
        "savings_plan_savings_plan_effective_cost": 0.1,
    }
    rows = [node(10, **covered), node(2.5, resource_tags=tags), node(1, product_region_code="x")]
    older = tmp_path / "older.csv.gz"
    older.write_bytes(as_csv([renamed(row) for row in rows]))
    assert read(tmp_path, older) == read(tmp_path, parquet(tmp_path, rows))


def test_an_older_report_in_parquet_has_a_column_for_each_tag(tmp_path: Path) -> None:
    row = {**node(5), "resource_tags_aws_eks_namespace": "train", "product_region": "us-west-2"}
    for name in ("resource_tags", "product_region_code"):
        del row[name]
    (line,) = read(tmp_path, text(tmp_path, [row]))
    assert (line.namespace, line.region) == ("train", "us-west-2")


def test_cb_11_names_are_found_in_any_case_and_the_newer_one_counts() -> None:
    assert found(["LINEITEM/unblendedcost"]) == {
        "line_item_unblended_cost": "LINEITEM/unblendedcost"
    }
    both = ["lineItem/UnblendedCost", "line_item_unblended_cost", "product/region"]
    assert found(both) == {
        "line_item_unblended_cost": "line_item_unblended_cost",
        "product_region_code": "product/region",
    }
    assert missing_columns(NAMES) == []
    assert missing_columns(n for n in NAMES if n != "lineItem/ResourceId") == [
        "column line_item_resource_id is missing"
    ]


def test_both_copies_of_an_older_manifest_are_one_execution(chain: Chain) -> None:
    chain.register()
    alpha = chain.onboard("alpha", 8)
    rows = [nodes_for(10), nodes_for(20), nodes_for(3, resource_tags={"aws:eks:namespace": alpha})]
    copies = deliver_older(chain, rows, "20261003T021502Z")
    assert chain.deliver(copies[0]) == "published"
    assert chain.deliver(copies[1]) == "this execution was published before"
    assert chain.current()["total"] == 33
    assert chain.amounts()[CLUSTER, alpha, "direct"] == 3


# the rows of a month that is not final, and of the same month once it is: the accounts have been
# corrected and the invoice is there
def month_of_a_web_server(final: bool) -> list[dict[str, Any]]:
    accounts = ("0099999999999", "987654321") if final else ("9999999999999", "")
    row = nodes_for(
        10,
        f"{CLUSTER}" if final else "",
        bill_payer_account_id=accounts[0],
        bill_invoice_id=accounts[1],
        line_item_line_item_type="SavingsPlanCoveredUsage",
        line_item_currency_code="NOK",
        savings_plan_savings_plan_effective_cost=0.1,
    )
    ec2 = {"line_item_product_code": "AmazonEC2", "line_item_usage_type": "BoxUsage:m5.large"}
    return [row, row, {**row, **ec2, "line_item_resource_id": "i-99995555"}]


def test_a_final_report_restates_one_that_was_not(chain: Chain) -> None:
    early = deliver_older(chain, month_of_a_web_server(final=False), "20261103T021502Z")
    final = deliver_older(chain, month_of_a_web_server(final=True), "20261108T021502Z")
    # the shared manifest is the final one already; the copy beside the early files still is theirs
    assert chain.deliver(early[0]) == "published"
    first = chain.current()
    assert chain.deliver(final[1]) == "published"
    now = chain.current()
    assert (first["total"], first["outside_total"]) == (now["total"], now["outside_total"])
    assert (now["currency"], str(now["total"])) == ("NOK", "0.2000000000")
    assert chain.runs() == {first["run_id"]: "superseded", now["run_id"]: "provisional"}
    assert chain.deliver(early[0]) == "a newer execution is current"
    assert {key[0] for key in chain.amounts()} == {CLUSTER}


@pytest.mark.parametrize(
    ("key", "period", "odd"),
    [
        ("a/data/BILLING_PERIOD=2026-10/x", "2026-10", False),
        ("a/data/billing_period=2026-9/x", "2026-09", True),
        ("a/20261201-20270101/x", "2026-12", False),
        ("a/a/year=2026/month=9/x", "2026-09", False),
        ("a/a/year=2026/month=09/x", "2026-09", True),
    ],
)
def test_cb_05_the_period_is_in_the_key_however_it_is_spelt(
    key: str, period: str, odd: bool
) -> None:
    found = period_of(key)
    assert found
    assert (found.period, found.odd) == (period, odd)


@pytest.mark.parametrize("key", ["a/x", "a/BILLING_PERIOD=2026-13/x", "20260001-20260101/x"])
def test_a_key_without_a_period_names_none(key: str) -> None:
    assert period_of(key) is None


def test_cb_05_a_month_of_an_older_report_in_two_spellings_is_counted_once() -> None:
    files = [f"cur/x/year=2026/month={month}/x.parquet" for month in ("9", "09")]
    period = {"start": "20260901T000000.000Z", "end": "20261001T000000.000Z"}
    body = manifest(files, NAMES, "a", billingPeriod=period)
    key = "cur/x/20260901-20261001/x-Manifest.json"
    report = read_report(Delivery(bucket=REPORTS, key=key, sequencer="1F"), body)
    assert report.files == files[:1]
    assert len(report.warnings) == 2
    assert report.order.kind == "sequencer"


def test_what_is_wrong_with_an_older_manifest_is_told_by_name() -> None:
    good = {"keys": [FILE], "names": NAMES, "assembly": "20261003T021502Z"}
    assert "not in the bucket" in refused(manifest(**good, bucket="somebody-elses"))
    assert "ZIP archives" in refused(manifest(**good, compression="ZIP"))
    half = {"start": "20261001T000000.000Z", "end": "20261015T000000.000Z"}
    assert "billingPeriod is no month" in refused(manifest(**good, billingPeriod=half))
    assert "reportKeys" in refused(manifest([], NAMES, "a"))
    assert "is of 2026-10 but its key names 2026-11" in refused(
        manifest(**good), KEY.replace("20261001-20261101", "20261101-20261201")
    )
    other = FILE.replace("20261001-20261101", "20260901-20261001")
    assert "belongs to 2026-09" in refused(manifest([other], NAMES, "a"))
    fewer = [name for name in NAMES if name != "lineItem/ResourceId"]
    assert "line_item_resource_id is missing" in refused(manifest([FILE], fewer, "a"))


def test_an_older_manifest_stands_for_a_report_definition() -> None:
    read = read_manifest("m", manifest([FILE], NAMES, "a"))
    assert read.export_arn == "arn:aws:cur:us-east-1:111122223333:definition/org-hourly"
    assert (read.execution_id, read.period) == ("a", "2026-10")
    assert read.uris == [f"s3://{REPORTS}/{FILE}"]


def test_cb_11_an_export_without_split_costs_is_read_and_says_so(chain: Chain) -> None:
    rows = [nodes_for(60)]
    chain.deliver(deliver_older(chain, rows, "20261003T021502Z")[0])
    assert chain.current()["warnings"] == []
    fewer = [{k: v for k, v in row.items() if not k.startswith("split_")} for row in rows]
    chain.deliver(deliver_older(chain, fewer, "20261004T021502Z")[0])
    assert chain.current()["total"] == 60
    assert "no split cost allocation data" in chain.current()["warnings"][0]
    assert chain.refusals() == []
