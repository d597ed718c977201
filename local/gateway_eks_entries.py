"""Access entries: judged by their own ARN, as in AWS, and described with their present tags.

Without this the gateway judges every call on an entry by the ARN of the cluster, and tagging by no
ARN at all; and an entry shows the tags it was made with, whatever was tagged since. It would also
take groups and user names that EKS keeps for itself.
"""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from ministack.core import iam_actions
from ministack.services import eks

from commons.domain.names import is_reserved_group
from local.gateway_patch import replace

Answer = tuple[int, dict[str, str], bytes]

# /clusters/<name>/access-entries/<principal>
_ENTRY_PARTS = 4


def apply() -> None:
    """Mend what is judged and what is described."""
    replace(iam_actions, "extract_resource_arn", _with_entries)
    replace(eks, "_describe_access_entry", lambda plain: _with_tags(plain, eks._tags))
    for write in ("_create_access_entry", "_update_access_entry"):
        replace(eks, write, _without_reserved)


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


def _with_tags(plain: Callable[..., Answer], tags: Any) -> Callable[..., Answer]:
    def describe(*arguments: Any) -> Answer:
        status, headers, body = plain(*arguments)
        document = json.loads(body)
        if entry := document.get("accessEntry"):
            entry["tags"] = {**entry.get("tags", {}), **tags.get(entry["accessEntryArn"], {})}
        return status, headers, json.dumps(document).encode()

    return describe


def _without_reserved(plain: Callable[..., Answer]) -> Callable[..., Answer]:
    def write(*arguments: Any) -> Answer:
        body = arguments[-1]
        for name in (*body.get("kubernetesGroups", []), body.get("username") or ""):
            if is_reserved_group(name):
                said = f"{name} begins like a name that is kept: system:, eks:, aws:, amazon:, iam:"
                answer: Answer = eks._error(400, "InvalidParameterException", said)
                return answer
        return plain(*arguments)

    return write
