"""What the ledger takes from the bus, and what it refuses by name."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from commons.domain import task_events
from commons.domain.errors import RefusedInput
from commons.domain.task_events import QueueCeilingChanged, TaskStateChanged
from tests.unit.tasks_support import CLUSTER, NOW, P5, at, detail, envelope


def read(body: Any, kind: str = "TaskStateChanged") -> TaskStateChanged:
    event = task_events.read("message 1", json.dumps(envelope(body, kind)), NOW)
    assert isinstance(event, TaskStateChanged)
    return event


def faults(body: Any, kind: str = "TaskStateChanged") -> str:
    with pytest.raises(RefusedInput) as caught:
        task_events.read("message 1", json.dumps(envelope(body, kind)), NOW)
    return "; ".join(caught.value.reasons)


def test_an_event_without_attempt_counts_as_the_first_and_devices_follow_from_the_requests() -> (
    None
):
    body = detail("Admitted", "10:00")
    del body["attempt"]
    event = read(body)
    assert (event.attempt, event.held) == (1, {P5: Decimal(8)})
    assert (event.workload.uid, event.transition_time) == ("uid-1", at("10:00"))


def test_devices_that_the_event_states_are_taken_as_they_are() -> None:
    event = read(detail("Admitted", "10:00", devices={P5: "6", "ml.g5.xlarge": "1"}))
    assert event.held == {P5: Decimal(6), "ml.g5.xlarge": Decimal(1)}


def test_ts_09_detail_as_text_unknown_fields_and_nulls_are_taken() -> None:
    body = detail("Finished", "11:00", novelty={"x": 1}, message=None)
    body |= {"resources": None, "owner": None, "team": None, "queue": None, "attempt": None}
    body |= {"priorityClass": None, "reason": None}
    event = read(json.dumps(body))
    assert (event.held, event.team, event.attempt, event.owner.kind) == ({}, "", 1, "")


@pytest.mark.parametrize("body", ["{}", {}, "not json", None, [], "[1]"])
def test_ts_09_an_empty_or_unreadable_detail_is_refused_with_its_reason(body: Any) -> None:
    assert faults(body)


def test_every_fault_is_named_by_its_path() -> None:
    body = detail("Dancing", "10:00", workload={"name": "x"})
    del body["clusterArn"]
    found = faults(body)
    assert all(path in found for path in ("clusterArn", "workload.uid", "state"))


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"transitionTime": "2026-10-02T10:00:00"}, "transitionTime"),
        ({"attempt": 0}, "attempt"),
        ({"namespace": "a#b"}, "namespace"),
        ({"devices": {P5: "-1"}}, "devices"),
        ({"devices": {P5: "NaN"}}, "devices"),
        ({"resources": {"instanceType": P5, "requests": {"nvidia.com/gpu": "many"}}}, "requests"),
        ({"resources": {"instanceType": P5, "requests": {"nvidia.com/gpu": "1e30"}}}, P5),
    ],
)
def test_a_wrong_value_is_refused(change: dict[str, Any], path: str) -> None:
    assert path in faults(detail("Admitted", "10:00", **change))


def test_a_transition_far_ahead_of_the_clock_is_refused_and_a_little_is_not() -> None:
    ahead = (NOW + timedelta(days=2)).isoformat()
    assert "ahead" in faults(detail("Admitted", "10:00", transitionTime=ahead))
    read(detail("Admitted", "10:00", transitionTime=(NOW + timedelta(minutes=5)).isoformat()))


def test_another_detail_type_is_refused() -> None:
    assert "TeamReconciled is not for us" in faults({}, "TeamReconciled")


def test_a_ceiling_alone_is_read() -> None:
    body = {
        "clusterArn": CLUSTER,
        "namespace": "hyperpod-ns-vision",
        "queue": {"name": "q", "ceilings": {P5: "16"}, "since": "2026-10-02T10:00:00Z"},
    }
    event = task_events.read("message 1", json.dumps(envelope(body, "QueueCeilingChanged")), NOW)
    assert isinstance(event, QueueCeilingChanged)
    assert event.queue.ceilings == {P5: Decimal(16)}
    assert event.queue.since == at("10:00")


@pytest.mark.parametrize("body", ["", "not json", "[]", "null", "1", "{}"])
def test_a_message_without_an_envelope_is_refused(body: str) -> None:
    with pytest.raises(RefusedInput, match="message 1"):
        task_events.read("message 1", body, NOW)
