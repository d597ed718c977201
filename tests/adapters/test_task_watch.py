"""A pass of the watch: what changed is told, and only then remembered."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import pytest
from moto import mock_aws

from commons.adapters.task_watch import TaskWatch
from commons.adapters.watch_table import WatchTable
from commons.adapters.workloads import observe
from commons.domain.errors import StillConverging, Throttled
from commons.domain.events import OutgoingEvent
from tests.adapters.usage_support import usage_table
from tests.unit.kueue_support import cluster_queue, condition, local_queue, node, pod, workload
from tests.unit.tasks_support import CLUSTER, NAMESPACE, P5, at

ADMITTED = workload(condition("Admitted", "10:00"))
FINISHED = workload(condition("Admitted", "10:00"), condition("Finished", "11:00"))


class Cluster:
    """Objects of a cluster by kind."""

    def __init__(self, *workloads: dict[str, Any], queues: Sequence[dict[str, Any]] = ()) -> None:
        self.objects = {
            "Workload": list(workloads),
            "ClusterQueue": list(queues) or [cluster_queue()],
            "LocalQueue": [local_queue()],
        }

    def list(
        self, kind: str, namespace: str | None = None, labels: Any = None
    ) -> list[dict[str, Any]]:
        assert kind != "Node" or self.objects.get("Pod"), "machines are asked for without need"
        return self.objects.get(kind, [])


class Bus:
    def __init__(self) -> None:
        self.events: list[OutgoingEvent] = []
        self.refuses = ""

    def publish(self, events: Sequence[OutgoingEvent]) -> None:
        if any(event.detail_type == self.refuses for event in events):
            raise Throttled("the bus is full")
        self.events += events

    def told(self) -> list[str]:
        told = [event.detail.get("state", event.detail_type) for event in self.events]
        self.events.clear()
        return told


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[WatchTable, Bus]]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        yield WatchTable(usage_table()), Bus()


def look(
    watch: tuple[WatchTable, Bus], cluster: Cluster, now: datetime, teams: Any = None
) -> list[str]:
    table, bus = watch
    team_of = teams if teams is not None else {NAMESPACE: "vision"}
    told = TaskWatch(table, bus, CLUSTER, team_of.get)
    count = told.tell(table.seen(CLUSTER), observe(cluster), now)
    assert count == len(bus.events)
    return bus.told()


def test_each_change_is_told_once(watch: tuple[WatchTable, Bus]) -> None:
    assert look(watch, Cluster(ADMITTED), at("10:30")) == ["QueueCeilingChanged", "Admitted"]
    assert look(watch, Cluster(ADMITTED), at("10:31")) == []
    assert look(watch, Cluster(FINISHED), at("11:01")) == ["Finished"]
    assert look(watch, Cluster(FINISHED), at("11:02")) == []
    assert look(watch, Cluster(), at("11:03")) == []
    assert watch[0].seen(CLUSTER).tasks == {}


def test_a_pass_is_noted_when_everything_is_out(watch: tuple[WatchTable, Bus]) -> None:
    assert watch[0].seen(CLUSTER).last_pass is None
    look(watch, Cluster(), at("10:30"))
    assert watch[0].seen(CLUSTER).last_pass == at("10:30")


def test_a_vanished_task_ended_when_it_was_last_seen(watch: tuple[WatchTable, Bus]) -> None:
    look(watch, Cluster(ADMITTED), at("10:30"))
    look(watch, Cluster(ADMITTED), at("10:31"))
    table, bus = watch
    TaskWatch(table, bus, CLUSTER, {NAMESPACE: "vision"}.get).tell(
        table.seen(CLUSTER), observe(Cluster()), at("10:32")
    )
    (event,) = bus.events
    assert event.detail["reason"] == "ObjectGone"
    assert event.detail["transitionTime"] == "2026-10-02T10:31:00Z"
    assert event.detail["estimated"] is True
    bus.events.clear()
    assert look(watch, Cluster(), at("10:33")) == []


@pytest.mark.parametrize("refused", ["QueueCeilingChanged", "TaskStateChanged"])
def test_op_05_nothing_is_marked_seen_before_its_event_is_out(
    watch: tuple[WatchTable, Bus], refused: str
) -> None:
    watch[1].refuses = refused
    with pytest.raises(Throttled):
        look(watch, Cluster(ADMITTED), at("10:30"))
    watch[1].events.clear()
    seen = watch[0].seen(CLUSTER)
    assert (seen.tasks, seen.last_pass) == ({}, None)
    watch[1].refuses = ""
    assert "Admitted" in look(watch, Cluster(ADMITTED), at("10:31"))


def test_op_05_a_task_is_not_forgotten_before_its_end_is_out(
    watch: tuple[WatchTable, Bus],
) -> None:
    look(watch, Cluster(ADMITTED), at("10:30"))
    watch[1].refuses = "TaskStateChanged"
    with pytest.raises(Throttled):
        look(watch, Cluster(), at("10:31"))
    watch[1].refuses = ""
    assert look(watch, Cluster(), at("10:32")) == ["Finished"]


def test_a_changed_ceiling_is_told_and_every_task_event_carries_the_one_in_force(
    watch: tuple[WatchTable, Bus],
) -> None:
    look(watch, Cluster(ADMITTED), at("10:30"))
    changed = Cluster(FINISHED, queues=[cluster_queue("16")])
    table, bus = watch
    TaskWatch(table, bus, CLUSTER, {NAMESPACE: "vision"}.get).tell(
        table.seen(CLUSTER), observe(changed), at("11:01")
    )
    ceilings = [event.detail["queue"] for event in bus.events]
    assert (
        ceilings
        == [
            {
                "name": f"{NAMESPACE}-clusterqueue",
                "ceilings": {P5: "16"},
                "since": "2026-10-02T11:01:00Z",
            }
        ]
        * 2
    )


def test_namespaces_that_are_nobodys_are_left_alone(watch: tuple[WatchTable, Bus]) -> None:
    assert look(watch, Cluster(ADMITTED), at("10:30"), teams={}) == []
    assert look(watch, Cluster(ADMITTED), at("10:31")) == ["QueueCeilingChanged", "Admitted"]


def test_an_object_that_cannot_be_read_is_named_and_is_not_gone(
    watch: tuple[WatchTable, Bus],
) -> None:
    look(watch, Cluster(ADMITTED), at("10:30"))
    broken = {**ADMITTED, "status": {"conditions": [{"type": "Admitted"}]}}
    other = workload(condition("Admitted", "10:05"), uid="uid-2")
    cluster = Cluster(broken, other)
    found = observe(cluster).unreadable
    assert list(found) == ["uid-1"]
    assert "status.conditions.0.status" in found["uid-1"]
    assert look(watch, cluster, at("10:31")) == ["Admitted"]
    assert set(watch[0].seen(CLUSTER).tasks) == {"uid-1", "uid-2"}


def test_a_cluster_without_any_queue_is_not_believed(watch: tuple[WatchTable, Bus]) -> None:
    look(watch, Cluster(ADMITTED), at("10:30"))
    empty = Cluster()
    empty.objects = {"Workload": [], "ClusterQueue": [], "LocalQueue": []}
    with pytest.raises(StillConverging, match="Kueue"):
        look(watch, empty, at("10:31"))
    assert set(watch[0].seen(CLUSTER).tasks) == {"uid-1"}


def test_more_tasks_than_are_told_at_once(watch: tuple[WatchTable, Bus]) -> None:
    many = [workload(condition("Admitted", "10:00"), uid=f"uid-{n}") for n in range(120)]
    assert look(watch, Cluster(*many), at("10:30")).count("Admitted") == 120
    assert look(watch, Cluster(*many), at("10:31")) == []


def test_qu_07_what_runs_past_the_queue_is_told_from_its_start_to_its_end(
    watch: tuple[WatchTable, Bus],
) -> None:
    cluster = Cluster()
    cluster.objects |= {"Pod": [pod()], "Node": [node()]}
    assert look(watch, cluster, at("10:30")) == ["QueueCeilingChanged", "Admitted"]
    (event,) = watch[0].seen(CLUSTER).tasks.values()
    assert (event.team, event.namespace, event.queue_name) == ("vision", NAMESPACE, "")
    assert (event.transition_time, event.devices) == (at("10:00"), {P5: 8})
    assert (event.owner.kind, event.reason) == ("Pod", "Unqueued")
    assert look(watch, cluster, at("10:31")) == []

    cluster.objects["Pod"] = []
    assert look(watch, cluster, at("10:32")) == ["Finished"]


def test_no_machine_is_asked_for_where_nothing_runs_past_the_queue(
    watch: tuple[WatchTable, Bus],
) -> None:
    assert look(watch, Cluster(ADMITTED), at("10:30")) == ["QueueCeilingChanged", "Admitted"]
