"""Directory changes as CloudTrail tells them: four writers, four shapes, one subject to look at.

Values are hidden in these events and ids are not, so an event says only where to look again. Whose
call it was stands in `userIdentity`; `onBehalfOf` in it is the caller too, never the subject.
"""

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from commons.domain.incoming import read_message

Kind = Literal["user", "group", "membership"]

_GROUP_EVENTS = {
    "CreateGroup",
    "DeleteGroup",
    "PatchGroup",
    "PutGroup",
    "UpdateGroup",
    "UpdateGroupDisplayName",
    "AddMemberToGroup",
    "RemoveMemberFromGroup",
    "CreateGroupMembership",
}
_USER_EVENTS = {
    "CreateUser",
    "DeleteUser",
    "DisableUser",
    "EnableUser",
    "PatchUser",
    "PutUser",
    "UpdateUser",
    "UpdateUserName",
}
# botocore's model of identitystore: a UUID, in older directories with ten digits before it
_DIRECTORY_ID = re.compile(r"([0-9a-f]{10}-)?[A-Fa-f0-9]{8}(-[A-Fa-f0-9]{4}){3}-[A-Fa-f0-9]{12}")
_ASSIGNMENT_EVENTS = {"CreateAccountAssignment", "DeleteAccountAssignment"}
_ID_FIELDS: dict[Kind, tuple[str, ...]] = {
    "group": ("groupId", "id"),
    "user": ("userId", "id"),
    "membership": ("membershipId",),
}


class Subject(BaseModel):
    """What to look at again. `gone`: its name can no longer be asked for."""

    model_config = ConfigDict(frozen=True)

    kind: Kind
    id: str
    gone: bool = False


class OutOfScope(BaseModel):
    """Nothing to do, and why, in one word for the metric."""

    model_config = ConfigDict(frozen=True)

    reason: str


class _Detail(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    event_source: str = Field(alias="eventSource")
    event_name: str = Field(alias="eventName")
    error_code: str | None = Field(default=None, alias="errorCode")
    user_identity: Any = Field(default=None, alias="userIdentity")
    # both are left out by CloudTrail above 100 KB
    request: Any = Field(default=None, alias="requestParameters")
    response: Any = Field(default=None, alias="responseElements")


class DirectoryEvent(BaseModel):
    """The EventBridge envelope, as far as it is needed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = ""
    detail: _Detail


def read_directory_event(name: str, body: str) -> DirectoryEvent:
    """Raises RefusedInput for the message `name` if it is no such event."""
    return read_message(DirectoryEvent, name, body)


def subject_of(
    event: DirectoryEvent, identity_store_id: str, own_role_prefix: str
) -> Subject | OutOfScope:
    """Whom the event is about. Events of our own roles are echoes of what we have just done."""
    detail = event.detail
    if detail.error_code is not None:
        return OutOfScope(reason="failed_call")
    if _issuer(detail.user_identity).startswith(own_role_prefix):
        return OutOfScope(reason="own_call")
    # SCIM's events name a tenant of theirs instead of the store
    store = _text(detail.request, "identityStoreId") or _text(detail.response, "identityStoreId")
    if store not in (None, identity_store_id):
        return OutOfScope(reason="foreign_identity_store")
    return _subject(detail)


def _subject(detail: _Detail) -> Subject | OutOfScope:
    if detail.event_source == "sso.amazonaws.com":
        return _principal(detail)
    kind = _kind(detail.event_name)
    if kind is None:
        return OutOfScope(reason="unknown_event")
    places = (detail.request, detail.response, _inside(detail.response, kind))
    for place in places:
        for field in _ID_FIELDS[kind]:
            if found := _id(place, field):
                return Subject(kind=kind, id=found, gone=detail.event_name.startswith("Delete"))
    return OutOfScope(reason="no_subject")


def _kind(event_name: str) -> Kind | None:
    if event_name == "DeleteGroupMembership":
        return "membership"
    if event_name in _GROUP_EVENTS:
        return "group"
    return "user" if event_name in _USER_EVENTS else None


def _principal(detail: _Detail) -> Subject | OutOfScope:
    """Somebody else changed an assignment: the teams of its group or user are looked at again."""
    if detail.event_name not in _ASSIGNMENT_EVENTS:
        return OutOfScope(reason="unknown_event")
    principal = _id(detail.request, "principalId")
    kind = {"GROUP": "group", "USER": "user"}.get(_text(detail.request, "principalType") or "")
    if principal is None or kind is None:
        return OutOfScope(reason="no_subject")
    return Subject.model_validate({"kind": kind, "id": principal, "gone": True})


def _issuer(identity: Any) -> str:
    """Name of the role whose session made the call; empty for anybody else."""
    issuer = _inside(_inside(identity, "sessionContext"), "sessionIssuer")
    return _text(issuer, "userName") or ""


def _id(value: Any, field: str) -> str | None:
    """What has no form of an id becomes neither a key nor a call."""
    found = _text(value, field)
    return found if found and _DIRECTORY_ID.fullmatch(found) else None


def _inside(value: Any, field: str) -> Any:
    return value.get(field) if isinstance(value, dict) else None


def _text(value: Any, field: str) -> str | None:
    found = _inside(value, field)
    return found if isinstance(found, str) and found else None
