"""Takes whole events of AWS services, as they are: what PutEvents rightly refuses to others.

POST / with one event answers {"rules": [names of the rules that matched]}.
POST /judge answers whether a call of another part is allowed (gateway_judge).
GET /under-way answers the invocations that run or wait for a retry, by function.
"""

import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ministack.core.responses import request_scope
from ministack.services import eventbridge
from pydantic import ValidationError

from local import gateway_judge, gateway_retries
from local.event import Event
from local.settings import ACCOUNT, REGION


def start(port: int) -> ThreadingHTTPServer:
    """Listen on loopback in a thread of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Intake)
    threading.Thread(target=server.serve_forever, daemon=True, name="events-intake").start()
    return server


def deliver(text: bytes) -> list[str]:
    """Put one event on the default bus; the names of the rules that asked for it."""
    event = Event.model_validate_json(text)
    envelope: dict[str, Any] = json.loads(text)
    detail = envelope.pop("detail")
    envelope = {"version": "0", "resources": [], **envelope}
    view = eventbridge._EventView(envelope, json.dumps(detail))
    record = {
        "EventId": event.id,
        "Source": event.source,
        "DetailType": event.detail_type,
        "Detail": json.dumps(detail),
        "EventBusName": "default",
        "Time": int(event.time.timestamp()),
        "Resources": event.resources,
        "Account": event.account,
        "Region": event.region,
    }
    # rules live in the account and Region of the request that made them; our thread has neither
    with request_scope(ACCOUNT, REGION):
        matched = _rules(view)
        eventbridge._dispatch_event(record, view)
    return matched


def _rules(view: Any) -> list[str]:
    return sorted(
        rule["Name"]
        for rule in eventbridge._rules.values()
        if rule.get("EventBusName", "default") == "default"
        and rule.get("State") == "ENABLED"
        and rule.get("EventPattern")
        and eventbridge._matches_pattern_view(rule["EventPattern"], view)
    )


class _Intake(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        judged = self.path == "/judge"
        try:
            answer = gateway_judge.judge(text) if judged else {"rules": deliver(text)}
            self._answer(HTTPStatus.OK, answer)
        except ValidationError as error:
            faults = [
                f"{'.'.join(map(str, e['loc'])) or 'event'}: {e['msg']}" for e in error.errors()
            ]
            self._answer(HTTPStatus.BAD_REQUEST, {"faults": faults})

    def do_GET(self) -> None:
        self._answer(HTTPStatus.OK, {"functions": gateway_retries.under_way()})

    def _answer(self, status: HTTPStatus, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what matched is in the answer."""
