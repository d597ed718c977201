"""The real directory process for the tests, with a listener in place of the gateway's intake."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import boto3
import requests
from botocore.config import Config
from botocore.session import get_session

CHECKOUT = Path(__file__).parents[2]
STORE = "d-9067a1b2c3"
PATIENCE_SECONDS = 10.0


class Intake:
    """Keeps the events that it is given."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        received = self.events

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path != "/judge":  # everybody is allowed everything here
                    received.append(told)
                answer = b'{"refusal": null}'
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def named(self, name: str, count: int = 1) -> list[dict[str, Any]]:
        """The details of the events of a name, once there are so many."""
        return eventually(
            lambda: [e["detail"] for e in self.events if e["detail"]["eventName"] == name],
            lambda found: len(found) >= count,
        )


class Directory:
    """A running directory part."""

    def __init__(self, url: str, intake: Intake) -> None:
        self.url, self.intake = url, intake

    def client(self, service: str, access_key: str = "111122223333", **headers: str) -> Any:
        """A client; headers (`x_commons_local_writer`) go with each of its requests."""
        session = boto3.Session(access_key, "local", region_name="us-west-2")
        config = Config(retries={"total_max_attempts": 1})
        client = session.client(service, endpoint_url=self.url, config=config)

        def add(request: Any, **_: Any) -> None:
            for name, value in headers.items():
                request.headers[name.replace("_", "-")] = value

        client.meta.events.register("before-sign", add)
        return client

    def call(self, method: str, path: str, document: Any = None) -> Any:
        """A call of one of the administrator's routes."""
        answer = requests.request(method, f"{self.url}/_local/{path}", json=document, timeout=5)
        answer.raise_for_status()
        return answer.json()


@contextlib.contextmanager
def running(**environment: str) -> Iterator[Directory]:
    """Run a directory part of its own; `environment` in addition to the usual."""
    intake = Intake()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "local.directory"],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "COMMONS_LOCAL_PORT": str(port),
            "COMMONS_LOCAL_EVENTS_URL": intake.url,
            "COMMONS_LOCAL_DELAY": "0.05",
            **environment,
        },
    )
    try:
        eventually(lambda: _listens(port) or process.poll() is not None, bool, 30)
        yield Directory(f"http://127.0.0.1:{port}", intake)
    finally:
        process.terminate()
        process.wait(10)
        intake.server.shutdown()


def eventually(ask: Any, enough: Any, seconds: float = PATIENCE_SECONDS) -> Any:
    """The first answer that is enough; fails after `seconds` with the last one."""
    until = time.monotonic() + seconds
    while not enough(answer := ask()):
        assert time.monotonic() < until, f"still {answer}"
        time.sleep(0.02)
    return answer


def conforms(service: str, operation: str, answer: dict[str, Any]) -> None:
    """Fails unless an answer has just the members of its shape, and all required ones."""
    shape = get_session().get_service_model(service).operation_model(operation).output_shape
    found = {name: value for name, value in answer.items() if name != "ResponseMetadata"}
    _conforms(shape, found, operation)


def _conforms(shape: Any, value: Any, path: str) -> None:
    if shape.type_name == "structure":
        assert set(value) <= set(shape.members), f"{path}: {set(value) - set(shape.members)}"
        missing = set(shape.required_members) - set(value)
        assert not missing, f"{path} lacks {missing}"
        for name, item in value.items():
            _conforms(shape.members[name], item, f"{path}.{name}")
    elif shape.type_name == "list":
        for item in value:
            _conforms(shape.member, item, f"{path}[]")
    elif enum := getattr(shape, "enum", None):
        assert value in enum, f"{path}: {value}"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
