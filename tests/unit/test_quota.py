"""Compute quotas: what is asked of SageMaker, what is compared, what is waited for."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import boto3
import pytest
from botocore.validate import ParamValidator

from commons.domain.capacity import capacity, growing, overcommitted
from commons.domain.documents import NamespaceSpec, QuotaSpec
from commons.domain.errors import ProvisioningFailed, StillConverging
from commons.domain.quota import (
    Quota,
    create_request,
    differences,
    must_be_updated,
    record_of,
    update_request,
    version_of,
    wanted_devices,
)

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
P5, C5 = "ml.p5.48xlarge", "ml.c5.4xlarge"
BEGIN = datetime(2026, 11, 2, tzinfo=UTC)
LATER = datetime(2026, 11, 3, tzinfo=UTC)


def spec(*rows: dict[str, Any], **more: Any) -> QuotaSpec:
    return QuotaSpec.model_validate({"resources": list(rows), **more})


def quota(*rows: dict[str, Any], **more: Any) -> Quota:
    values = {
        "id": "abcdefghij12",
        "name": "commons-ab12cd34ef56-alpha",
        "team_name": "alpha",
        "version": 3,
        "status": "Created",
        "rows": list(rows),
        "strategy": "LendAndBorrow",
        "preempt_team_tasks": "LowerPriority",
        "created_at": BEGIN,
        "modified_at": LATER,
        **more,
    }
    return Quota.model_validate(values)


FOUR = {"instance_type": P5, "accelerators": 4}
FILLED = {"InstanceType": P5, "Accelerators": 4, "VCpu": 96.0, "MemoryInGiB": 1024.0}


@pytest.mark.parametrize(
    "resources",
    [
        [],
        [FOUR],
        [{"instance_type": P5, "count": 2}, {"instance_type": C5, "vcpu": 8.5}],
        [{"instance_type": C5, "memory_gib": 16.0}],
    ],
)
@pytest.mark.parametrize(
    "sharing",
    [{"strategy": "Lend"}, {"strategy": "DontLend"}, {"borrow_limit": 50}],
)
def test_requests_are_what_the_model_of_the_service_takes(
    resources: list[dict[str, Any]], sharing: dict[str, Any]
) -> None:
    wanted = NamespaceSpec.model_validate(
        {"cluster": CLUSTER, "quota": {"resources": resources, "sharing": sharing}}
    )
    model = boto3.client("sagemaker", region_name="us-west-2").meta.service_model
    requests = {
        "CreateComputeQuota": create_request("alpha", wanted),
        "UpdateComputeQuota": update_request("alpha", wanted, quota(FILLED)),
    }

    for operation, request in requests.items():
        shape = model.operation_model(operation).input_shape
        report = ParamValidator().validate(request, shape)
        assert not report.has_errors(), report.generate_report()


def test_a_request_says_what_the_document_says() -> None:
    document = {
        "cluster": CLUSTER,
        "project": "x",
        "quota": {
            "resources": [FOUR],
            "sharing": {"borrow_limit": 50},
            "fair_share_weight": 30,
            "preempt_team_tasks": "Never",
        },
    }
    request = create_request("alpha", NamespaceSpec.model_validate(document))

    assert request["Name"] == "commons-ab12cd34ef56-alpha-x"
    assert request["ComputeQuotaTarget"] == {"TeamName": "alpha-x", "FairShareWeight": 30}
    assert request["ComputeQuotaConfig"] == {
        "ComputeQuotaResources": [{"InstanceType": P5, "Accelerators": 4}],
        "ResourceSharingConfig": {"Strategy": "LendAndBorrow", "BorrowLimit": 50},
        "PreemptTeamTasks": "Never",
    }


def test_an_update_names_the_version_it_was_planned_on() -> None:
    wanted = NamespaceSpec.model_validate({"cluster": CLUSTER})

    assert update_request("alpha", wanted, quota())["TargetVersion"] == 3


def test_what_the_service_filled_in_is_no_difference() -> None:
    assert differences(spec(FOUR), quota(FILLED, borrow_limit=50)) == []


@pytest.mark.parametrize(
    ("wanted", "found", "difference"),
    [
        (spec(FOUR), quota(), "resources"),
        (spec(), quota(FILLED), "resources"),
        (spec({**FOUR, "accelerators": 8}), quota(FILLED), "resources"),
        (spec({"instance_type": P5, "count": 1}), quota(FILLED), "resources"),
        (spec(FOUR), quota(FILLED, FILLED), "resources"),
        (spec(FOUR), quota(FILLED, strategy="Lend"), "sharing strategy"),
        (spec(FOUR, sharing={"borrow_limit": 10}), quota(FILLED, borrow_limit=50), "borrow limit"),
        (spec(FOUR, preempt_team_tasks="Never"), quota(FILLED), "preemption"),
        (spec(FOUR, fair_share_weight=1), quota(FILLED), "fair share weight"),
        (spec(FOUR), quota(FILLED, activation="Disabled"), "activation"),
    ],
)
def test_what_the_document_says_is_compared(
    wanted: QuotaSpec, found: Quota, difference: str
) -> None:
    assert differences(wanted, found) == [difference]


@pytest.mark.parametrize("status", ["Creating", "Updating", "Deleting"])
def test_what_is_under_way_is_waited_for(status: str) -> None:
    with pytest.raises(StillConverging, match=status):
        must_be_updated(spec(FOUR), quota(FILLED, status=status))


@pytest.mark.parametrize(
    "status",
    [
        "CreateFailed",
        "CreateRollbackFailed",
        "UpdateRollbackFailed",
        "DeleteFailed",
        "DeleteRollbackFailed",
    ],
)
def test_what_only_deleting_would_mend_is_left_to_a_person(status: str) -> None:
    with pytest.raises(ProvisioningFailed, match=rf"abcdefghij12.*{status}: no nodes.*data"):
        must_be_updated(spec(FOUR), quota(FILLED, status=status, reason="no nodes"))


@pytest.mark.parametrize("status", ["Created", "Updated"])
def test_what_is_as_it_should_be_is_left_alone(status: str) -> None:
    assert must_be_updated(spec(FOUR), quota(FILLED, status=status)) == []


def test_an_update_that_failed_is_tried_again() -> None:
    found = must_be_updated(spec(FOUR), quota(FILLED, status="UpdateFailed", reason="busy"))

    assert found == ["last update failed: busy"]


def test_a_version_counts_from_its_own_time() -> None:
    assert version_of(quota(FILLED, version=1)).effective_from == BEGIN
    assert version_of(quota(FILLED, version=2)).effective_from == LATER
    assert version_of(quota(FILLED, version=2, modified_at=None)).effective_from == BEGIN


def test_a_version_is_in_devices() -> None:
    cpu = {"InstanceType": C5, "VCpu": 8.0, "MemoryInGiB": 16.0, "Accelerators": 0}
    unknown = {"InstanceType": "ml.new.48xlarge", "Count": 2}
    found = version_of(quota(FILLED, cpu, unknown))

    assert found.resources == {P5: Decimal(4), C5: Decimal(8)}
    assert (found.version, found.strategy) == (3, "LendAndBorrow")


def test_what_is_remembered_is_in_the_terms_of_documents() -> None:
    record = record_of(quota(FILLED))

    assert (record.id, record.version) == ("abcdefghij12", 3)
    assert record.resources == [
        {"instance_type": P5, "accelerators": 4, "vcpu": 96.0, "memory_gib": 1024.0}
    ]


def test_capacity_counts_the_nodes_that_are_to_be() -> None:
    assert capacity({P5: 2, C5: 1, "ml.new.48xlarge": 3}) == {P5: Decimal(16), C5: Decimal(16)}


def eight(identity: str) -> Quota:
    return quota({**FILLED, "Accelerators": 8}, id=identity)


@pytest.mark.parametrize(
    ("accelerators", "own", "others", "fault"),
    [
        (8, None, [eight("a")], False),  # exactly full
        (9, None, [eight("a")], True),
        (8, eight("b"), [eight("a"), eight("b")], False),  # the own one counts once
        (9, eight("b"), [eight("a"), eight("b")], True),
        (16, eight("b"), [eight("b")], False),
    ],
)
def test_quotas_together_must_fit(
    accelerators: int, own: Quota | None, others: list[Quota], fault: bool
) -> None:
    wanted = wanted_devices(spec({"instance_type": P5, "accelerators": accelerators}))

    assert bool(overcommitted(wanted, own, others, {P5: 2})) is fault


@pytest.mark.parametrize(("accelerators", "more"), [(7, False), (8, False), (9, True)])
def test_a_quota_grows_when_it_takes_more_of_a_type(accelerators: int, more: bool) -> None:
    wanted = wanted_devices(spec({"instance_type": P5, "accelerators": accelerators}))

    assert growing(wanted, eight("b")) == ({P5} if more else set())
    assert growing(wanted, None) == {P5}


def test_over_commitment_says_how_much() -> None:
    wanted = wanted_devices(spec({"instance_type": P5, "count": 3}))

    assert overcommitted(wanted, None, [], {P5: 2}) == {P5: f"{P5}: 24 of 16 devices are promised"}
    assert overcommitted(wanted, None, [], {}) == {P5: f"{P5}: 24 of 0 devices are promised"}
