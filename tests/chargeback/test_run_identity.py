"""A run is a report and its inputs: what names it, and what makes another of the same report."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import boto3
import pytest

from chargeback import summarise_files
from commons import bootstrap
from commons.adapters.chargeback_inputs import ChargebackInputs
from commons.adapters.executions import Executions
from commons.domain.chargeback_history import Ownership
from commons.domain.chargeback_inputs import Inputs, NamespaceInputs, RegisteredCluster
from commons.domain.chargeback_rules import DEFAULT, ChargebackRules
from commons.domain.chargeback_run import ReportRef, RunRef
from commons.domain.errors import RefusedInput
from commons.domain.quota_history import in_force
from commons.domain.usage import QuotaVersion
from commons.domain.usage_found import NamespaceUse, UsageFound
from tests.chargeback.chain import CLUSTER, NOW, PERIOD, REPORTS, Chain
from tests.chargeback.test_publish_chargeback import DAY, nodes_for

ALPHA = "hyperpod-ns-alpha"
TYPE = "ml.p5.48xlarge"


def quota(count: str = "8", day: int = 1) -> QuotaVersion:
    since = datetime(2026, 10, day, tzinfo=UTC)
    return QuotaVersion(
        effective_from=since, version=day, resources={TYPE: Decimal(count)}, strategy="Lend"
    )


def use(own: str = "24") -> NamespaceUse:
    return NamespaceUse(namespace=ALPHA, instance_type=TYPE, day=DAY, own=Decimal(own))


INPUTS = Inputs(
    rules=DEFAULT,
    clusters=(RegisteredCluster(arn=CLUSTER, eks_cluster="ml-shared"),),
    usage=(UsageFound(cluster=CLUSTER, uses=(use(),)),),
    namespaces=(
        NamespaceInputs(
            cluster=CLUSTER,
            namespace=ALPHA,
            quotas=(quota(),),
            owners=(Ownership(team="alpha", cost_centers=((date(2026, 1, 1), "1"),)),),
        ),
    ),
)


def changed(**values: Any) -> Inputs:
    return INPUTS.model_copy(update=values)


def of_namespace(**values: Any) -> Inputs:
    return changed(namespaces=(INPUTS.namespaces[0].model_copy(update=values),))


def ruled(**values: Any) -> Inputs:
    return changed(rules=DEFAULT.model_copy(update=values))


def test_inputs_come_back_from_json_as_they_were() -> None:
    again = Inputs.model_validate_json(INPUTS.model_dump_json())
    assert again == INPUTS
    assert again.run_id("r") == INPUTS.run_id("r")
    assert again.run_id("r") != again.run_id("another report")
    assert '"own":"24"' in INPUTS.model_dump_json()


@pytest.mark.parametrize(
    "other",
    [
        ruled(borrow_price=Decimal("0.5")),
        ruled(version="v2"),
        ruled(platform_namespaces=["kube-system"]),
        changed(clusters=()),
        changed(clusters=(RegisteredCluster(arn=CLUSTER, eks_cluster="another"),)),
        changed(usage=()),
        changed(usage=(UsageFound(cluster=CLUSTER, uses=(use("24.0000000001"),)),)),
        of_namespace(quotas=(quota("9"),)),
        of_namespace(quotas=(quota("8", 2),)),
        of_namespace(owners=(Ownership(team="alpha"),)),
        of_namespace(owners=(Ownership(team="beta"),)),
    ],
)
def test_whatever_can_change_a_figure_makes_another_run(other: Inputs) -> None:
    assert other.digest() != INPUTS.digest()


@pytest.mark.parametrize(
    "same",
    [
        ruled(valid_from="2026-01"),
        changed(usage=(UsageFound(cluster=CLUSTER, uses=(use("24.00"),), warnings=("w",)),)),
        changed(usage=(UsageFound(cluster=CLUSTER, uses=(use(), use("0"))),)),
        of_namespace(quotas=(quota("8.0"),)),
    ],
)
def test_what_changes_no_figure_makes_no_other_run(same: Inputs) -> None:
    assert same.digest() == INPUTS.digest()


def test_quotas_of_other_months_are_no_inputs_of_this_one() -> None:
    before, within, after = quota(day=1), quota(day=10), quota(day=20)
    start, end = datetime(2026, 10, 5, tzinfo=UTC), datetime(2026, 10, 15, tzinfo=UTC)
    older = before.model_copy(update={"effective_from": datetime(2026, 1, 1, tzinfo=UTC)})
    found = in_force([after, within, before, older], start, end)
    assert found == (before, within)
    assert in_force([older, before], before.effective_from, end) == (before,)
    assert in_force([after], start, after.effective_from) == ()


def use_more(chain: Chain) -> None:
    chain.used(ALPHA, DAY, own=100)


def published(chain: Chain) -> dict[str, Any]:
    chain.register()
    chain.onboard("alpha", 8)
    assert chain.deliver(chain.report([nodes_for(60)], 5)[0]) == "published"
    return chain.current()


def test_the_same_report_with_the_same_inputs_is_no_other_run(chain: Chain) -> None:
    first = published(chain)
    assert chain.again() == "this report is current with these inputs"
    assert chain.current() == first
    assert chain.runs() == {first["run_id"]: "provisional"}
    assert len(chain.events.published) == 1


def test_a_report_again_with_other_inputs_replaces_the_run_and_reads_no_cost_file(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = published(chain)
    monkeypatch.setattr(summarise_files, "handler", None)
    for key in chain.s3.list_objects_v2(Bucket=REPORTS)["Contents"]:
        chain.s3.delete_object(Bucket=REPORTS, Key=key["Key"])
    use_more(chain)
    assert chain.again() == "published"
    second = chain.current()
    assert second["report_id"] == first["report_id"]
    assert second["total"] == first["total"]
    assert chain.runs() == {first["run_id"]: "superseded", second["run_id"]: "provisional"}
    # what a run was made from stays readable
    inputs = bootstrap.chargeback_store().inputs(RunRef(period=PERIOD, run_id=first["run_id"]))
    assert inputs.usage[0].uses == ()
    assert inputs.run_id(first["report_id"]) == first["run_id"]


def test_inputs_that_come_back_bring_their_run_back(chain: Chain) -> None:
    first = published(chain)
    use_more(chain)
    chain.again()
    boto3.resource("dynamodb").Table("usage").delete_item(
        Key={"pk": f"NS#{CLUSTER}#{ALPHA}", "sk": f"DAY#{DAY.isoformat()}#{TYPE}"}
    )
    assert chain.again() == "published"
    assert chain.current()["run_id"] == first["run_id"]
    assert "expires_at" not in chain.current()
    items = boto3.resource("dynamodb").Table("chargeback").scan()["Items"]
    records = [item for item in items if item["pk"].startswith(f"RUN#{first['run_id']}")]
    assert records
    assert not [item for item in records if "expires_at" in item]


def test_a_delivery_of_a_report_that_was_made_again_does_nothing(chain: Chain) -> None:
    chain.register()
    keys = chain.report([nodes_for(60)], 5)
    chain.deliver(keys[0])
    chain.onboard("alpha", 8)
    assert chain.again() == "published"
    run = chain.current()
    assert chain.deliver(keys[1]) == "this execution was published before"
    assert chain.current() == run


def test_an_older_report_asked_for_again_does_not_replace_a_newer_one(chain: Chain) -> None:
    chain.deliver(chain.report([nodes_for(60)], 5)[0])
    old = chain.current()["report_id"]
    chain.deliver(chain.report([nodes_for(67)], 6)[0])
    assert chain.again(old) == "a newer execution is current"
    assert chain.current()["total"] == 67


def test_a_report_that_never_came_is_refused_by_name(chain: Chain) -> None:
    assert chain.again("0123456789abcdef") == "RefusedInput"
    (refusal,) = chain.refusals()
    assert refusal["name"] == "report 0123456789abcdef of 2026-10, again"
    assert "none of that id came for 2026-10" in refusal["reasons"][0]
    assert chain.runs() == {}


def taken(chain: Chain, execution: str) -> dict[str, Any]:
    report = {"period": PERIOD, "report_id": chain.current()["report_id"]}
    return {"report": report, "execution": execution} | chain.step(
        "take_inputs", report=report, execution=execution
    )


def finish(chain: Chain, names: dict[str, Any]) -> bool:
    chain.step("plan_batches", **names)
    chain.step("allocate_costs", **names)
    return bool(chain.step("publish_run", **names)["current"])


def test_ex_04_of_two_runs_of_a_report_at_once_the_later_inputs_stay(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(chain)
    slow = taken(chain, "slow")
    assert not slow["work"]
    moments = iter(datetime(2026, 11, 3, 13, n, tzinfo=UTC) for n in range(60))
    monkeypatch.setattr(bootstrap, "now", lambda: next(moments))
    use_more(chain)
    slow = taken(chain, "slow")
    chain.used(ALPHA, DAY, own=110)
    quick = taken(chain, "quick")
    assert finish(chain, quick)
    assert not finish(chain, slow)
    assert chain.current()["run_id"] == quick["run"]["run_id"]
    assert chain.runs()[slow["run"]["run_id"]] == "superseded"


@pytest.mark.parametrize(("state", "works"), [("RUNNING", False), ("ABORTED", True), (None, True)])
def test_a_run_that_is_being_made_is_not_made_twice(
    chain: Chain, monkeypatch: pytest.MonkeyPatch, state: str | None, works: bool
) -> None:
    published(chain)
    use_more(chain)
    assert taken(chain, "first")["work"]
    # a step that is tried again goes on
    assert taken(chain, "first")["work"]
    monkeypatch.setattr(Executions, "status", lambda *_: state)
    assert taken(chain, "second")["work"] is works


def test_one_of_two_copies_of_a_manifest_at_once_works(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = chain.report([nodes_for(60)], 5)
    monkeypatch.setattr(Executions, "status", lambda *_: "RUNNING")

    def read(key: str, owner: str) -> Any:
        delivery = {"bucket": REPORTS, "key": key, "etag": "", "sequencer": ""}
        return chain.step("read_manifest", delivery=delivery, execution=owner)

    first, second = read(keys[0], "a"), read(keys[1], "b")
    assert first["report"] == second["report"]
    assert [first["work"], second["work"]] == [True, False]


def fail(chain: Chain, names: dict[str, Any]) -> None:
    error = {"Error": "Throttled", "Cause": "x"}
    chain.step("record_failure", error=error, machine="m", input={"again": {}}, **names)


def test_a_failed_request_does_not_open_its_report_to_deliveries(chain: Chain) -> None:
    chain.register()
    keys = chain.report([nodes_for(60)], 5)
    chain.deliver(keys[0])
    chain.onboard("alpha", 8)
    run = taken(chain, "request")
    fail(chain, run)
    assert chain.runs()[run["run"]["run_id"]] == "failed"
    assert chain.deliver(keys[1]) == "this execution was published before"
    # the same request, made another time, may work
    assert chain.again() == "published"


def test_a_run_whose_inputs_cannot_be_taken_is_listed_and_may_be_tried_again(
    chain: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = chain.report([nodes_for(60)], 5)[0]

    def refuse(*_: Any) -> None:
        raise RefusedInput("usage", ["it is wrong"])

    with monkeypatch.context() as patched:
        patched.setattr(ChargebackInputs, "take", refuse)
        assert chain.deliver(key) == "RefusedInput"
    (listed,) = bootstrap.chargeback_table().runs()
    assert (listed["status"], listed["run_id"]) == ("refused", listed["report_id"])
    assert "it is wrong" in listed["reasons"][0]
    assert chain.deliver(key) == "published"


def test_a_file_that_was_replaced_is_summed_up_anew(chain: Chain) -> None:
    manifest = chain.report([nodes_for(10), nodes_for(20)], 5, files=2)[0]
    delivery = {"bucket": REPORTS, "key": manifest, "etag": "", "sequencer": ""}
    owner = "arn:x"
    report = chain.step("read_manifest", delivery=delivery, execution=owner)["report"]
    assert chain.step("plan_batches", report=report)["batches"] == [0]
    chain.step("summarise_files", report=report, batch=0)
    assert chain.step("plan_batches", report=report)["batches"] == []
    store, ref = bootstrap.chargeback_store(), ReportRef.model_validate(report)
    plan = store.plan(ref)
    files = [file.model_copy(update={"etag": "replaced"}) for file in plan.batches[0]]
    assert store.missing_partials(ref, plan.model_copy(update={"batches": [files]})) == [0]


def rules_of(run: dict[str, Any]) -> str:
    ref = RunRef(period=PERIOD, run_id=run["run_id"])
    return bootstrap.chargeback_store().inputs(ref).rules.version


def test_a_run_follows_the_newest_rules_that_hold_in_its_period(chain: Chain) -> None:
    first = published(chain)
    assert rules_of(first) == "default"
    for version, since in (("old", "2026-08"), ("in-force", "2026-10"), ("next", "2026-11")):
        rules = ChargebackRules(kind="ChargebackRules", version=version, valid_from=since)
        chain.teams.keep_rules(rules, f"documents/rules/{version}.yaml", "e", NOW.isoformat())
    assert chain.again() == "published"
    second = chain.current()
    assert (rules_of(second), second["report_id"]) == ("in-force", first["report_id"])
    assert chain.runs()[first["run_id"]] == "superseded"
