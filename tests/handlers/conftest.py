"""The handlers with a real table and bucket (moto), and fakes for what must be watched."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest

from commons import bootstrap
from commons.adapters.document_store import DocumentStore
from commons.adapters.executions import Executions
from commons.adapters.refusals import Refusals
from commons.adapters.runner import Runner
from commons.adapters.team_lookup import TeamLookup
from commons.adapters.team_table import TeamTable
from commons.domain.events import OutgoingEvent
from tests.adapters.team_tables import team_table

STORE = "d-9067a1b2c3"
BUCKET = "configuration"
MACHINE = "arn:aws:states:us-west-2:111122223333:stateMachine:gpu-commons-reconcile-team"


@dataclass
class States:
    """Step Functions, as far as executions are concerned."""

    running: dict[str, str] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    fail_next: int = 0

    class Refused(Exception):
        pass

    def start_execution(self, **arguments: Any) -> dict[str, str]:
        if self.fail_next:
            self.fail_next -= 1
            raise self.Refused("killed before it was started")
        name = arguments["name"]
        if name not in self.running:
            self.running[name] = "RUNNING"
            self.started.append(json.loads(arguments["input"])["team"])
        return {"executionArn": name}

    def describe_execution(self, executionArn: str) -> dict[str, str]:
        return {"status": self.running[executionArn.rpartition(":")[2]]}


class Bus:
    def __init__(self) -> None:
        self.events: list[OutgoingEvent] = []

    def publish(self, events: list[OutgoingEvent]) -> None:
        self.events += events

    def details(self, detail_type: str) -> list[dict[str, Any]]:
        return [event.detail for event in self.events if event.detail_type == detail_type]


class Names:
    """Display names of groups, by id."""

    def __init__(self) -> None:
        self.by_id: dict[str, str] = {}
        self.asked: list[str] = []

    def group_name(self, group_id: str) -> str | None:
        self.asked.append(group_id)
        return self.by_id.get(group_id)


@dataclass
class Stack:
    table: TeamTable
    raw: Any
    refusals: Refusals
    states: States
    runner: Runner
    bus: Bus
    names: Names
    s3: Any
    counted: list[str] = field(default_factory=list)

    def upload(self, key: str, text: str) -> str:
        return str(self.s3.put_object(Bucket=BUCKET, Key=key, Body=text.encode())["ETag"])

    def refused(self) -> list[dict[str, Any]]:
        return list(self.refusals.all())

    def end_all(self) -> None:
        """Whatever ran has ended well."""
        self.states.running = dict.fromkeys(self.states.running, "SUCCEEDED")

    def end(self, team: str) -> str:
        """The recorded execution ends; its ARN."""
        arn = self.table.status(team).execution_arn
        assert arn is not None
        self.states.running[arn.rpartition(":")[2]] = "SUCCEEDED"
        return arn


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    for name, value in {
        "AWS_DEFAULT_REGION": "us-west-2",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "IDENTITY_STORE_ID": STORE,
        "GROUP_PREFIX": "gpu-",
        "OWN_ROLE_PREFIX": "gpu-commons-",
        "CONFIGURATION_BUCKET_NAME": BUCKET,
    }.items():
        monkeypatch.setenv(name, value)
    with team_table() as raw:
        yield _wire(raw, monkeypatch)


def _wire(raw: Any, monkeypatch: pytest.MonkeyPatch) -> Stack:
    s3 = boto3.client("s3", region_name="us-west-2")
    s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    table, states, names = TeamTable(raw), States(), Names()
    stack = Stack(
        table=table,
        raw=raw,
        refusals=Refusals(raw),
        states=states,
        runner=Runner(table, Executions(states, MACHINE)),
        bus=Bus(),
        names=names,
        s3=s3,
    )
    parts: dict[str, Callable[..., Any]] = {
        "team_table": lambda: table,
        "refusals": lambda: stack.refusals,
        "runner": lambda: stack.runner,
        "event_bus": lambda: stack.bus,
        "document_store": lambda: DocumentStore(s3, BUCKET),
        "team_lookup": lambda: TeamLookup(table, names, "gpu-"),
        "count": lambda _, reason: stack.counted.append(reason),
        "now": lambda: datetime(2026, 11, 2, 8, 0, tzinfo=UTC),
    }
    for name, part in parts.items():
        monkeypatch.setattr(bootstrap, name, part)
    return stack


class Context:
    """What Lambda hands to a handler."""

    function_name = "function"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-west-2:111122223333:function:function"
    aws_request_id = "request"


@pytest.fixture
def context() -> Context:
    return Context()
