"""Approvals from the step that asks to the answer that the state machine gets."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chargeback import ask_to_close
from commons import bootstrap
from commons.adapters.approval_desk import ApprovalDesk
from commons.adapters.approval_table import ApprovalTable
from commons.adapters.executions import Executions
from commons.adapters.iam_roles import IamRoles
from commons.adapters.notices import Notices
from commons.adapters.signed_callers import SignedCallers
from commons.adapters.task_tokens import TaskTokens
from commons.domain.errors import ChangedMeanwhile, RefusedInput
from teams import decide_approvals, request_approval
from tests.access_fakes import IamFake
from tests.adapters.team_tables import team_table
from tests.aws_fake import FakeAws, Refused
from tests.handlers.conftest import Bus, Context
from tests.http_events import ACCOUNT, answer, problem, request

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
MACHINE = f"arn:aws:states:us-west-2:{ACCOUNT}:stateMachine:gpu-commons-close-period"
EXECUTION = f"{MACHINE.replace('stateMachine', 'execution')}:1"
TOPIC = f"arn:aws:sns:us-west-2:{ACCOUNT}:finance"
ROLE = "AWSReservedSSO_commons-finance_1111"
SESSIONS = f"arn:aws:sts::{ACCOUNT}:assumed-role"
ASKED: dict[str, Any] = {
    "token": "t1",
    "kind": "close_period",
    "subject": "2026-10",
    "summary": "Close 2026-10 at 96.00 USD",
    "requested_by": "ann",
    "approvers": ["ann", "bob", "eve"],
    "execution": EXECUTION,
}


@dataclass
class World:
    """A table in moto; Step Functions, IAM and SNS behind their real clients."""

    raw: Any
    bus: Bus = field(default_factory=Bus)
    iam: IamFake = field(default_factory=IamFake)
    states: FakeAws = field(default_factory=lambda: FakeAws("stepfunctions"))
    sns: FakeAws = field(default_factory=lambda: FakeAws("sns"))
    answers: list[tuple[str, Any]] = field(default_factory=list)
    refuse: list[str] = field(default_factory=list)
    now: datetime = NOW

    def ask(self, **changes: Any) -> str:
        """The step of the state machine; the id of the approval."""
        return str(request_approval.handler({**ASKED, **changes}, Context())["approval_id"])

    def call(self, method: str, path: str, who: str, **more: Any) -> dict[str, Any]:
        """`who`: a user name, or a whole ARN."""
        caller = who if who.startswith("arn:") else f"{SESSIONS}/{ROLE}/{who}"
        event = request(method, path, caller=caller, **more)
        handler = ask_to_close.handler if "/periods/" in path else decide_approvals.handler
        return handler(event, Context())

    def decide(self, approval: str, who: str, verb: str = "approve", **more: Any) -> dict[str, Any]:
        return self.call("POST", f"/approvals/{approval}/{verb}", who, **more)

    def item(self, approval: str) -> dict[str, Any]:
        key = {"pk": f"APPROVAL#{approval}", "sk": "APPROVAL"}
        return dict(self.raw.get_item(Key=key)["Item"])

    def SendTaskSuccess(self, taskToken: str, output: str) -> dict[str, Any]:
        self._maybe_refuse()
        self.answers.append((taskToken, json.loads(output)))
        return {}

    def SendTaskFailure(self, taskToken: str, error: str, cause: str) -> dict[str, Any]:
        self._maybe_refuse()
        self.answers.append((taskToken, (error, cause)))
        return {}

    def StartExecution(self, stateMachineArn: str, name: str, input: str) -> dict[str, Any]:
        self.answers.append((stateMachineArn, json.loads(input)))
        return {"executionArn": f"{EXECUTION}-{name}", "startDate": NOW}

    def _maybe_refuse(self) -> None:
        if self.refuse:
            raise Refused(self.refuse.pop(0))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with team_table() as raw:
        made = World(raw)
        made.iam.make("commons-finance")
        for name in ("SendTaskSuccess", "SendTaskFailure", "StartExecution"):
            made.states.answer(name, getattr(made, name))
        made.sns.answer("Publish", lambda **_: {"MessageId": "m"})
        table = ApprovalTable(raw)
        parts: dict[str, Any] = {
            "approval_table": lambda: table,
            "approval_desk": lambda: ApprovalDesk(table, TaskTokens(made.states.client)),
            "signed_callers": lambda: SignedCallers(IamRoles(made.iam.client)),
            "closings": lambda: Executions(made.states.client, MACHINE),
            "notices": lambda: Notices(made.sns.client, TOPIC),
            "event_bus": lambda: made.bus,
            "now": lambda: made.now,
        }
        for name, part in parts.items():
            monkeypatch.setattr(bootstrap, name, part)
        yield made


def test_a_request_waits_and_those_who_may_decide_are_told(world: World) -> None:
    found = world.ask()
    (event,) = world.bus.details("ApprovalRequested")
    assert (event["approvalId"], event["subject"]) == (found, "2026-10")
    (_, told) = world.sns.calls[0]
    assert (told["TopicArn"], told["Subject"]) == (
        TOPIC,
        "GPU Commons: close period 2026-10 waits for approval",
    )
    assert world.answers == []
    (entry,) = answer(world.call("GET", "/approvals", "bob"))
    assert (entry["id"], entry["state"], entry["requested_by"]) == (found, "open", "ann")
    assert "token" not in entry


def test_without_a_topic_only_the_event_is_published(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "notices", lambda: Notices(world.sns.client, ""))
    world.ask()
    assert (len(world.bus.events), world.sns.calls) == (1, [])


def test_a_yes_lets_the_state_machine_go_on_and_says_who_said_it(world: World) -> None:
    found = world.ask()
    entry = answer(world.decide(found, "bob", body={"comment": "looks right"}))
    assert (entry["state"], entry["decided_by"], entry["comment"]) == (
        "approved",
        "bob",
        "looks right",
    )
    (sent,) = world.answers
    expected = {"approval_id": found, "decided_by": "bob", "decided_at": "2026-11-03T12:00:00Z"}
    assert sent == ("t1", expected)
    assert answer(world.call("GET", "/approvals", "bob")) == []
    (ended,) = answer(world.call("GET", "/approvals", "ann", ended="true"))
    assert ended == entry


def test_a_no_ends_it_with_the_reason(world: World) -> None:
    found = world.ask()
    answer(world.decide(found, "eve", "reject", body={"comment": "the credit is missing"}))
    reason = "eve rejected close_period 2026-10: the credit is missing"
    assert world.answers == [("t1", ("Rejected", reason))]


def test_who_asked_and_who_is_not_named_decide_nothing(world: World) -> None:
    found = world.ask()
    for who in ("ann", "ANN", "mallory"):
        assert problem(world.decide(found, who))[:2] == (403, "NotAllowed")
    assert answer(world.call("GET", "/approvals", "mallory")) == []
    assert world.item(found)["state"] == "open"
    assert world.answers == []


@pytest.mark.parametrize(
    "caller",
    [
        f"arn:aws:iam::{ACCOUNT}:user/bob",
        f"arn:aws:iam::{ACCOUNT}:root",
        f"{SESSIONS}/admin/bob",
        f"{SESSIONS}/AWSReservedSSO_gone_1111/bob",
        # somebody's own role, called like one of Identity Center's
        f"{SESSIONS}/AWSReservedSSO_mine_2222/bob",
        f"{SESSIONS.replace(ACCOUNT, '444455556666')}/{ROLE}/bob",
        f"{SESSIONS}/{ROLE}/bob/ann",
        "arn:",
    ],
)
def test_only_people_who_signed_in_by_identity_center_decide_or_ask(
    world: World, caller: str
) -> None:
    world.iam.imitate("AWSReservedSSO_mine_2222")
    found = world.ask()
    for told in (
        world.decide(found, caller),
        world.call("GET", "/approvals", caller),
        world.call("POST", "/periods/2026-10/close", caller),
    ):
        status, error, message = problem(told)
        assert (status, error) == (403, "NotAllowed")
        assert "run aws sso login" in message
    assert world.answers == []


def test_a_role_whose_path_may_not_be_read_is_nobody(world: World) -> None:
    def forbidden(**_: Any) -> dict[str, Any]:
        raise Refused("AccessDenied")

    found = world.ask()
    world.iam.answer("GetRole", forbidden)
    assert problem(world.decide(found, "bob"))[:2] == (403, "NotAllowed")


def test_it_is_decided_once(world: World) -> None:
    found = world.ask()
    answer(world.decide(found, "bob"))
    answer(world.decide(found, "eve"))
    status, error, message = problem(world.decide(found, "eve", "reject"))
    assert (status, error) == (409, "TooLate")
    assert "approved by bob" in message
    assert len(world.answers) == 1


def test_who_is_second_of_two_at_once_is_told_to_look_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = world.ask()
    stale = bootstrap.approval_table().get(found)
    answer(world.decide(found, "bob"))
    with pytest.raises(ChangedMeanwhile):
        bootstrap.approval_table().end(stale.model_copy(update={"state": "rejected"}), NOW)
    assert world.item(found)["decided_by"] == "bob"


def test_a_decision_that_could_not_be_sent_is_sent_when_it_is_said_again(world: World) -> None:
    found = world.ask()
    world.refuse = ["ThrottlingException"]
    assert problem(world.decide(found, "bob"))[:2] == (503, "Throttled")
    assert (world.item(found)["state"], world.answers) == ("approved", [])
    entry = answer(world.decide(found, "bob"))
    assert (entry["decided_by"], len(world.answers)) == ("bob", 1)


@pytest.mark.parametrize("code", ["TaskTimedOut", "TaskDoesNotExist", "InvalidToken"])
def test_a_decision_for_which_nobody_waits_any_more_says_so(world: World, code: str) -> None:
    found = world.ask()
    world.refuse = [code]
    status, error, message = problem(world.decide(found, "bob"))
    assert (status, error) == (409, "TooLate")
    assert "Nobody waits" in message


def test_op_06_an_expired_request_is_refused_although_the_table_has_it(world: World) -> None:
    found = world.ask()
    world.now = NOW + timedelta(days=7)
    assert "has expired" in problem(world.decide(found, "bob"))[2]
    assert answer(world.call("GET", "/approvals", "bob")) == []
    (entry,) = answer(world.call("GET", "/approvals", "bob", ended="true"))
    assert entry["state"] == "expired"
    # what is kept for good must not carry the attribute by which the table forgets
    assert "expires_at" not in world.item(found)
    assert world.item(found)["open_until"] == int((NOW + timedelta(days=7)).timestamp())


def test_op_01_a_step_that_is_tried_again_is_answered_by_its_newest_token(world: World) -> None:
    found = world.ask()
    assert world.ask(token="t2") == found
    answer(world.decide(found, "bob"))
    assert [token for token, _ in world.answers] == ["t2"]
    # the step died after the decision: it is told at once
    assert world.ask(token="t3") == found
    assert [token for token, _ in world.answers] == ["t2", "t3"]
    assert len(world.bus.events) == 2


def test_what_nobody_else_could_approve_ends_at_once(world: World) -> None:
    with pytest.raises(RefusedInput, match="name more approvers"):
        world.ask(approvers=["ann"])


def test_who_asks_to_close_a_month_is_the_one_who_signed(world: World) -> None:
    told = answer(world.call("POST", "/periods/2026-10/close", "ann"))
    assert (told["period"], told["requested_by"]) == ("2026-10", "ann")
    assert world.answers == [(MACHINE, {"period": "2026-10", "requested_by": "ann"})]


def test_a_month_is_asked_for_once_at_a_time(world: World) -> None:
    found = world.ask()
    status, error, message = problem(world.call("POST", "/periods/2026-10/close", "eve"))
    assert (status, error) == (409, "TooLate")
    assert found in message
    answer(world.call("POST", "/periods/2026-11/close", "eve"))
    world.now = NOW + timedelta(days=8)
    answer(world.call("POST", "/periods/2026-10/close", "eve"))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/approvals/nothing/approve", None),
        ("/approvals/0123456789abcdef/approve", {"comment": ""}),
        ("/approvals/0123456789abcdef/approve", {"comment": "x" * 1001}),
        ("/approvals/0123456789abcdef/approve", {"approver": "bob"}),
        ("/approvals/0123456789abcdef/approve", ["bob"]),
        ("/periods/2026-1/close", None),
    ],
)
def test_what_is_no_decision_is_refused(world: World, path: str, body: Any) -> None:
    status, error, _ = problem(world.call("POST", path, "bob", body=body))
    assert (status, error) == (400, "RefusedInput")


def test_an_approval_that_is_not_there_is_said_so(world: World) -> None:
    assert problem(world.decide("0" * 16, "bob"))[:2] == (404, "NotFound")
