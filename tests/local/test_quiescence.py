"""Waiting until nothing is under way, on a stack that keeps itself busy."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from local.quiescence import Quiescence, StillBusy


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
