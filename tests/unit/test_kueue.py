"""Both API versions of Kueue say the same; what a queue has as its own is what it says."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from commons.domain.kueue import Workload
from commons.domain.queues import ClusterQueue, LocalQueue, ceilings_by_namespace
from tests.unit.kueue_support import cluster_queue, condition, local_queue, workload
from tests.unit.tasks_support import NAMESPACE, P5, at


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_a_workload_of_either_version_reads_the_same(version: str) -> None:
    raw = workload(condition("Admitted", "10:00"), version=version)
    found = Workload.model_validate(raw)
    assert (found.priority_class, found.owner.kind, found.pods) == ("training-priority", "Job", 2)
    assert found.devices() == {P5: Decimal(16)}
    assert found.since("Admitted") == at("10:00")
    assert found.since("Finished") is None


def test_a_condition_that_is_false_is_not_since() -> None:
    found = Workload.model_validate(workload(condition("Admitted", "10:00", status="False")))
    assert found.since("Admitted") is None
    assert found.condition("Admitted") is not None


def test_pods_on_two_types_and_resources_without_a_flavor() -> None:
    raw = workload()
    raw["status"]["admission"]["podSetAssignments"] += [
        {"name": "b", "flavors": {"cpu": "ml.c5.large"}, "resourceUsage": {"cpu": "1500m"}},
        {"name": "c", "flavors": {"nvidia.com/gpu": P5}, "resourceUsage": {"nvidia.com/gpu": 8}},
        {"name": "d", "flavors": None, "resourceUsage": {"cpu": "4"}},
    ]
    found = Workload.model_validate(raw)
    assert found.devices() == {P5: Decimal(24), "ml.c5.large": Decimal("1.5")}


def test_a_bare_workload_is_read_and_one_without_a_name_is_not() -> None:
    bare = Workload.model_validate({"metadata": {"name": "x", "uid": "u", "ownerReferences": None}})
    assert (bare.owner.kind, bare.priority_class, bare.pods, bare.devices()) == ("", "", 0, {})
    with pytest.raises(ValidationError):
        Workload.model_validate({"metadata": {"uid": "u"}})


@pytest.mark.parametrize(
    ("nominal", "total", "borrowed", "own"),
    [
        ("8", "0", "0", 8),
        ("8", "4", "0", 8),
        ("8", "24", "16", 8),
        # the queue's own word wins over its specification
        ("8", "24", "12", 12),
        ("0", "16", "16", 0),
    ],
)
def test_own_is_what_the_queue_has_without_borrowing(
    nominal: str, total: str, borrowed: str, own: int
) -> None:
    queue = ClusterQueue.model_validate(cluster_queue(nominal, total, borrowed))
    assert queue.ceilings() == {P5: Decimal(own)}


def queues(*raw: dict[str, Any]) -> list[ClusterQueue]:
    return [ClusterQueue.model_validate(each) for each in raw]


def locals_(*raw: dict[str, Any]) -> list[LocalQueue]:
    return [LocalQueue.model_validate(each) for each in raw]


def test_a_namespace_has_what_its_queues_have() -> None:
    found = ceilings_by_namespace(
        queues(cluster_queue("8"), cluster_queue("4", name="second"), cluster_queue(name="idle")),
        locals_(
            local_queue(),
            local_queue(queue="second"),
            local_queue("hyperpod-ns-b", "second"),
            local_queue("hyperpod-ns-c", "vanished"),
        ),
    )
    assert found == {
        NAMESPACE: (f"{NAMESPACE}-clusterqueue,second", {P5: Decimal(12)}),
        "hyperpod-ns-b": ("second", {P5: Decimal(4)}),
    }


def test_a_queue_without_quota_or_status_has_nothing() -> None:
    bare = {"metadata": {"name": "q", "uid": "u"}, "spec": None, "status": None}
    assert ClusterQueue.model_validate(bare).ceilings() == {}
