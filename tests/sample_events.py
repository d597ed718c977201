"""The project's sample events, and how SQS hands them to a function."""

import json
from typing import Any

from local import settings

QUEUE = f"arn:aws:sqs:{settings.REGION}:{settings.ACCOUNT}:queue"


def batch(*bodies: Any) -> dict[str, Any]:
    """What Lambda makes of SQS messages; a body that is no text is written as JSON."""
    return {
        "Records": [
            {
                "messageId": f"m{number}",
                "body": body if isinstance(body, str) else json.dumps(body),
                "eventSourceARN": QUEUE,
            }
            for number, body in enumerate(bodies, start=1)
        ]
    }


def sample(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((settings.CHECKOUT / "events" / f"{name}.json").read_text())
    return read


def nonsense() -> dict[str, Any]:
    """A message that would fail for ever."""
    return batch('{"detail-type": "nobody knows", "id": "x"}')
