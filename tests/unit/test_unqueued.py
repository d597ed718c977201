"""What runs past the queue is counted once: by its Workload, or else as a task of its own."""

from decimal import Decimal
from typing import Any

import pytest

from commons.domain import unqueued
from commons.domain.kueue import Workload
from commons.domain.unqueued import Pod
from tests.unit.kueue_support import condition, pod, workload
from tests.unit.tasks_support import P5, at

ADMITTED = Workload.model_validate(workload(condition("Admitted", "10:00")))
NODES = {"machine": P5, "small": "ml.c5.4xlarge"}


def found(*pods: dict[str, Any]) -> list[str]:
    read = [Pod.model_validate(each) for each in pods]
    return [each.metadata.name for each in unqueued.find(read, [ADMITTED])]


def task(**changes: Any) -> Workload | None:
    return unqueued.as_workload(Pod.model_validate(pod(**changes)), NODES)


def owned(uid: str) -> list[dict[str, Any]]:
    return [{"apiVersion": "batch/v1", "kind": "Job", "name": "x", "uid": uid, "controller": True}]


def test_qu_07_a_pod_on_a_machine_without_any_mark_is_past_the_queue() -> None:
    assert found(pod()) == ["sneaked"]
    assert found(pod(ownerReferences=owned("nobody-queued-it"))) == ["sneaked"]


@pytest.mark.parametrize(
    "marks",
    [
        {"labels": {"kueue.x-k8s.io/queue-name": "q"}},
        {"labels": {"kueue.x-k8s.io/podset": "main"}},
        {"annotations": {"kueue.x-k8s.io/workload": "w"}},
        {"ownerReferences": owned("o-1")},  # the Job that has the Workload
        {"uid": "o-0"},  # a pod that has it itself
        {"namespace": "kube-system"},
    ],
)
def test_a_pod_that_a_workload_accounts_for_is_not(marks: dict[str, Any]) -> None:
    assert found(pod(**marks)) == []


def test_a_pod_that_waits_for_a_machine_holds_nothing() -> None:
    waiting = pod()
    waiting["spec"]["nodeName"] = ""
    assert found(waiting) == []


def test_it_is_a_task_of_one_pod_since_it_was_put_on_its_machine() -> None:
    counted = task()
    assert counted is not None
    assert counted.since("Admitted") == at("10:00")
    assert counted.devices() == {P5: Decimal(8)}
    assert (counted.pods, counted.owner.kind, counted.owner.name) == (1, "Pod", "sneaked")
    assert counted.condition("Finished") is None


def test_its_owner_is_the_one_that_made_it() -> None:
    counted = task(ownerReferences=owned("nobody-queued-it"))
    assert counted is not None
    assert counted.owner.uid == "nobody-queued-it"


def test_its_end_is_that_of_its_last_container() -> None:
    counted = task(phase="Succeeded")
    assert counted is not None
    assert counted.since("Finished") == at("12:00")


def test_an_end_that_nobody_dated_is_one_that_nobody_saw() -> None:
    ended = pod(phase="Failed")
    assert found(ended) == []


def test_a_pod_without_accelerators_on_a_machine_that_has_some_holds_none_of_them() -> None:
    assert task(gpus="0") is None


def test_on_a_machine_without_accelerators_the_vcpus_count() -> None:
    small = pod()
    small["spec"]["nodeName"] = "small"
    counted = unqueued.as_workload(Pod.model_validate(small), NODES)
    assert counted is not None
    assert counted.devices() == {"ml.c5.4xlarge": Decimal(8)}


def test_a_machine_that_is_unknown_hides_nothing() -> None:
    counted = unqueued.as_workload(Pod.model_validate(pod()), {})
    assert counted is not None
    assert counted.devices() == {"unknown": Decimal(8)}


def test_an_initial_container_counts_where_it_asks_for_more_and_a_sidecar_always() -> None:
    many = pod()
    asks = {"resources": {"requests": {"nvidia.com/gpu": "9"}}}
    sidecar = {"restartPolicy": "Always", "resources": {"requests": {"nvidia.com/gpu": "2"}}}
    many["spec"]["initContainers"] = [sidecar]
    assert Pod.model_validate(many).requests()["nvidia.com/gpu"] == 10
    many["spec"]["initContainers"] = [asks]
    assert Pod.model_validate(many).requests()["nvidia.com/gpu"] == 9
