"""What no linter checks in state machines: names that lead nowhere or have no class."""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonata
import pytest

from commons.domain import errors
from tests.template.template import ROOT, resources

FILES = sorted((ROOT / "statemachines").glob("*.asl.json"))
OWN_ERRORS = {name for name, _ in inspect.getmembers(errors, inspect.isclass)}


def definition(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text())


def machines(machine: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The machine and every one inside its Map and Parallel states."""
    yield machine
    for state in machine["States"].values():
        inner = [state[key] for key in ("ItemProcessor", "Iterator") if key in state]
        for each in [*inner, *state.get("Branches", [])]:
            yield from machines(each)


def states(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for machine in machines(definition(file)):
        yield from machine["States"].items()


def targets(state: dict[str, Any]) -> Iterator[str]:
    for key in ("Next", "Default"):
        if key in state:
            yield state[key]
    for rule in [*state.get("Choices", []), *state.get("Catch", [])]:
        yield rule["Next"]


def reached(machine: dict[str, Any]) -> set[str]:
    """Every name that a walk from StartAt meets, also those that name no state."""
    found: set[str] = set()
    ahead = [machine["StartAt"]]
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += targets(machine["States"].get(name, {}))
    return found


def strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from strings(each)
        case list():
            for each in value:
                yield from strings(each)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_state_is_reached_and_none_is_missing(file: Path) -> None:
    for machine in machines(definition(file)):
        assert reached(machine) == set(machine["States"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_state_goes_on_or_ends(file: Path) -> None:
    for name, state in states(file):
        final = state["Type"] in ("Succeed", "Fail", "Choice")
        assert final or ("Next" in state) != state.get("End", False), name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_error_of_ours_that_is_retried_or_caught_has_a_class(file: Path) -> None:
    for name, state in states(file):
        for rule in [*state.get("Retry", []), *state.get("Catch", [])]:
            own = {error for error in rule["ErrorEquals"] if "." not in error}
            assert own <= OWN_ERRORS, name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_task_ends_some_time(file: Path) -> None:
    endless = [n for n, s in states(file) if s["Type"] == "Task" and "TimeoutSeconds" not in s]

    assert endless == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_task_survives_a_worker_that_was_killed(file: Path) -> None:
    for name, state in states(file):
        if state.get("Resource") == "arn:aws:states:::lambda:invoke":
            retried = {error for rule in state["Retry"] for error in rule["ErrorEquals"]}
            assert {"Runtime.ExitError", "Sandbox.Timedout"} <= retried, name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_expression_is_jsonata(file: Path) -> None:
    for text in strings(definition(file)):
        if text.startswith("{%"):
            jsonata.Jsonata(text.removeprefix("{%").removesuffix("%}").strip())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_is_substituted_and_what_the_template_gives_are_the_same(file: Path) -> None:
    wanted = set(re.findall(r"\$\{(\w+)\}", file.read_text()))
    uri = f"statemachines/{file.name}"
    machines = resources("AWS::Serverless::StateMachine").values()
    given = [set(m["DefinitionSubstitutions"]) for m in machines if m["DefinitionUri"] == uri]

    assert given == [wanted]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_variable_has_two_meanings_in_an_inner_and_an_outer_machine(file: Path) -> None:
    """AWS refuses a name that an inner Map assigns and the machine around it has assigned."""

    def assigned(machine: dict[str, Any]) -> set[str]:
        own = machine["States"].values()
        rules = [rule for s in own for rule in [s, *s.get("Choices", []), *s.get("Catch", [])]]
        return {name for rule in rules for name in rule.get("Assign", {})}

    def check(machine: dict[str, Any], outer: set[str]) -> None:
        names = assigned(machine)
        assert not names & outer
        for state in machine["States"].values():
            if "ItemProcessor" in state:
                check(state["ItemProcessor"], outer | names)

    check(definition(file), set())


def test_an_expression_without_an_error_anywhere_goes_the_good_way() -> None:
    choice = definition(ROOT / "statemachines" / "reconcile_team.asl.json")["States"][
        "Did a facet fail?"
    ]["Choices"][0]
    expression = jsonata.Jsonata(choice["Condition"].strip("{% }"))

    def failed(**facets: Any) -> bool:
        frame = expression.create_frame()
        for name in ("read", "members", "access", "shaped"):
            frame.bind(name, facets.get(name, {}))
        return bool(expression.evaluate(None, frame))

    well = {"quota": {"conditions": []}, "shape": {}}
    ill = {"quota": {"conditions": []}, "shape": {"error": "Blocked", "cause": "{}"}}

    assert not failed(shaped=[well])
    assert not failed(shaped=[])
    assert failed(shaped=[well, ill])
    assert failed(shaped=[ill])
    assert failed(shaped=[well | {"verify": {"error": "AccessDenied", "cause": ""}}])
    assert failed(members={"error": "Throttled", "cause": ""})
    assert failed(read={"error": "UnknownTeam", "cause": ""})


def longest_wait(retry: dict[str, Any]) -> float:
    """Seconds between the first attempt and the last, without what jitter saves."""
    steps = range(retry["MaxAttempts"])
    waits = (retry["IntervalSeconds"] * retry["BackoffRate"] ** step for step in steps)
    return sum(min(wait, retry["MaxDelaySeconds"]) for wait in waits)


def test_ac_05_what_does_not_converge_is_given_up_after_about_ten_minutes() -> None:
    for name, state in states(ROOT / "statemachines" / "reconcile_team.asl.json"):
        for retry in state.get("Retry", []):
            if "StillConverging" in retry["ErrorEquals"]:
                assert 8 * 60 <= longest_wait(retry) <= 15 * 60, name
                assert 5 <= retry["IntervalSeconds"] <= 10, name


def test_who_left_is_shut_out_before_anything_may_wait_for_aws() -> None:
    machine = definition(ROOT / "statemachines" / "reconcile_team.asl.json")
    order, name = [], machine["StartAt"]
    while "Next" in machine["States"][name]:
        name = machine["States"][name]["Next"]
        order.append(name)
    first = machine["States"]["Bring people up to date"]

    assert order[1:4] == ["Read the members", "Bring people up to date", "Provide access"]
    assert machine["States"]["Read the members"]["Catch"][0]["Next"] == order[2]
    (task,) = [s for s in first["ItemProcessor"]["States"].values() if s["Type"] == "Task"]
    assert task["Arguments"]["FunctionName"] == "${ReconcileNamespaceFunctionArn}"
    assert "StillConverging" not in str(task["Retry"])
    assert task["TimeoutSeconds"] + sum(map(longest_wait, task["Retry"])) <= 60
    assert first["Items"] == machine["States"]["Reach every namespace"]["Items"]


def test_a_facet_that_may_wait_is_told_how_many_requests_the_run_answers() -> None:
    for name, state in states(ROOT / "statemachines" / "reconcile_team.asl.json"):
        if name in ("Provide access", "Set the quota"):
            assert state["Arguments"]["Payload"]["requested"] == "{% $requested %}", name


def test_op_08_a_facet_that_fails_does_not_stop_those_beside_it() -> None:
    machine = definition(ROOT / "statemachines" / "reconcile_team.asl.json")
    tasks = {
        name: state
        for each in machines(machine)
        for name, state in each["States"].items()
        if state["Type"] == "Task" and name != "Record the outcome"
    }
    for name, state in tasks.items():
        (rule,) = state["Catch"]
        assert rule["ErrorEquals"] == ["States.ALL"], name
        goes_on = state["Next"] if name != "Read the team" else "Record the outcome"
        assert rule["Next"] == goes_on, name
