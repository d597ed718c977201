"""`commons doctor` lists what waits for a person, and sends it again."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from moto import mock_aws
from typer.testing import CliRunner

from cli import account_checks, doctor, stack
from commons.adapters.refusals import Refusals

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
runner = CliRunner()


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-west-2",
    }.items():
        monkeypatch.setenv(name, value)
    stack.client.cache_clear()
    with mock_aws():
        table = boto3.resource("dynamodb").create_table(
            TableName="teams",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", "kind")
            ],
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "by_kind",
                    "KeySchema": [
                        {"AttributeName": "kind", "KeyType": "HASH"},
                        {"AttributeName": "pk", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        )
        sqs = boto3.client("sqs")
        outputs = {
            "TeamTable": "teams",
            "DocumentQueue": sqs.create_queue(QueueName="documents")["QueueUrl"],
            "DocumentDeadLetters": sqs.create_queue(QueueName="dead")["QueueUrl"],
        }
        monkeypatch.setattr(stack, "outputs", lambda: outputs)
        # the account's own checks have their own tests
        monkeypatch.setattr(account_checks, "account", lambda _: iter(()))
        yield table
    stack.client.cache_clear()


def queued(url: str) -> list[str]:
    answer = boto3.client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    return [message["Body"] for message in answer.get("Messages", [])]


def refuse(table: Any, name: str = "vision.yaml") -> str:
    source = {"queue_arn": "arn:aws:sqs:us-west-2:123456789012:documents", "body": f'"{name}"'}
    return Refusals(table).record("document", name, ["team: is missing"], NOW, source)


def test_a_healthy_stack_ends_with_zero(deployed: Any) -> None:
    result = runner.invoke(doctor.app, ["--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["refused"] == []


def test_a_refused_input_is_listed_with_its_reasons_and_ends_with_one(deployed: Any) -> None:
    refusal_id = refuse(deployed)
    result = runner.invoke(doctor.app, ["--json"])
    assert result.exit_code == 1
    (listed,) = json.loads(result.stdout)["refused"]
    assert listed["id"] == refusal_id
    assert listed["name"] == "vision.yaml"
    assert listed["reasons"] == ["team: is missing"]


def test_the_same_refused_input_is_one_record(deployed: Any) -> None:
    assert refuse(deployed) == refuse(deployed)
    assert len(list(Refusals(deployed).all())) == 1


def test_redrive_sends_only_the_named_input_again(deployed: Any) -> None:
    chosen, other = refuse(deployed, "a.yaml"), refuse(deployed, "b.yaml")
    result = runner.invoke(doctor.app, ["redrive", chosen, "--json"])
    assert result.exit_code == 0, result.output
    assert queued(stack.output("DocumentQueue")) == ['"a.yaml"']
    assert [item["id"] for item in Refusals(deployed).all()] == [other]


def test_redrive_of_an_unknown_input_is_bad_input_and_changes_nothing(deployed: Any) -> None:
    refuse(deployed)
    result = runner.invoke(doctor.app, ["redrive", "nothing"])
    assert "no refused input nothing" in str(result.exception)
    assert queued(stack.output("DocumentQueue")) == []


def test_a_dead_letter_is_a_problem_and_redrive_puts_it_back(deployed: Any) -> None:
    url = stack.output("DocumentDeadLetters")
    boto3.client("sqs").send_message(QueueUrl=url, MessageBody="stuck")
    assert runner.invoke(doctor.app, ["--json"]).exit_code == 1
    assert runner.invoke(doctor.app, ["redrive"]).exit_code == 0
    assert queued(stack.output("DocumentQueue")) == ["stuck"]
    assert queued(url) == []


def test_a_team_that_is_not_ready_is_a_problem(deployed: Any) -> None:
    deployed.put_item(Item={"pk": "TEAM#vision", "sk": "DOCUMENT", "kind": "team"})
    deployed.put_item(Item={"pk": "TEAM#vision", "sk": "STATUS", "phase": "Held"})
    result = runner.invoke(doctor.app, ["--json"])
    assert result.exit_code == 1
    checks = {c["check"]: c["message"] for c in json.loads(result.stdout)["checks"]}
    assert checks["team vision"] == "Held"
