"""Asks the gateway whether a call is allowed: it has roles, policies and sessions."""

import base64
import json
import os
import urllib.request
from collections.abc import Sequence
from typing import Any

from local.services.errors import Refused
from local.settings import ACCOUNT

_TIMEOUT_SECONDS = 10


def refusal(response: Any, action: str, resources: Sequence[str]) -> Refused | None:
    """Why the caller of a moto response may not do `action` on one of `resources`; None if it may.

    Raises OSError if the gateway does not answer: nobody is allowed anything then.
    """
    if response.get_access_key() == ACCOUNT:  # the account's root, whom no policy limits
        return None
    question = {
        "method": response.method,
        "path": response.raw_path,
        "headers": list(response.headers.items()),
        "body": base64.b64encode(response.raw_body).decode(),
        "service": response.boto3_service_name,
        "action": action,
        "resources": list(resources),
    }
    told = _ask(json.dumps(question).encode())["refusal"]
    return Refused(told["code"], told["message"]) if told else None


def _ask(question: bytes) -> Any:
    url = f"{os.environ['COMMONS_LOCAL_EVENTS_URL']}/judge"
    request = urllib.request.Request(url, question)  # noqa: S310 - our own gateway
    with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310
        return json.load(answer)
