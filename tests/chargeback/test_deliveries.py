"""What is delivered, in whatever order and however often; what is refused, and what stays."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import duckdb
import pytest

from commons import bootstrap
from commons.adapters.executions import Executions
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_run import ReportRef
from local.cost_report import manifest_of
from local.cost_rows import COLUMNS
from tests.chargeback.chain import MACHINE, PERIOD, REPORTS, Chain, execution
from tests.chargeback.test_publish_chargeback import nodes_for


def put_manifest(chain: Chain, key: str, files: list[str], number: int = 5, **more: Any) -> str:
    body = manifest_of(REPORTS, files, execution(number), more.get("columns", COLUMNS))
    chain.s3.put_object(Bucket=REPORTS, Key=key, Body=body)
    return key


def listed_files(chain: Chain, manifest: str) -> list[str]:
    body = chain.s3.get_object(Bucket=REPORTS, Key=manifest)["Body"].read()
    return [uri.removeprefix(f"s3://{REPORTS}/") for uri in json.loads(body)["dataFiles"]]


def test_cb_03_nothing_becomes_current_before_every_listed_file_is_there(chain: Chain) -> None:
    manifest = chain.report([nodes_for(n) for n in (10, 20, 30)], 5)[0]
    *_, last = listed_files(chain, manifest)
    body = chain.s3.get_object(Bucket=REPORTS, Key=last)["Body"].read()
    chain.s3.delete_object(Bucket=REPORTS, Key=last)
    assert chain.deliver(manifest) == "StillConverging"
    assert chain.current() == {}
    assert last in chain.refusals()[0]["reasons"][0]
    assert list(chain.runs().values()) == ["refused"]

    chain.s3.put_object(Bucket=REPORTS, Key=last, Body=body)
    assert [chain.deliver(manifest), chain.deliver(manifest)] == [
        "published",
        "this execution was published before",
    ]
    assert chain.current()["total"] == 60


def test_cb_05_a_period_in_two_spellings_is_counted_once_and_the_odd_one_reported(
    chain: Chain,
) -> None:
    files = listed_files(chain, chain.report([nodes_for(n) for n in (10, 20)], 5, files=2)[0])
    odd = [key.replace("2026-10/2026", "2026-010/2026") for key in files]
    assert chain.deliver(put_manifest(chain, "m/BILLING_PERIOD=2026-010/Manifest.json", odd)) == (
        "RefusedInput"
    )
    both = [*files, files[0].replace("=2026-10/", "=2026-10/").replace("BILLING", "billing")]
    key = put_manifest(chain, "m/metadata/billing_period=2026-10/x-Manifest.json", both)
    assert chain.deliver(key) == "published"
    assert chain.current()["total"] == 30
    assert "two spellings" in chain.current()["warnings"][0]


def test_cb_05_a_month_without_its_zero_is_that_month(chain: Chain) -> None:
    files = listed_files(chain, chain.report([nodes_for(10)], 5, files=1)[0])
    renamed = files[0].replace("2026-10", "2026-9", 1)
    odd = chain.s3.get_object(Bucket=REPORTS, Key=files[0])["Body"].read()
    chain.s3.put_object(Bucket=REPORTS, Key=renamed, Body=odd)
    key = put_manifest(chain, "m/metadata/BILLING_PERIOD=2026-9/x-Manifest.json", [renamed])
    # its lines are of October: the month is told by the key, and they do not belong to it
    assert chain.deliver(key) == "RefusedInput"
    (refusal,) = chain.refusals()
    assert "is dated 2026-10-02, the period is 2026-09" in refusal["reasons"][0]


def test_cb_08_credits_refunds_tax_and_support_are_records_of_their_own(chain: Chain) -> None:
    refund = {"line_item_line_item_type": "Refund", "resource_tags": {"aws:eks:namespace": "b"}}
    rows = [
        nodes_for(40, resource_tags={"aws_eks_namespace": "a"}),
        nodes_for(60, resource_tags={"aws_eks_namespace": "b"}),
        nodes_for(-50, "", line_item_line_item_type="Credit"),
        nodes_for(-5, "", **refund),
        nodes_for(9.5, "", line_item_line_item_type="Tax"),
        {**nodes_for(10, ""), "line_item_product_code": "AWSSupportBusiness"},
    ]
    undated = nodes_for(0, "", line_item_line_item_type="Credit")
    rows.append(undated | {"line_item_usage_start_date": None, "line_item_usage_end_date": None})
    assert chain.deliver(chain.report(rows, 5)[0]) == "published"
    named = {key[1:]: amount for key, amount in chain.amounts().items()}
    assert named == {
        ("a", "unassigned"): 40,
        ("b", "unassigned"): 60,
        ("b", "refund"): -5,
        ("__unallocated__", "credit"): -50,
        ("__unallocated__", "tax"): Decimal("9.5"),
        ("__unallocated__", "support"): 10,
    }
    assert chain.current()["total"] == Decimal("64.50")


def test_cb_09_what_cannot_be_attributed_is_shown_and_charged_to_no_team(chain: Chain) -> None:
    chain.register()
    chain.onboard("alpha", namespace="known")
    tags: list[Any] = [
        None,
        {},
        {"aws_eks_namespace": ""},
        {"aws_eks_namespace": "__no_namespace__"},
    ]
    tags += [{"aws_eks_namespace": "never-onboarded"}, {"aws_eks_namespace": "known"}]
    rows = [nodes_for(1, resource_tags=each) for each in tags]
    chain.deliver(chain.report(rows, 5)[0])
    records = bootstrap.chargeback_table().records(chain.current()["run_id"])
    by_team = {(r.key.namespace, r.key.team): r.amount for r in records}
    assert by_team == {
        ("__platform__", None): 4,
        ("never-onboarded", None): 1,
        ("known", "alpha"): 1,
    }
    assert chain.current()["total"] == chain.current()["report_total"] == 6


def test_cb_10_a_tag_that_a_tenant_sets_moves_no_money(chain: Chain) -> None:
    chain.register()
    chain.onboard("alpha", namespace="train")
    spellings = [{"aws_eks_namespace": "train"}, {"aws:eks:namespace": "train"}]
    forged = {"user_namespace": "train", "user_aws:eks:namespace": "train"}
    rows = [nodes_for(2, resource_tags=each) for each in spellings]
    chain.deliver(chain.report([*rows, nodes_for(7, resource_tags=forged)], 5)[0])
    named = {key[1:]: amount for key, amount in chain.amounts().items()}
    assert named == {("train", "direct"): 4, ("__platform__", "unassigned"): 7}


def test_op_02_keys_with_equals_space_plus_and_percent_are_taken_as_they_are(chain: Chain) -> None:
    (first,) = listed_files(chain, chain.report([nodes_for(10)], 5, files=1)[0])
    body = chain.s3.get_object(Bucket=REPORTS, Key=first)["Body"].read()
    folder = "cur/my export+1%3D/data/BILLING_PERIOD=2026-10/"
    for name in ("my report+1.parquet", "my report 1.parquet"):
        chain.s3.put_object(Bucket=REPORTS, Key=folder + name, Body=body)
    # a key decoded twice would find the decoy, or nothing
    key = "cur/my export+1%3D/metadata/BILLING_PERIOD=2026-10/my export+1-Manifest.json"
    put_manifest(chain, key, [f"{folder}my report+1.parquet"])
    assert chain.deliver(key) == "published"
    report = ReportRef(period=PERIOD, report_id=chain.current()["report_id"])
    planned = bootstrap.chargeback_store().plan(report)
    assert planned.batches[0][0].key == f"{folder}my report+1.parquet"


def test_op_03_ten_thousand_files_and_long_names_fit_a_payload(chain: Chain) -> None:
    long = "n" * 200
    rows = [nodes_for(1, resource_tags={"aws_eks_namespace": f"{long}{n}"}) for n in range(60)]
    manifest = chain.report(rows, 5, files=60)[0]
    owner = f"{MACHINE}:x"
    delivery = {"bucket": REPORTS, "key": manifest, "etag": "", "sequencer": ""}
    read = chain.step("read_manifest", delivery=delivery, execution=owner)
    report = read["report"]
    run = chain.step("take_inputs", report=report, execution=owner)["run"]
    planned = chain.step("plan_batches", report=report)
    answers = [chain.step("summarise_files", report=report, batch=n) for n in planned["batches"]]
    answers.append(chain.step("allocate_costs", report=report, run=run))
    answers.append(chain.step("publish_run", report=report, run=run, execution=owner))
    assert planned["batches"] == [0, 1]
    assert all(len(json.dumps(each)) < 100 for each in [planned, *answers])
    # indexes of ten thousand batches, if ever a file needed a batch of its own
    assert len(json.dumps({"batches": list(range(10_000))})) < 256 * 1024 // 4


def test_op_12_an_old_event_after_the_newer_one_changes_nothing(chain: Chain) -> None:
    def overwritten(amount: int, number: int) -> str:
        source = listed_files(chain, chain.report([nodes_for(amount)], number, files=1)[0])[0]
        body = chain.s3.get_object(Bucket=REPORTS, Key=source)["Body"].read()
        key = "o/data/BILLING_PERIOD=2026-10/o-00001.snappy.parquet"
        chain.s3.put_object(Bucket=REPORTS, Key=key, Body=body)
        shared = "o/metadata/BILLING_PERIOD=2026-10/o-Manifest.json"
        return put_manifest(chain, shared, [key], number)

    # the shorter sequencer is the older one, although it is the larger as text
    assert chain.deliver(overwritten(22, 6), sequencer="0100000000000000") == "published"
    assert chain.deliver(overwritten(11, 5), sequencer="FF") == "a newer execution is current"
    assert chain.current()["total"] == 22


def test_an_older_execution_that_comes_late_changes_nothing(chain: Chain) -> None:
    old = chain.report([nodes_for(60)], 5)
    new = chain.report([nodes_for(67)], 6)
    assert chain.deliver(new[0]) == "published"
    assert chain.deliver(old[0]) == "a newer execution is current"
    assert chain.deliver(new[1]) == "this execution was published before"
    assert chain.current()["total"] == 67
    assert len(chain.runs()) == 1


def test_a_file_in_another_bucket_or_period_refuses_the_manifest_by_name(chain: Chain) -> None:
    key = "m/metadata/BILLING_PERIOD=2026-10/x-Manifest.json"
    body = json.loads(manifest_of(REPORTS, ["d/BILLING_PERIOD=2026-09/a.parquet"], execution(5)))
    body["dataFiles"].append("s3://somebody-elses/d/BILLING_PERIOD=2026-10/b.parquet")
    chain.s3.put_object(Bucket=REPORTS, Key=key, Body=json.dumps(body).encode())
    assert chain.deliver(key) == "RefusedInput"
    (reason,) = chain.refusals()[0]["reasons"]
    assert "belongs to 2026-09" in reason
    assert "somebody-elses" in reason
    assert chain.refusals()[0]["source"]["machine_arn"] == MACHINE
    assert key in chain.refusals()[0]["source"]["input"]


@pytest.mark.parametrize(
    "body", [b"no json", b"[]", b"{}", b'{"executionId": "x", "exportArn": "y", "dataFiles": []}']
)
def test_what_is_no_manifest_is_refused_by_name(chain: Chain, body: bytes) -> None:
    key = "m/metadata/BILLING_PERIOD=2026-10/x-Manifest.json"
    chain.s3.put_object(Bucket=REPORTS, Key=key, Body=body)
    assert chain.deliver(key) == "RefusedInput"
    assert chain.refusals()[0]["name"] == f"s3://{REPORTS}/{key}"
    assert chain.runs() == {}


def test_cb_11_a_report_without_a_required_column_is_refused_and_the_former_run_stays(
    chain: Chain,
) -> None:
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    former = chain.current()
    files = listed_files(chain, chain.report([nodes_for(67)], 6)[0])
    fewer = [name for name in COLUMNS if name != "line_item_resource_id"]
    key = "m/metadata/BILLING_PERIOD=2026-10/x-Manifest.json"
    put_manifest(chain, key, files, 6, columns=fewer)
    assert chain.deliver(key) == "RefusedInput"
    assert "column line_item_resource_id is missing" in chain.refusals()[0]["reasons"][0]
    assert chain.current() == former


def test_a_first_attempt_that_was_stopped_is_taken_over_one_that_runs_is_not(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = chain.report([nodes_for(60)], 5)[0]
    delivery = {"bucket": REPORTS, "key": manifest, "etag": "", "sequencer": ""}
    chain.step("read_manifest", delivery=delivery, execution=f"{MACHINE}:stopped")
    monkeypatch.setattr(Executions, "status", lambda *_: "RUNNING")
    assert "being worked on" in chain.deliver(manifest)
    monkeypatch.setattr(Executions, "status", lambda *_: "ABORTED")
    assert chain.deliver(manifest) == "published"


def test_a_file_replaced_after_its_manifest_was_read_is_refused(chain: Chain) -> None:
    manifest = chain.report([nodes_for(60)], 5, files=1)[0]
    delivery = {"bucket": REPORTS, "key": manifest, "etag": "", "sequencer": ""}
    report = chain.step("read_manifest", delivery=delivery, execution="arn:x")["report"]
    chain.step("plan_batches", report=report)
    (key,) = listed_files(chain, manifest)
    chain.s3.put_object(Bucket=REPORTS, Key=key, Body=b"replaced")
    with pytest.raises(Exception, match="it was replaced or removed"):
        chain.step("summarise_files", report=report, batch=0)


def test_publishing_again_after_a_crash_ends_the_same(chain: Chain) -> None:
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    old = chain.current()["run_id"]
    chain.deliver(chain.report([nodes_for(67)], 6)[0])
    before = boto3.resource("dynamodb").Table("chargeback").scan()["Items"]
    run = {"period": PERIOD, "run_id": chain.current()["run_id"]}
    report = {"period": PERIOD, "report_id": chain.current()["report_id"]}
    chain.step("allocate_costs", report=report, run=run)
    chain.step("publish_run", report=report, run=run, execution="arn:x")
    after = boto3.resource("dynamodb").Table("chargeback").scan()["Items"]
    key = lambda item: (item["pk"], item["sk"])  # noqa: E731 - a sort key
    assert sorted(after, key=key) == sorted(before, key=key)
    assert chain.runs()[old] == "superseded"


def test_a_superseded_run_goes_after_ninety_days_with_all_its_records(chain: Chain) -> None:
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    old = chain.current()["run_id"]
    chain.deliver(chain.report([nodes_for(67)], 6)[0])
    items = boto3.resource("dynamodb").Table("chargeback").scan()["Items"]
    of_old = [item for item in items if item.get("run_id") == old]
    assert len(of_old) == 3
    # epoch seconds of 1 February 2027, 12:00 UTC
    assert {int(item["expires_at"]) for item in of_old} == {1801483200}


def test_every_field_of_a_line_is_in_the_files(chain: Chain, tmp_path: Path) -> None:
    chain.register()
    chain.onboard("alpha", 8)
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    pages = chain.s3.list_objects_v2(Bucket="acme-chargeback", Prefix="lines/")["Contents"]
    (key,) = [each["Key"] for each in pages]
    run = chain.current()["run_id"]
    assert key.startswith(f"lines/period=2026-10/run_id={run}/cluster_id=ab12cd34ef56/")
    body = chain.s3.get_object(Bucket="acme-chargeback", Key=key)["Body"].read()
    (tmp_path / "line.parquet").write_bytes(body)
    described = duckdb.sql(f"DESCRIBE FROM '{tmp_path}/line.parquet'").fetchall()
    kinds = {name: kind for name, kind, *_ in described}
    fields = set(ChargebackLine.__dataclass_fields__) - {"own", "borrowed"} | {"device_hours"}
    assert set(kinds) >= fields
    assert kinds["amount"] == "DECIMAL(38,10)"
