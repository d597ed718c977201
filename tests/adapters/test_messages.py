"""A batch of messages: each on its own, and nothing is swallowed."""

from typing import Any

import pytest

from commons.adapters.messages import Message, each_message
from commons.domain.errors import RefusedInput


class Log:
    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def exception(self, msg: object, *args: object, **more: Any) -> None:
        self.lines.append({"msg": msg, **more})


def records(*bodies: str) -> dict[str, Any]:
    return {
        "Records": [
            {"messageId": f"m{n}", "body": body, "eventSourceARN": "arn:queue"}
            for n, body in enumerate(bodies, start=1)
        ]
    }


def run(event: dict[str, Any], refuse_fails: bool = False) -> tuple[Any, list[str], list[str], Log]:
    done: list[str] = []
    refused: list[str] = []
    log = Log()

    def work(message: Message) -> None:
        if message.body == "bad":
            raise RefusedInput(message.name, ["bad"])
        if message.body == "bug":
            raise KeyError("bug")
        done.append(message.body)

    def refuse(message: Message, error: RefusedInput) -> None:
        if refuse_fails:
            raise OSError("the table does not answer")
        refused.append(error.what)

    return each_message(event, work, refuse, log), done, refused, log


def test_a_failed_message_comes_again_and_the_others_are_done() -> None:
    answer, done, refused, log = run(records("a", "bug", "bad", "b"))
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m2"}]}
    assert (done, refused) == (["a", "b"], ["message m3"])
    assert [line["message_id"] for line in log.lines] == ["m2"]


def test_a_refusal_that_could_not_be_recorded_comes_again() -> None:
    answer, _, refused, _ = run(records("bad"), refuse_fails=True)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert refused == []


def test_a_message_knows_how_it_is_sent_again() -> None:
    assert Message("m", "body", "arn:queue").source() == {"queue_arn": "arn:queue", "body": "body"}


def test_an_event_is_named_by_what_it_is_whatever_message_brings_it() -> None:
    body = '{"id": "e-1", "detail-type": "TaskStateChanged"}'
    names = {Message(number, body, "queue").name for number in ("m1", "m2")}
    assert names == {"TaskStateChanged e-1"}


@pytest.mark.parametrize("body", ["not json", "[]", "{}", "null", '{"id": "e-1"}'])
def test_what_is_no_event_is_named_by_its_message(body: str) -> None:
    assert Message("m1", body, "queue").name == "message m1"
