"""Access entries are judged by their own ARN, as in AWS, and tags by what they are on.

Without this the gateway judges every call on an access entry by the ARN of the cluster, and tagging
by no ARN at all.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from ministack.core import iam_actions

from local.gateway_patch import replace

# /clusters/<name>/access-entries/<principal>
_ENTRY_PARTS = 4


def apply() -> None:
    """Name the resource of the calls that the gateway misjudges."""
    replace(iam_actions, "extract_resource_arn", _with_entries)


def _with_entries(plain: Callable[..., str]) -> Callable[..., str]:
    def resource(service: str, method: str, path: str, *more: Any, **named: Any) -> str:
        judged = plain(service, method, path, *more, **named)
        return _eks(path, judged) if service == "eks" else judged

    return resource


def _eks(path: str, judged: str) -> str:
    if path.startswith("/tags/"):
        return unquote(path.removeprefix("/tags/"))
    parts = path.strip("/").split("/", _ENTRY_PARTS - 1)
    if len(parts) == _ENTRY_PARTS and parts[2] == "access-entries":
        place = judged.rpartition(":")[0]
        principal = unquote(parts[3]).rpartition(":")[2]
        return f"{place}:access-entry/{parts[1]}/{principal}"
    return judged
