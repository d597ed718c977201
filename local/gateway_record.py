"""Writes down each judged call of a role: which action, on what, and whether it was allowed.

One JSON line per judgement in `<home>/permissions.jsonl`. The account's root is judged by nothing
and is not in it.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ministack.core import iam_evaluator
from ministack.services import sts

from local.gateway_patch import replace

FILE = "permissions.jsonl"

Enforce = Callable[..., Any]


def apply(home: Path) -> None:
    """Record from now on, in a file that begins empty: a started gateway knows no role either."""
    target = os.open(home / FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
    replace(iam_evaluator, "enforce", lambda plain: _recorded(plain, target))


def _recorded(plain: Enforce, target: int) -> Enforce:
    def enforce(
        access_key: str,
        action: str,
        service: str,
        region: str,
        resource_arn: str = "*",
        service_context: dict[str, Any] | None = None,
    ) -> Any:
        answer = plain(access_key, action, service, region, resource_arn, service_context)
        role = _role(access_key)
        if role and not isinstance(answer, iam_evaluator.AuthError):
            line = {
                "role": role,
                "action": action,
                "resource": resource_arn,
                "allowed": answer is None,
            }
            os.write(target, f"{json.dumps(line)}\n".encode())
        return answer

    return enforce


def _role(access_key: str) -> str:
    """The name of the role whose session a key belongs to; empty if it is nobody's session."""
    session = sts._sessions.get(access_key) or {}
    return str(iam_evaluator._role_name_from_assumed_arn(str(session.get("Arn", ""))))
