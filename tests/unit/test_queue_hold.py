"""When a namespace's queue is held, who may lift it, and who stays in while a team leaves."""

from typing import Any

import pytest

from commons.domain import queue_hold
from commons.domain.queue_hold import (
    HELD_FOR,
    Load,
    change,
    conditions,
    is_held,
    lets_people_in,
    load,
)

NAMESPACE = "hyperpod-ns-alpha"
NAME = f"{NAMESPACE}-localqueue"


def queue(policy: str | None = None, held_for: str | None = None) -> dict[str, Any]:
    annotations = {"annotations": {HELD_FOR: held_for}} if held_for else {}
    spec = {"clusterQueue": "q"} | ({"stopPolicy": policy} if policy else {})
    return {"metadata": {"name": NAME, **annotations}, "spec": spec}


def wanted(state: Any, observed: dict[str, Any] | None) -> tuple[str, dict[str, str]] | None:
    found = change(state, NAMESPACE, observed)
    return found and (found["spec"]["stopPolicy"], found["metadata"]["annotations"])


@pytest.mark.parametrize("state", ["frozen", "leaving"])
@pytest.mark.parametrize("policy", [None, "None"])
def test_an_open_queue_is_held_and_it_says_what_for(state: str, policy: str | None) -> None:
    assert wanted(state, queue(policy)) == ("Hold", {HELD_FOR: state})


def test_what_is_applied_names_the_queue_and_nothing_else_of_it() -> None:
    found = change("frozen", NAMESPACE, queue())
    assert found is not None
    assert (found["kind"], found["metadata"]["namespace"]) == ("LocalQueue", NAMESPACE)
    assert found["metadata"]["name"] == NAME
    assert set(found["spec"]) == {"stopPolicy"}


def test_a_held_queue_is_left_as_it_is() -> None:
    assert wanted("frozen", queue("Hold", "frozen")) is None


def test_a_hold_that_somebody_took_away_comes_back() -> None:
    assert wanted("frozen", queue("None", "frozen")) == ("Hold", {HELD_FOR: "frozen"})


def test_a_frozen_team_that_leaves_is_held_for_that() -> None:
    assert wanted("leaving", queue("Hold", "frozen")) == ("Hold", {HELD_FOR: "leaving"})


def test_a_drain_that_a_person_began_goes_on() -> None:
    assert wanted("leaving", queue("HoldAndDrain")) == ("HoldAndDrain", {HELD_FOR: "leaving"})
    assert wanted("leaving", queue("HoldAndDrain", "leaving")) is None


def test_an_active_team_gets_its_own_queue_back() -> None:
    assert wanted("active", queue("Hold", "frozen")) == ("None", {})


@pytest.mark.parametrize("observed", [queue(), queue("None"), queue("Hold"), None])
def test_what_we_do_not_hold_is_not_ours_to_open(observed: dict[str, Any] | None) -> None:
    assert wanted("active", observed) is None


def test_there_is_nothing_to_hold_before_there_is_a_queue() -> None:
    assert wanted("frozen", None) is None


@pytest.mark.parametrize(
    ("observed", "held"),
    [(queue(), False), (queue("None"), False), (queue("Hold"), True), (None, True)],
)
def test_nothing_starts_in_a_queue_that_is_held_or_gone(
    observed: dict[str, Any] | None, held: bool
) -> None:
    assert is_held(observed) is held


def workload(*true: str, **false: str) -> dict[str, Any]:
    known = [{"type": each, "status": "True"} for each in true]
    return {"status": {"conditions": known + [{"type": each, "status": "False"} for each in false]}}


def test_tasks_are_counted_by_whether_they_hold_a_reservation() -> None:
    tasks = [
        workload("QuotaReserved", "Admitted"),
        workload("QuotaReserved"),
        workload("QuotaReserved", "Finished"),
        workload(QuotaReserved="x"),
        workload("Evicted"),
        {},
        {"status": {"conditions": None}},
    ]
    assert load(tasks) == Load(running=2, pending=4)
    assert str(Load(1, 2)) == "tasks running 1, waiting 2"


@pytest.mark.parametrize(
    ("state", "running", "stay"),
    [("active", 0, True), ("frozen", 0, True), ("leaving", 1, True), ("leaving", 0, False)],
)
def test_people_of_a_team_that_leaves_stay_while_there_is_something_to_save(
    state: Any, running: int, stay: bool
) -> None:
    assert lets_people_in(state, Load(running, 5)) is stay


def said(state: Any, observed: dict[str, Any] | None) -> list[tuple[str, str]]:
    found = conditions(state, NAMESPACE, observed, Load(1, 2))
    return [(each.reason, each.message) for each in found if each.status == "True"]


def test_a_held_queue_is_told_with_what_runs_and_what_waits() -> None:
    [(reason, message)] = said("frozen", queue("Hold", "frozen"))
    assert reason == "Frozen"
    assert message == (
        f"{NAME} starts nothing new, because the team is frozen: tasks running 1, waiting 2"
    )
    assert said("leaving", None)[0][0] == "Leaving"


def test_a_queue_that_somebody_else_stopped_is_told_with_the_way_out() -> None:
    [(reason, message)] = said("active", queue("Hold"))
    assert reason == "HeldByOthers"
    assert "stopPolicy to None" in message


@pytest.mark.parametrize("observed", [queue(), queue("None"), queue("Hold", "frozen"), None])
def test_of_a_queue_that_is_as_it_should_be_nothing_is_said(
    observed: dict[str, Any] | None,
) -> None:
    assert said("active", observed) == []


def test_the_condition_is_of_one_type() -> None:
    (found,) = conditions("frozen", NAMESPACE, None, Load(0, 0))
    assert found.type == "QueueHeld"
    assert queue_hold.policy({}) == "None"
