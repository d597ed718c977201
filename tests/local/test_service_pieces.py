"""Small pieces of the local services that a request alone does not show."""

import threading
from datetime import UTC, datetime

import pytest
from botocore.session import get_session

from local.services import clock, quota_objects, validation
from local.services.errors import Refused
from local.services.later import Steps
from local.services.paging import page
from local.services.quota_resources import filled


def shape(service: str, operation: str) -> object:
    return get_session().get_service_model(service).operation_model(operation).input_shape


def test_steps_run_in_order_and_one_that_fails_does_not_end_the_rest() -> None:
    steps, done, ran = Steps(0.01), threading.Event(), []

    def fail() -> None:
        ran.append("first")
        raise ValueError("on purpose")

    steps.after("third", done.set, delays=3)
    steps.after("second", lambda: ran.append("second"), delays=2)
    steps.after("first", fail)
    assert steps.waiting() == ["first", "second", "third"]
    assert done.wait(5)
    assert ran == ["first", "second"]


def test_a_step_is_waited_for_until_it_has_ended() -> None:
    steps, go, begun = Steps(0), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go.wait(5)

    steps.after("slow", work)
    assert begun.wait(5)
    assert steps.waiting() == ["slow"]
    go.set()
    while steps.waiting():
        pass


def test_every_fault_of_a_request_is_named_with_its_path() -> None:
    told = validation.fault(
        shape("sagemaker", "CreateComputeQuota"),
        {
            "Name": "-wrong",
            "ClusterArn": "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56",
            "ComputeQuotaConfig": {
                "ComputeQuotaResources": [{"InstanceType": "ml.p5.48xlarge", "Count": -1}],
                "PreemptTeamTasks": "Always",
            },
            "ComputeQuotaTarget": {"FairShareWeight": 101},
        },
    )
    assert told is not None
    assert told.startswith("5 validation errors detected: ")
    for part in (
        "Value '-wrong' at 'name' failed to satisfy constraint: Member must satisfy regular",
        "'computeQuotaConfig.computeQuotaResources.1.member.count' failed to satisfy constraint: "
        "Member must have value greater than or equal to 0",
        "'computeQuotaConfig.preemptTeamTasks' failed to satisfy constraint: Member must satisfy",
        "'computeQuotaTarget.teamName' failed to satisfy constraint: Member must not be null",
        "'computeQuotaTarget.fairShareWeight' failed to satisfy constraint: Member must have value "
        "less than or equal to 100",
    ):
        assert part in told


def test_a_request_that_is_right_has_no_fault() -> None:
    wanted = {"IdentityStoreId": "d-9067a1b2c3", "DisplayName": "gpu-vision"}
    assert validation.fault(shape("identitystore", "CreateGroup"), wanted) is None
    assert validation.fault(None, {}) is None


def test_pages_go_down_as_well_as_up() -> None:
    items = ["a", "b", "c", "d", "e"]

    def walk(descending: bool) -> list[list[str]]:
        pages, params = [], {"MaxResults": 2}
        while True:
            chosen, token = page(items, params, lambda item: [item], descending=descending)
            pages.append(chosen)
            if token is None:
                return pages
            params["NextToken"] = token

    assert walk(False) == [["a", "b"], ["c", "d"], ["e"]]
    assert walk(True) == [["e", "d"], ["c", "b"], ["a"]]


def test_the_calendar_stands_until_it_is_let_go() -> None:
    moment = datetime(2026, 10, 1, 8, tzinfo=UTC)
    clock.stop_at(moment)
    try:
        assert clock.now() == moment
        assert clock.stopped()
    finally:
        clock.stop_at(None)
    assert not clock.stopped()
    assert clock.now() > moment


def test_a_partition_is_counted_in_slices_and_under_its_own_name() -> None:
    entry = filled(
        {
            "InstanceType": "ml.p5.48xlarge",
            "AcceleratorPartition": {"Type": "mig-1g.10gb", "Count": 7},
        }
    )
    assert (entry["Accelerators"], entry["VCpu"], entry["MemoryInGiB"]) == (0, 24.0, 256.0)
    queue = quota_objects.cluster_queue(quota([entry]))
    [group] = queue["spec"]["resourceGroups"]
    amounts = {r["name"]: r["nominalQuota"] for r in group["flavors"][0]["resources"]}
    assert amounts["nvidia.com/mig-1g.10gb"] == "7"
    assert amounts["nvidia.com/gpu"] == "0"


def test_neuron_devices_and_odd_amounts_are_written_as_kubernetes_does() -> None:
    entries = [
        filled({"InstanceType": "ml.trn1.32xlarge", "Count": 1}),
        filled({"InstanceType": "ml.c5.4xlarge", "VCpu": 0.5}),
    ]
    [group] = quota_objects.cluster_queue(quota(entries))["spec"]["resourceGroups"]
    amounts = {
        flavor["name"]: {r["name"]: r["nominalQuota"] for r in flavor["resources"]}
        for flavor in group["flavors"]
    }
    assert amounts["ml.trn1.32xlarge"]["aws.amazon.com/neurondevice"] == "16"
    assert amounts["ml.c5.4xlarge"]["cpu"] == "500m"
    assert amounts["ml.c5.4xlarge"]["memory"] == "1Gi"
    half = [filled({"InstanceType": "ml.c5.4xlarge", "MemoryInGiB": 0.5})]
    [group] = quota_objects.cluster_queue(quota(half))["spec"]["resourceGroups"]
    memory = {r["name"]: r["nominalQuota"] for r in group["flavors"][0]["resources"]}["memory"]
    assert memory == "512Mi"


def test_whole_devices_only_are_borrowed() -> None:
    entry = filled({"InstanceType": "ml.p5.48xlarge", "Accelerators": 3})
    [group] = quota_objects.cluster_queue(quota([entry]))["spec"]["resourceGroups"]
    limits = {r["name"]: r["borrowingLimit"] for r in group["flavors"][0]["resources"]}
    assert limits == {"cpu": "36", "memory": "384Gi", "nvidia.com/gpu": "1"}


def test_a_quota_without_resources_has_a_queue_without_groups() -> None:
    assert quota_objects.cluster_queue(quota([]))["spec"]["resourceGroups"] == []
    kinds = [document["kind"] for document in quota_objects.objects(quota([]))]
    assert kinds == ["Namespace", "ClusterQueue", "LocalQueue"]


def test_a_type_without_figures_is_refused_by_name() -> None:
    with pytest.raises(Refused, match=r"ml\.invented\.large"):
        filled({"InstanceType": "ml.invented.large", "Count": 1})


def quota(entries: list[dict[str, object]]) -> dict[str, object]:
    return {
        "ComputeQuotaConfig": {
            "ComputeQuotaResources": entries,
            "ResourceSharingConfig": {"Strategy": "LendAndBorrow", "BorrowLimit": 50},
            "PreemptTeamTasks": "Never",
        },
        "ComputeQuotaTarget": {"TeamName": "vision", "FairShareWeight": 0},
        "ActivationState": "Enabled",
    }


def test_a_last_page_that_is_just_full_has_no_token() -> None:
    chosen, token = page(["a", "b"], {"MaxResults": 2}, lambda item: [item])
    assert (chosen, token) == (["a", "b"], None)
    many = [f"{number:03}" for number in range(101)]
    assert len(page(many, {}, lambda item: [item])[0]) == 100


def test_bounds_of_a_request_are_part_of_what_is_allowed() -> None:
    wanted = shape("sso-admin", "CreatePermissionSet")
    instance = "arn:aws:sso:::instance/ssoins-7907a1b2c3d4e5f6"

    def told(name: str) -> str | None:
        return validation.fault(wanted, {"InstanceArn": instance, "Name": name})

    assert told("n") is None
    assert told("n" * 32) is None
    for wrong in ("", "n" * 33):
        assert "Member must have length" in str(told(wrong))


def test_a_time_is_between_bounds_that_are_not_met_themselves() -> None:
    at, zoneless = datetime(2026, 10, 1, 8, tzinfo=UTC), datetime(2026, 10, 1, 8)  # noqa: DTZ001 - as moto parses it
    earlier, later = datetime(2026, 10, 1, 7, tzinfo=UTC), datetime(2026, 10, 1, 9, tzinfo=UTC)
    assert clock.between(at, None, None)
    assert clock.between(at, earlier, later)
    assert not clock.between(at, zoneless, None)
    assert not clock.between(at, None, zoneless)
    assert not clock.between(at, later, None)
    assert not clock.between(at, None, earlier)


def test_memory_alone_decides_over_the_vcpus() -> None:
    entry = filled({"InstanceType": "ml.c5.4xlarge", "MemoryInGiB": 8})
    assert (entry["Accelerators"], entry["VCpu"], entry["MemoryInGiB"]) == (0, 4.0, 8)
    nothing = filled({"InstanceType": "ml.p5.48xlarge"})
    assert (nothing["Accelerators"], nothing["VCpu"], nothing["MemoryInGiB"]) == (0, 0.0, 0.0)


def test_a_team_that_does_not_lend_keeps_all_and_takes_none() -> None:
    entry = filled({"InstanceType": "ml.p5.48xlarge", "Accelerators": 8})
    for strategy, lending in (("Lend", None), ("DontLend", "0")):
        alone = quota([entry])
        alone["ComputeQuotaConfig"]["ResourceSharingConfig"] = {"Strategy": strategy}
        [group] = quota_objects.cluster_queue(alone)["spec"]["resourceGroups"]
        gpus = group["flavors"][0]["resources"][2]
        assert (gpus["borrowingLimit"], gpus.get("lendingLimit")) == ("0", lending)
