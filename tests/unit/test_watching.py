"""What the watch tells about a task: every transition once, in order, with its own time."""

import json
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from commons.domain import queues, task_events, tasks, watching
from commons.domain.kueue import Workload
from commons.domain.task_events import Queue, TaskStateChanged
from commons.domain.watching import Look
from tests.unit.kueue_support import condition, workload
from tests.unit.tasks_support import CLUSTER, NAMESPACE, NOW, P5, at

QUEUE = Queue(name="q", ceilings={P5: Decimal(8)}, since=at("08:00"))


def look(
    raw: dict[str, Any], last: TaskStateChanged | None = None, last_pass: str | None = None
) -> list[TaskStateChanged]:
    seen = Look(CLUSTER, "vision", QUEUE, NOW, at(last_pass) if last_pass else None)
    return watching.changes(Workload.model_validate(raw), last, seen)


def told(events: list[TaskStateChanged]) -> list[tuple[str, str, int]]:
    return [(e.state.value, f"{e.transition_time:%H:%M}", e.attempt) for e in events]


PENDING = workload(condition("QuotaReserved", "09:00", "False", "Pending"), admitted=False)
ADMITTED = workload(condition("QuotaReserved", "10:00"), condition("Admitted", "10:00"))
EVICTED = workload(
    condition("QuotaReserved", "10:10", "False", "Pending"),
    condition("Admitted", "10:11", "False", "NoReservation"),
    condition("Evicted", "10:10", reason="Preempted"),
    condition("Preempted", "10:10", reason="InCohortReclamation"),
    admitted=False,
)
AGAIN = workload(
    condition("Admitted", "10:40"), condition("Evicted", "10:40", "False", "QuotaReserved")
)
FINISHED = workload(
    condition("Admitted", "10:40"), condition("Finished", "11:00", reason="Succeeded")
)


def test_ts_04_a_life_looked_at_step_by_step() -> None:
    last, story = None, []
    for raw in (PENDING, PENDING, ADMITTED, ADMITTED, EVICTED, EVICTED, AGAIN, FINISHED, FINISHED):
        events = look(raw, last, "10:00")
        assert len(events) <= 1
        story += events
        last = story[-1]
    assert told(story) == [
        ("Pending", "09:00", 1),
        ("Admitted", "10:00", 1),
        ("Evicted", "10:10", 1),
        ("Admitted", "10:40", 2),
        ("Finished", "11:00", 2),
    ]
    assert [e.previous_state for e in story] == [
        "Pending",
        "Pending",
        "Admitted",
        "Evicted",
        "Admitted",
    ]
    assert not any(e.estimated for e in story)
    assert (story[2].reason, story[2].preemption_reason) == ("Preempted", "InCohortReclamation")


def test_a_first_look_at_a_finished_task_tells_admission_and_end() -> None:
    events = look(FINISHED)
    assert told(events) == [("Admitted", "10:40", 1), ("Finished", "11:00", 1)]
    assert [e.previous_state for e in events] == ["Pending", "Admitted"]
    assert events[1].reason == "Succeeded"


def test_an_event_says_who_what_where_and_how_much() -> None:
    (event,) = look(ADMITTED)
    assert event.model_dump(mode="json", by_alias=True, exclude_none=True) == {
        "schemaVersion": "1",
        "clusterArn": CLUSTER,
        "namespace": NAMESPACE,
        "team": "vision",
        "workload": {"name": "job-train-a1b2c", "uid": "uid-1", "resourceVersion": "1000"},
        "owner": {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "o-1"},
        "queueName": f"{NAMESPACE}-localqueue",
        "priorityClass": "training-priority",
        "previousState": "Pending",
        "state": "Admitted",
        "reason": "Admitted",
        "preemptionReason": "",
        "attempt": 1,
        "transitionTime": "2026-10-02T10:00:00Z",
        "estimated": False,
        "resources": {
            "instanceType": P5,
            "podCount": 2,
            "requests": {"nvidia.com/gpu": "16", "cpu": "184", "memory": "2147483648000"},
        },
        "devices": {P5: "16"},
        "queue": {"name": "q", "ceilings": {P5: "8"}, "since": "2026-10-02T08:00:00Z"},
    }


def test_what_is_published_is_read_back_as_the_same() -> None:
    for event in look(FINISHED) + look(EVICTED):
        sent = watching.published(event)
        body = json.dumps({"detail-type": sent.detail_type, "detail": sent.detail})
        got = task_events.read("message 1", body, NOW)
        assert got == event
        assert sent.resources == [CLUSTER]


def test_an_evicted_task_still_says_what_it_had() -> None:
    (admitted,) = look(ADMITTED)
    (evicted,) = look(EVICTED, admitted)
    assert evicted.devices == {P5: Decimal(16)}
    assert evicted.resources == admitted.resources


def test_a_task_that_is_being_evicted_is_told_before_its_pods_are_gone() -> None:
    ending = workload(
        condition("Admitted", "10:00"), condition("Evicted", "10:10", reason="NodeFailures")
    )
    events = look(ending)
    assert told(events) == [("Admitted", "10:00", 1), ("Evicted", "10:10", 1)]
    assert look(EVICTED, events[-1]) == []


def test_an_eviction_between_two_looks_is_estimated_at_the_last_look() -> None:
    (first,) = look(ADMITTED)
    events = look(AGAIN, first, "10:30")
    assert told(events) == [("Evicted", "10:30", 1), ("Admitted", "10:40", 2)]
    assert [e.estimated for e in events] == [True, False]
    assert told(look(AGAIN, first, "09:00"))[0] == ("Evicted", "10:00", 1)
    assert told(look(AGAIN, first, "11:00"))[0] == ("Evicted", "10:40", 1)


def test_an_attempt_that_nobody_saw_start_is_told_as_an_end() -> None:
    (first,) = look(PENDING)
    events = look(EVICTED, first, "10:05")
    assert told(events) == [("Evicted", "10:10", 1)]
    assert events[0].previous_state == "Admitted"
    later = workload(
        condition("Admitted", "10:51", "False"), condition("Evicted", "10:50"), admitted=False
    )
    assert told(look(later, events[0])) == [("Evicted", "10:50", 2)]


def test_a_task_evicted_while_it_waited_still_waits() -> None:
    waiting = workload(condition("Evicted", "09:30", reason="Deactivated"), admitted=False)
    assert told(look(waiting)) == [("Pending", "09:00", 1)]


def test_an_admission_that_was_taken_back_without_an_eviction_ends_the_attempt() -> None:
    (admitted,) = look(ADMITTED)
    back = workload(condition("Admitted", "10:20", "False", "NoReservation"), admitted=False)
    events = look(back, admitted)
    assert told(events) == [("Evicted", "10:20", 1)]
    assert events[0].reason == "NoReservation"


def test_a_task_that_ended_without_ever_running_is_no_anomaly() -> None:
    ended = workload(condition("Finished", "09:30", reason="OwnerNotFound"), admitted=False)
    (event,) = look(ended)
    attempt = tasks.attempt_of(event)
    assert told([event]) == [("Finished", "09:30", 1)]
    assert attempt is not None
    assert attempt.anomalies == []


@pytest.mark.parametrize(
    ("last_pass", "expected"), [("10:30", "10:30"), ("09:00", "10:00"), (None, "00:00")]
)
def test_a_task_whose_object_vanished_ended_at_the_last_look(
    last_pass: str | None, expected: str
) -> None:
    (admitted,) = look(ADMITTED)
    event = watching.gone(admitted, NOW, at(last_pass) if last_pass else None)
    assert told([event]) == [("Finished", expected, 1)]
    assert (event.reason, event.estimated, event.previous_state) == ("ObjectGone", True, "Admitted")
    assert event.devices == {P5: Decimal(16)}


def test_the_ledger_of_a_life_is_the_same_however_often_it_was_looked_at() -> None:
    life = [PENDING, ADMITTED, EVICTED, AGAIN, FINISHED]
    every = []
    last = None
    for raw in life:
        every += look(raw, last, "10:05")
        last = every[-1]
    once = look(ADMITTED) + look(FINISHED, look(EVICTED, look(ADMITTED)[0])[0])
    again = look(EVICTED, look(ADMITTED)[0])

    def ledger(events: list[TaskStateChanged]) -> Any:
        return tasks.fold(a for e in events if (a := tasks.attempt_of(e)) is not None)

    assert ledger(every) == ledger(once + again)
    assert all(a.end for a in ledger(every).values())
    spans = sorted((a.start, a.end) for a in ledger(every).values())
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_a_ceiling_alone_is_published_as_an_event_of_its_own() -> None:
    sent = watching.published(watching.ceiling_changed(CLUSTER, NAMESPACE, QUEUE))
    assert sent.detail_type == "QueueCeilingChanged"
    assert sent.detail["queue"] == {
        "name": "q",
        "ceilings": {P5: "8"},
        "since": "2026-10-02T08:00:00Z",
    }


LOW, NONE = {P5: Decimal(8)}, {P5: Decimal(0)}


def queue(ceilings: dict[str, Decimal], time: str = "08:00", name: str = "q") -> Queue:
    return Queue(name=name, ceilings=ceilings, since=at(time))


@pytest.mark.parametrize(
    ("seen", "observed", "expected"),
    [
        ({}, {"ns": ("q", LOW)}, {"ns": queue(LOW, "12:00")}),
        ({"ns": queue(LOW)}, {"ns": ("q", LOW)}, {}),
        (
            {"ns": queue(LOW)},
            {"ns": ("q", {P5: Decimal(9)})},
            {"ns": queue({P5: Decimal(9)}, "12:00")},
        ),
        ({"ns": queue(LOW)}, {"ns": ("other", LOW)}, {"ns": queue(LOW, "12:00", "other")}),
        ({"ns": queue(LOW)}, {"ns": ("q", {})}, {"ns": queue(NONE, "12:00")}),
        ({"ns": queue(LOW)}, {}, {"ns": queue(NONE, "12:00")}),
        ({"ns": queue(NONE)}, {}, {}),
        ({}, {"ns": ("q", {})}, {"ns": queue({}, "12:00")}),
    ],
)
def test_only_ceilings_that_differ_are_told_with_the_time_of_the_look(
    seen: dict[str, Queue],
    observed: dict[str, tuple[str, dict[str, Decimal]]],
    expected: dict[str, Queue],
) -> None:
    assert queues.changed_queues(seen, observed, at("12:00"), complete=True) == expected


def test_a_look_that_could_not_read_everything_proves_no_absence() -> None:
    seen = {"ns": queue(LOW), "other": queue(LOW)}
    assert queues.changed_queues(seen, {"ns": ("q", LOW)}, at("12:00"), complete=False) == {}
