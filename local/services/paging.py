"""Pages with a token that stays right while items come and go."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any

from local.services.errors import Refused

_LIMIT = 100


def page[Item](
    items: list[Item],
    params: Mapping[str, Any],
    key: Callable[[Item], list[Any]],
    descending: bool = False,
) -> tuple[list[Item], str | None]:
    """The next page in the order of `key` (unique per item), and the token of the one after.

    Raises Refused (ValidationException) for a token this service has not made.
    """
    ordered = sorted(items, key=key, reverse=descending)
    if token := params.get("NextToken"):
        last = _decode(token)
        ordered = [
            item for item in ordered if (key(item) < last if descending else key(item) > last)
        ]
    limit = int(params.get("MaxResults") or _LIMIT)
    chosen = ordered[:limit]
    return chosen, _encode(key(chosen[-1])) if len(ordered) > limit else None


def _encode(last: list[Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(last).encode()).decode()


def _decode(token: str) -> list[Any]:
    try:
        last = json.loads(base64.urlsafe_b64decode(token))
    except (binascii.Error, ValueError) as error:
        raise Refused("ValidationException", "NextToken is invalid") from error
    if not isinstance(last, list):
        raise Refused("ValidationException", "NextToken is invalid")
    return last
