"""The attributes of users and groups: which must be there, and how an update changes them."""

import copy
from collections.abc import Iterable
from typing import Any

from local.services.errors import Refused

Record = dict[str, Any]

_FIXED = {"IdentityStoreId", "UserId", "GroupId", "UserStatus", "Revision", "ExternalIds"}
_GROUP = {"DisplayName", "Description"}
_USER = {
    "Addresses", "Birthdate", "DisplayName", "Emails", "Locale", "Name", "NickName",
    "PhoneNumbers", "Photos", "PreferredLanguage", "ProfileUrl", "Roles", "Timezone", "Title",
    "UserName", "UserType", "Website",
}  # fmt: skip


def complete_user(params: Record) -> Record:
    """A new user's attributes; raises Refused (ValidationException) where one is missing."""
    if not params.get("UserName"):
        raise Refused("ValidationException", "userName is a required attribute")
    name = params.get("Name") or {}
    required = {
        "displayname": params.get("DisplayName"),
        "familyname": name.get("FamilyName"),
        "givenname": name.get("GivenName"),
    }
    missing = [attribute for attribute, value in required.items() if not value]
    if missing:
        told = ", ".join(f"{a}: The attribute {a} is required" for a in missing)
        raise Refused("ValidationException", told)
    user = {attribute: value for attribute, value in params.items() if attribute in _USER}
    return {**user, "UserStatus": "ENABLED"}


def change(kind: str, record: Record, operations: Iterable[Record]) -> Record:
    """A record after the operations of an update; raises Refused for an attribute it has not."""
    changed = copy.deepcopy(record)
    for operation in operations:
        first, *rest = (
            part[:1].upper() + part[1:] for part in operation["AttributePath"].split(".")
        )
        if first in _FIXED or first not in (_USER if kind == "user" else _GROUP):
            raise Refused(
                "ValidationException",
                f"{operation['AttributePath']} is not an attribute that can be updated",
            )
        _put(changed, [first, *rest], operation.get("AttributeValue"))
    return changed


def _put(record: Record, path: list[str], value: Any) -> None:
    *parents, last = path
    for parent in parents:
        record = record.setdefault(parent, {})
    if value is None:
        record.pop(last, None)
    else:
        record[last] = _named(value)


def _named(value: Any) -> Any:
    """A document's own names as the model has them: `value` is `Value`."""
    if isinstance(value, dict):
        return {name[:1].upper() + name[1:]: _named(item) for name, item in value.items()}
    return [_named(item) for item in value] if isinstance(value, list) else value
