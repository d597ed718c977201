"""What a refusal looks like, and waiting for what a cluster does in its own time."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE_SECONDS = 30.0


def refused(answer: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    """Code and reason of an answer that is a Status of failure."""
    code, status = answer
    assert (status["kind"], status["apiVersion"], status["status"]) == ("Status", "v1", "Failure")
    assert (status["code"], status["metadata"]) == (code, {})
    assert status["message"]
    return code, status["reason"]


def eventually(look: Callable[[], Any]) -> Any:
    """What `look` finds, as soon as it finds something: caches of a cluster lag behind."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (found := look()):
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.05)
    return found
