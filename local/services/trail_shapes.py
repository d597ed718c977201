"""The shapes that the four writers of a directory leave in CloudTrail, from one recorded call."""

from datetime import datetime
from typing import Any

from local.services.fixtures import IDENTITY_STORE_ID, SCIM_TENANT_ID
from local.services.trail_call import HIDDEN, Call, Writer
from local.settings import ACCOUNT, REGION

_DIRECTORY = "identitystore"
_SCIM_TOKEN = "5b1c7b0e-6f0d-4a5e-9b7a-2f3c4d5e6f70"  # noqa: S105 - the id of a token, not a token
_LEGACY_TOKEN = "1d0e1b72-d0e0-4acb-9dbb-d65da93538b5"  # noqa: S105
_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0"

_SCIM_NAMES = {
    "CreateGroupMembership": "PatchGroup",
    "DeleteGroupMembership": "PatchGroup",
    "UpdateGroup": "PatchGroup",
    "UpdateUser": "PatchUser",
    "DisableUser": "PatchUser",
    "EnableUser": "PatchUser",
}
_PATCHES = {
    "CreateGroupMembership": {"op": "ADD", "path": "members"},
    "DeleteGroupMembership": {"op": "REMOVE", "path": "members"},
    "UpdateGroup": {"op": "REPLACE", "path": "displayName"},
    "UpdateUser": {"op": "REPLACE", "path": "name"},
    "DisableUser": {"op": "REPLACE", "path": "active"},
    "EnableUser": {"op": "REPLACE", "path": "active"},
}
_CONSOLE_NAMES = {
    "CreateGroupMembership": "AddMemberToGroup",
    "DeleteGroupMembership": "RemoveMemberFromGroup",
}


def detail(call: Call) -> dict[str, Any]:
    """What an event of this call's writer has in place of the plain API's."""
    if call.service != _DIRECTORY or call.writer is Writer.API:
        return {}
    return _scim(call) if call.writer is Writer.SCIM else _sso_directory(call)


def _scim(call: Call) -> dict[str, Any]:
    request: dict[str, Any] = {"tenantId": SCIM_TENANT_ID}
    if not call.action.startswith("Create") or call.action == "CreateGroupMembership":
        request["id"] = call.subject.get("id")
    if body := _scim_body(call):
        request["httpBody"] = body
    return {
        "eventVersion": "1.10",
        "userIdentity": {
            "type": "Unknown" if call.error else "WebIdentityUser",
            "accountId": ACCOUNT,
            "accessKeyId": _SCIM_TOKEN,
        },
        "eventSource": "identitystore-scim.amazonaws.com",
        "eventName": _SCIM_NAMES.get(call.action, call.action),
        "sourceIPAddress": "203.0.113.25",
        "userAgent": "Microsoft Azure AD SCIM provisioning 1.0.0",
        "requestParameters": request,
        "responseElements": None if call.error else _scim_answer(call),
        "tlsDetails": {"clientProvidedHostHeader": f"scim.{REGION}.amazonaws.com"},
    }


def _scim_body(call: Call) -> dict[str, Any] | None:
    if patch := _PATCHES.get(call.action):
        return {"operations": [{**patch, "value": HIDDEN}], "schemas": [HIDDEN]}
    if call.action == "CreateUser":
        return {**_person(), "active": True}
    if call.action == "CreateGroup":
        return {"displayName": HIDDEN, "schemas": [f"{_SCHEMA}:Group"]}
    return None


def _scim_answer(call: Call) -> dict[str, Any] | None:
    kind = "User" if "User" in call.action else "Group"
    identity = {"id": call.subject.get("id"), "meta": _meta(call.at, kind)}
    if kind == "User" and not call.action.startswith("Delete"):
        return {**_person(), **identity, "active": call.subject.get("active", True)}
    if call.action == "CreateGroup":
        return {"displayName": HIDDEN, "schemas": [f"{_SCHEMA}:Group"], **identity}
    return None  # a group that is patched answers 204


def _person() -> dict[str, Any]:
    return {
        "displayName": HIDDEN,
        "schemas": [f"{_SCHEMA}:User"],
        "name": {"familyName": HIDDEN, "givenName": HIDDEN},
        "userName": HIDDEN,
    }


def _meta(at: datetime, kind: str) -> dict[str, str]:
    shown = _locale(at)
    return {"created": shown, "lastModified": shown, "resourceType": kind}


def _locale(at: datetime, comma: str = ",") -> str:
    """A time as the directory writes it, which nobody should parse: Oct 2, 2026, 9:15:03 AM."""
    return f"{at:%b} {at.day}, {at.year}{comma} {int(at.strftime('%I'))}:{at:%M:%S %p}"


def _sso_directory(call: Call) -> dict[str, Any]:
    by_console = call.writer is Writer.CONSOLE
    answer: dict[str, Any] = {
        "eventSource": "sso-directory.amazonaws.com",
        "eventName": _CONSOLE_NAMES.get(call.action, call.action),
        "userAgent": "Mozilla/5.0" if by_console else "PostmanRuntime/7.26.8",
        "requestParameters": {"identityStoreId": IDENTITY_STORE_ID, **_console_request(call)},
        "responseElements": None if call.error else _console_answer(call),
    }
    if by_console:
        return {**answer, "userIdentity": _administrator(), "sessionCredentialFromConsole": "true"}
    identity = {"type": "Unknown", "accountId": ACCOUNT, "accessKeyId": _LEGACY_TOKEN}
    return {**answer, "userIdentity": identity}


def _administrator() -> dict[str, Any]:
    role, person = "AWSReservedSSO_IdentityAdmin_0123456789abcdef", "admin@example.com"
    issuer = {
        "type": "Role",
        "principalId": "AROAEXAMPLEROLEID0001",
        "arn": f"arn:aws:iam::{ACCOUNT}:role/aws-reserved/sso.amazonaws.com/{role}",
        "accountId": ACCOUNT,
        "userName": role,
    }
    return {
        "type": "AssumedRole",
        "principalId": f"{issuer['principalId']}:{person}",
        "arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{person}",
        "accountId": ACCOUNT,
        "accessKeyId": "ASIAEXAMPLEKEY000001",
        "sessionContext": {"sessionIssuer": issuer, "attributes": {"mfaAuthenticated": "false"}},
    }


def _console_request(call: Call) -> dict[str, Any]:
    identity = call.subject.get("id")
    if call.action == "CreateUser":
        return {"userName": HIDDEN, "active": True, "userAttributes": HIDDEN}
    if call.action == "CreateGroup":
        return {"displayName": HIDDEN}
    if call.action in _CONSOLE_NAMES:
        return {"groupId": identity, "member": {"memberId": call.subject.get("member")}}
    return {"userId" if "User" in call.action else "groupId": identity}


def _console_answer(call: Call) -> dict[str, Any] | None:
    at = _locale(call.at, comma="")
    meta = {"createdAt": at, "updatedAt": at, "createdBy": ACCOUNT, "updatedBy": ACCOUNT}
    identity = call.subject.get("id")
    if call.action == "CreateUser":
        user = {"userId": identity, "userName": HIDDEN, "active": True, "meta": meta}
        return {"user": user}
    if call.action == "CreateGroup":
        return {"group": {"groupId": identity, "displayName": HIDDEN, "meta": meta}}
    return None
