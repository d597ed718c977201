"""Judges calls that another part answers, by the gateway's own evaluator and credentials.

The other part sends the request as it was signed, with the action and the resources that AWS
judges it by: a permission is needed for each of them.
"""

from typing import Any

from ministack.core import iam_actions, iam_evaluator
from ministack.core.responses import request_scope
from ministack.core.router import extract_access_key_id
from pydantic import Base64Bytes, BaseModel, ConfigDict

from local.settings import ACCOUNT, REGION

# whatever is wrong with the credentials: a key that nobody has, an old token, a forged signature
_UNKNOWN_CALLER = "UnrecognizedClientException"


class Asked(BaseModel):
    """A signed request and what it asks for."""

    model_config = ConfigDict(frozen=True)

    method: str
    path: str
    headers: list[tuple[str, str]]
    body: Base64Bytes
    service: str
    action: str
    resources: list[str]


def judge(text: bytes) -> dict[str, Any]:
    """{"refusal": null}, or {"refusal": {"code", "message"}}; raises ValidationError."""
    asked = Asked.model_validate_json(text)
    with request_scope(ACCOUNT, REGION):
        return {"refusal": _refusal(asked)}


def _refusal(asked: Asked) -> dict[str, str] | None:
    headers = {name.lower(): value for name, value in asked.headers}
    raw = [(name.lower().encode(), value.encode()) for name, value in asked.headers]
    iam_evaluator.pin_signed_request(asked.method, asked.path, {}, raw)
    iam_evaluator.pin_signed_body(asked.body)
    key = extract_access_key_id(headers, {})
    for resource in asked.resources:
        denied = iam_evaluator.enforce(key, asked.action, asked.service, REGION, resource)
        if isinstance(denied, iam_evaluator.AuthError):
            return {"code": _UNKNOWN_CALLER, "message": denied.message}
        if denied:
            said = iam_actions.identity_denial_message(
                asked.action, denied.principal_arn, resource, denied.decision == "Deny"
            )
            return {"code": "AccessDeniedException", "message": said}
    return None
