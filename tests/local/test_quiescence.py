"""Waiting until nothing is under way, on a stack that keeps itself busy."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from local.quiescence import Quiescence, StillBusy, WatchFailed


class _Directory(BaseHTTPRequestHandler):
    busy: dict = {"events": 0, "steps": []}  # noqa: RUF012 - one server of these tests

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(self.busy).encode())

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="module", autouse=True)
def directory(gateway) -> Iterator[type[_Directory]]:
    """Stands where the directory part would be."""
    server = HTTPServer(("127.0.0.1", gateway.directory), _Directory)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield _Directory
    server.shutdown()
    server.server_close()


@pytest.fixture
def quiescence(smoke):
    return Quiescence(smoke.ports, "smoke")


def start(smoke, **told):
    smoke.client("stepfunctions").start_execution(
        stateMachineArn=smoke.names["Machine"], input=json.dumps(told)
    )


def put(smoke, **item):
    values = {name: {"S": value} for name, value in item.items()}
    smoke.client("dynamodb").put_item(TableName=smoke.names["Table"], Item=values)


def test_it_returns_when_an_execution_has_ended(smoke, quiescence):
    start(smoke, key="slow", seconds=1)
    quiescence.wait(20)
    assert smoke.attempts("slow") == 1


def test_after_the_timeout_it_names_what_is_under_way(smoke, quiescence):
    start(smoke, key="slower", seconds=4)
    with pytest.raises(StillBusy, match="1 executions of smoke-Machine"):
        quiescence.wait(0.5)
    quiescence.wait(20)


def test_a_function_that_waits_for_its_next_attempt_is_under_way(smoke, quiescence):
    smoke.client("lambda").invoke(
        FunctionName=smoke.names["OnEvent"],
        InvocationType="Event",
        Payload=json.dumps({"key": "later", "failures": 1}),
    )
    quiescence.wait(20)
    assert smoke.attempts("later") == 2


def test_messages_that_nobody_reads_are_not_under_way(smoke, quiescence):
    smoke.client("sqs").send_message(QueueUrl=smoke.names["Failed"], MessageBody="{}")
    quiescence.wait(5)
    smoke.messages("Failed")


def test_events_of_the_directory_that_are_to_come_are_under_way(quiescence, directory, monkeypatch):
    monkeypatch.setattr(directory, "busy", {"events": 2, "steps": ["quota q becomes Created"]})
    with pytest.raises(StillBusy, match="2 events of the directory; quota q becomes Created"):
        quiescence.wait(0.1)


def test_a_recorded_runner_is_under_way_until_it_is_released(smoke, quiescence):
    put(smoke, pk="TEAM#vision", sk="STATUS", execution_arn="arn:x")
    with pytest.raises(StillBusy, match="reconcile of TEAM#vision"):
        quiescence.wait(0.1)
    put(smoke, pk="TEAM#vision", sk="STATUS")
    quiescence.wait(10)


def test_the_watch_makes_a_pass_that_began_after_the_call(smoke, quiescence):
    passes = smoke.attempts("watch")
    quiescence.wait(10)
    assert smoke.attempts("watch") == passes + 1


def test_a_pass_whose_worker_is_killed_is_made_again(smoke, quiescence):
    put(smoke, pk="told", key="killed-watch", failures="1", by="killed")
    quiescence.wait(10)
    assert smoke.attempts("killed-watch") == 2


def test_an_earlier_pass_is_not_enough_and_is_not_what_is_waited_for(smoke, quiescence):
    put(smoke, pk="told", key="two-passes")
    smoke.client("lambda").invoke(
        FunctionName=smoke.names["Watch"], InvocationType="Event", Payload=b'{"seconds": 2}'
    )
    quiescence.wait(10)
    assert smoke.attempts("two-passes") == 2


def test_a_watch_that_fails_is_told(smoke, quiescence):
    put(smoke, pk="told", key="broken-watch", failures="9", by="Refused")
    with pytest.raises(WatchFailed, match="as told"):
        quiescence.wait(10)
    put(smoke, pk="told")
