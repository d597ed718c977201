"""PutEvents tells its condition keys, by which a role may publish under one source only.

Without this a permission with a condition on `events:source` allows nothing.
"""

import json
from collections.abc import Callable
from typing import Any

from ministack.core import iam_actions

from local.gateway_patch import replace

_KEYS = {"events:source": "Source", "events:detail-type": "DetailType"}

Context = dict[str, Any]


def apply() -> None:
    """Add the keys to those that the gateway reads from a request."""
    replace(iam_actions, "request_tag_context", _with_event_keys)


def _with_event_keys(plain: Callable[..., Context]) -> Callable[..., Context]:
    def context(service: str, action: str, body: bytes, parameters: Context) -> Context:
        found = plain(service, action, body, parameters)
        return found | _event_keys(body) if action == "events:PutEvents" else found

    return context


def _event_keys(body: bytes) -> Context:
    entries = json.loads(body).get("Entries", [])
    keys: Context = {}
    for key, field in _KEYS.items():
        values = sorted({entry.get(field, "") for entry in entries})
        keys[key] = values[0] if len(values) == 1 else values
    return keys
