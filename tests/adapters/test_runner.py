"""One reconcile a team at a time; no request is lost, whoever dies in between."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from commons.adapters.executions import Executions
from commons.adapters.runner import Runner
from commons.adapters.team_table import TeamTable
from commons.domain.errors import Throttled
from commons.domain.runner import TRIES, execution_name
from commons.domain.team import TeamStatus
from tests.adapters.team_tables import team_table

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
MACHINE = "arn:aws:states:us-west-2:111122223333:stateMachine:gpu-commons-reconcile-team"
PREFIX = MACHINE.replace(":stateMachine:", ":execution:") + ":"


class Killed(Exception):
    """The worker that was about to start an execution."""


class States:
    """Step Functions with one kind of execution; a name is taken once."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}
        self.kill_next = False

    def start_execution(self, name: str, **_: Any) -> dict[str, Any]:
        if self.kill_next:
            self.kill_next = False
            raise Killed
        if name in self.states:
            raise error("ExecutionAlreadyExists", "StartExecution")
        self.states[name] = "RUNNING"
        return {}

    def describe_execution(self, executionArn: str) -> dict[str, Any]:
        name = executionArn.removeprefix(PREFIX)
        if name not in self.states:
            raise error("ExecutionDoesNotExist", "DescribeExecution")
        return {"status": self.states[name]}

    def running(self) -> list[str]:
        return [name for name, state in self.states.items() if state == "RUNNING"]


def error(code: str, operation: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}}, operation)


class World:
    """A runner whose clock moves a minute with each call."""

    def __init__(self, raw: Any) -> None:
        self.table = TeamTable(raw)
        self.states = States()
        self.runner = Runner(self.table, Executions(self.states, MACHINE))
        self._clock = NOW

    def now(self) -> datetime:
        self._clock += timedelta(minutes=1)
        return self._clock

    def request(self) -> None:
        self.runner.request("vision", self.now())

    def recorded(self) -> str | None:
        return self.table.status("vision").execution_arn

    def end(self, state: str = "SUCCEEDED") -> str:
        """The running execution ends; its ARN."""
        [name] = self.states.running()
        self.states.states[name] = state
        return PREFIX + name

    def finish(self, seen: int, arn: str | None = None) -> None:
        [name] = self.states.running()
        self.runner.finish("vision", arn or PREFIX + name, seen, self.now())


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with team_table() as raw:
        yield World(raw)


def test_a_request_starts_one_execution_and_records_it(world: World) -> None:
    world.request()
    [name] = world.states.running()
    assert name == "vision-1-20261102T080100"
    assert world.recorded() == PREFIX + name


def test_a_request_while_one_runs_starts_no_second(world: World) -> None:
    world.request()
    world.request()
    assert len(world.states.running()) == 1
    assert world.table.status("vision").requested == 2


def test_an_execution_that_saw_every_request_frees_the_team(world: World) -> None:
    world.request()
    world.finish(seen=1)
    assert world.recorded() is None
    world.end()
    world.request()
    assert world.states.running() == ["vision-2-20261102T080300"]


def test_a_request_that_came_meanwhile_starts_the_next_execution(world: World) -> None:
    world.request()
    world.request()
    world.finish(seen=1)
    assert sorted(world.states.states) == ["vision-1-20261102T080100", "vision-2-20261102T080300"]
    assert world.recorded() == PREFIX + "vision-2-20261102T080300"
    assert world.table.status("vision").claimed == 2


def test_op_01_a_worker_killed_between_claim_and_start_is_made_good_by_the_next(
    world: World,
) -> None:
    world.states.kill_next = True
    with pytest.raises(Killed):
        world.request()
    assert world.states.running() == []
    world.request()
    assert world.states.running() == ["vision-1-20261102T080100"]
    assert world.recorded() == PREFIX + "vision-1-20261102T080100"


def test_op_01_a_worker_killed_at_the_hand_over_is_made_good_by_its_retry(world: World) -> None:
    world.request()
    world.request()
    first = world.recorded()
    world.states.kill_next = True
    with pytest.raises(Killed):
        world.finish(seen=1)
    world.finish(seen=1, arn=first)
    assert world.recorded() == PREFIX + "vision-2-20261102T080300"
    assert "vision-2-20261102T080300" in world.states.running()


def test_a_late_retry_of_an_ended_execution_does_not_free_its_heir(world: World) -> None:
    world.request()
    world.request()
    first = world.recorded()
    world.finish(seen=1)
    heir = world.recorded()
    world.states.states[first.removeprefix(PREFIX)] = "SUCCEEDED"  # type: ignore[union-attr]
    world.finish(seen=2, arn=first)
    assert world.recorded() == heir


def test_an_execution_that_died_is_followed_by_another_but_not_for_ever(world: World) -> None:
    world.request()
    for _ in range(TRIES - 1):
        world.runner.died("vision", world.end("FAILED"), world.now())
        assert len(world.states.running()) == 1
    world.runner.died("vision", world.end("FAILED"), world.now())
    status = world.table.status("vision")
    assert world.states.running() == []
    assert (status.phase, status.execution_arn, status.failures) == ("Failed", None, 0)
    assert "commons team reconcile" in status.conditions[0].message
    world.request()
    assert len(world.states.running()) == 1


def test_the_same_death_told_twice_starts_one_execution(world: World) -> None:
    world.request()
    arn = world.end("ABORTED")
    for _ in range(2):
        world.runner.died("vision", arn, world.now())
    assert len(world.states.running()) == 1
    assert world.table.status("vision").failures == 1


def test_an_outcome_ends_the_row_of_failures(world: World) -> None:
    world.request()
    world.runner.died("vision", world.end("TIMED_OUT"), world.now())
    world.finish(seen=1)
    assert world.table.status("vision").failures == 0


def test_a_failed_execution_that_had_freed_its_team_is_no_death(world: World) -> None:
    world.request()
    arn = world.recorded()
    world.finish(seen=1)
    world.end("FAILED")
    world.runner.died("vision", arn or "", world.now())
    assert world.states.running() == []
    assert world.recorded() is None


def test_a_check_leaves_what_runs_and_what_is_free(world: World) -> None:
    assert world.runner.check("vision", world.now()) is None
    world.request()
    assert world.runner.check("vision", world.now()) is None
    assert len(world.states.states) == 1


def test_a_check_starts_what_was_claimed_and_never_started(world: World) -> None:
    world.states.kill_next = True
    with pytest.raises(Killed):
        world.request()
    assert world.runner.check("vision", world.now()) == "execution_never_started"
    assert len(world.states.running()) == 1


def test_a_check_mends_a_team_locked_by_an_execution_that_has_ended(world: World) -> None:
    world.request()
    world.end("SUCCEEDED")
    assert world.runner.check("vision", world.now()) == "execution_ended_unnoticed"
    assert world.states.running() == ["vision-2-20261102T080200"]


def test_two_requesters_at_the_same_time_claim_one_execution(world: World) -> None:
    """The slower one has counted its request and read that nothing runs."""
    slow = world.table.add_request("vision")
    world.request()
    assert world.table.claim("vision", PREFIX + "other", slow) is False
    assert world.recorded() == PREFIX + "vision-1-20261102T080100"


def test_a_name_has_at_most_eighty_characters_and_no_sign_that_is_forbidden() -> None:
    name = execution_name("t" * 40, TeamStatus(runs=10**9), NOW)
    assert len(name) <= 80
    assert name.replace("-", "").isalnum()


def test_throttling_of_step_functions_is_named() -> None:
    client = boto3.client(
        "stepfunctions",
        region_name="us-west-2",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    with Stubber(client) as stub:
        stub.add_client_error("start_execution", "ThrottlingException", "slower")
        with pytest.raises(Throttled, match="vision"):
            Executions(client, MACHINE).start(PREFIX + "n", "vision")
        stub.add_response(
            "start_execution",
            {"executionArn": PREFIX + "n", "startDate": NOW},
            {"stateMachineArn": MACHINE, "name": "n", "input": '{"team": "vision"}'},
        )
        Executions(client, MACHINE).start(PREFIX + "n", "vision")
        stub.assert_no_pending_responses()
