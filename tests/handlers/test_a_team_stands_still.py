"""Frozen and leaving teams: the namespace facet holds the queue and sorts who stays."""

from collections.abc import Iterator
from typing import Any

import pytest

from commons import bootstrap
from commons.adapters.namespace_shape import NamespaceShape
from tests.handlers.reconcile_support import tables
from tests.handlers.test_reconcile_namespace import NAMESPACE, Stage, member

QUEUE = f"{NAMESPACE}-localqueue"


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with tables() as table:
        made = Stage(table)
        table.team()
        table.cluster()
        monkeypatch.setattr(bootstrap, "team_table", lambda: table.teams)
        monkeypatch.setattr(bootstrap, "member_table", lambda: table.members)
        monkeypatch.setattr(bootstrap, "namespace_shape", lambda _: NamespaceShape(made.kubernetes))
        made.has(member("ada", "lead"), member("grace"))
        made.kubernetes.put("LocalQueue", QUEUE, NAMESPACE, spec={"clusterQueue": "q"})
        made.kubernetes.tasks(NAMESPACE, running=1, pending=2)
        yield made


def policy(stage: Stage) -> str | None:
    return stage.kubernetes.objects["LocalQueue", QUEUE, NAMESPACE]["spec"].get("stopPolicy")


def conditions(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["type"]: each for each in answer["conditions"]}


def test_a_frozen_team_starts_nothing_new_and_keeps_its_people(stage: Stage) -> None:
    stage.table.team(state="frozen")

    answer = stage.run()

    assert policy(stage) == "Hold"
    assert stage.kubernetes.writes[0] == ("apply", "LocalQueue", QUEUE)
    assert stage.people("lead")
    told = conditions(answer)["QueueHeld"]
    assert (told["status"], told["reason"]) == ("True", "Frozen")
    assert "running 1, waiting 2" in told["message"]
    assert stage.run()["actions"] == []


def test_a_hold_is_put_back_and_lifted_when_the_team_is_active_again(stage: Stage) -> None:
    stage.table.team(state="frozen")
    stage.run()
    stage.kubernetes.objects["LocalQueue", QUEUE, NAMESPACE]["spec"]["stopPolicy"] = "None"

    assert stage.run()["actions"] == ["set stopPolicy Hold of its queue"]
    stage.table.team()
    answer = stage.run()

    queue = stage.kubernetes.objects["LocalQueue", QUEUE, NAMESPACE]
    assert queue["spec"] == {"clusterQueue": "q", "stopPolicy": "None"}
    assert "QueueHeld" not in conditions(answer)
    assert stage.run()["actions"] == []


def test_a_queue_that_somebody_else_stopped_stays_stopped(stage: Stage) -> None:
    stage.kubernetes.put("LocalQueue", QUEUE, NAMESPACE, spec={"stopPolicy": "Hold"})

    answer = stage.run()

    assert policy(stage) == "Hold"
    assert conditions(answer)["QueueHeld"]["reason"] == "HeldByOthers"


def test_people_of_a_team_that_leaves_are_out_when_nothing_of_theirs_runs(stage: Stage) -> None:
    stage.table.team(state="leaving")
    stage.run()
    assert policy(stage) == "Hold"
    assert stage.people("lead")
    stage.kubernetes.tasks(NAMESPACE, running=0, pending=2)

    answer = stage.run()

    assert stage.people("lead") == stage.people("member") == []
    assert policy(stage) == "Hold"
    assert conditions(answer)["QueueHeld"]["reason"] == "Leaving"


def test_of_a_team_that_leaves_a_namespace_that_is_gone_is_no_fault(stage: Stage) -> None:
    stage.kubernetes.objects.clear()
    stage.table.team(state="leaving")

    assert conditions(stage.run())["NamespaceReady"]["status"] == "True"


def test_the_queue_of_a_cluster_that_is_observed_is_not_held(stage: Stage) -> None:
    stage.table.cluster(mode="observe")
    stage.table.team(state="frozen")

    answer = stage.run()

    assert policy(stage) is None
    assert "set stopPolicy Hold of its queue" in answer["actions"]
    assert "QueueHeld" not in conditions(answer)
