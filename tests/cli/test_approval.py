"""The commands that speak HTTP: signed as who the environment says, each answer in one sentence."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from cli import api, stack
from cli.errors import BAD_INPUT, FAILURE, BadInput
from tests.cli.stack_support import Deployed, Result

ENTRY = {
    "id": "0123456789abcdef",
    "kind": "close_period",
    "subject": "2026-10",
    "summary": "Close 2026-10 at 96.00 USD",
    "state": "open",
    "requested_by": "ann",
    "requested_at": "2026-11-03T12:00:00Z",
    "open_until": "2026-11-10T12:00:00Z",
    "approvers": ["bob"],
    "decided_by": None,
    "decided_at": None,
    "comment": None,
}
FORBIDDEN = (403, {"message": "Forbidden"})


@dataclass
class Api:
    """Answers in turn, and remembers what was asked."""

    answers: list[tuple[int, Any]]
    asked: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)

    def run(self, *arguments: str) -> Result:
        return Deployed(None).run(*arguments)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    known = Api([])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            sent = self.rfile.read(length)
            headers = dict(self.headers.items())
            known.asked.append((self.command, self.path, headers, json.loads(sent or "null")))
            status, body = known.answers.pop(0)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode() if body is not None else b"<html>")

        do_POST = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    listening = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "mine")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
    monkeypatch.setenv(api.ADDRESS, f"http://127.0.0.1:{listening.server_port}/")
    yield known
    listening.shutdown()
    listening.server_close()


def test_what_waits_is_listed(server: Api) -> None:
    server.answers = [(200, [ENTRY]), (200, [])]
    shown = server.run("approval", "list")
    assert "close period 2026-10: Close 2026-10 at 96.00 USD" in " ".join(shown.out.split())
    assert server.run("approval", "list", "--ended").out == "Approvals: none\n"
    assert [path for _, path, _, _ in server.asked] == ["/approvals", "/approvals?ended=true"]


def test_a_call_is_signed_as_who_the_environment_says(server: Api) -> None:
    server.answers = [(200, ENTRY)]
    answered = server.run("approval", "approve", ENTRY["id"], "--comment", "fine", "--json")
    assert answered.json() == ENTRY
    ((method, path, headers, body),) = server.asked
    assert (method, path) == ("POST", f"/approvals/{ENTRY['id']}/approve")
    assert body == {"comment": "fine"}
    assert headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=mine/")
    assert "/us-west-2/execute-api/aws4_request" in headers["Authorization"]
    assert headers["X-Amz-Security-Token"] == "mine"


def test_a_rejection_says_what_became_of_it(server: Api) -> None:
    server.answers = [(200, {**ENTRY, "state": "rejected", "decided_by": "bob"})]
    assert server.run("approval", "reject", ENTRY["id"]).out == (
        "close period 2026-10: rejected by bob\n"
    )


@pytest.mark.parametrize(
    ("answered", "code", "said"),
    [
        ((400, {"error": "RefusedInput", "message": "id: wrong"}), BAD_INPUT, "id: wrong"),
        ((403, {"error": "NotAllowed", "message": "You asked"}), FAILURE, "You asked"),
        ((409, {"error": "TooLate", "message": "decided"}), FAILURE, "decided"),
        (FORBIDDEN, FAILURE, "permission set commons-finance"),
        ((500, {"message": "Internal Server Error"}), FAILURE, "did not answer (500)"),
        ((502, None), FAILURE, "did not answer (502)"),
    ],
)
def test_what_the_api_refuses_is_one_sentence(
    server: Api, answered: tuple[int, Any], code: int, said: str
) -> None:
    server.answers = [answered]
    told = server.run("approval", "approve", "x")
    assert told.code == code
    assert said in told.error


def test_an_argument_stays_one_part_of_the_path(server: Api) -> None:
    server.answers = [(404, {"error": "NotFound", "message": "no"})]
    server.run("approval", "approve", "a b?c#d/..")
    assert server.asked[0][1] == "/approvals/a%20b%3Fc%23d%2F../approve"


@pytest.mark.parametrize(
    ("address", "place"),
    [
        (
            "https://a1b2c3.execute-api.eu-central-1.amazonaws.com",
            ("https://a1b2c3.execute-api.eu-central-1.amazonaws.com", "eu-central-1"),
        ),
        (
            "http://a1b2c3d4.execute-api.127.0.0.1:4566",
            ("http://127.0.0.1:4566/_aws/execute-api/a1b2c3d4", "us-west-2"),
        ),
    ],
)
def test_the_region_of_the_signature_is_that_of_the_api(
    monkeypatch: pytest.MonkeyPatch, address: str, place: tuple[str, str]
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.delenv(api.ADDRESS, raising=False)
    monkeypatch.setattr(stack, "output", {"ChargebackApi": address}.__getitem__)
    assert api._place() == place


def test_who_may_not_read_the_stack_is_told_how_to_say_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def denied(_: str) -> str:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "DescribeStacks")

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.delenv(api.ADDRESS, raising=False)
    monkeypatch.setattr(stack, "output", denied)
    with pytest.raises(BadInput, match="set COMMONS_API"):
        api.get("periods")


def test_without_credentials_nothing_is_sent(
    server: Api, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    with pytest.raises(NoCredentialsError):
        api.get("periods")
    assert server.asked == []
