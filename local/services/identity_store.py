"""What the directory holds: users, groups and memberships, each in the shape it is described in."""

import uuid
from collections.abc import Iterable
from typing import Any

from local.services import clock
from local.services.errors import Refused
from local.services.fixtures import IDENTITY_STORE_ID
from local.settings import ACCOUNT

_ARN = "arn:aws:identitystore:::{kind}/{identity}"
_TYPES = {"user": "USER", "group": "GROUP", "membership": "GROUP_MEMBERSHIP"}

Record = dict[str, Any]


class Directory:
    """Users, groups and memberships by id."""

    def __init__(self) -> None:
        self.users: dict[str, Record] = {}
        self.groups: dict[str, Record] = {}
        self.memberships: dict[str, Record] = {}

    def add(self, kind: str, record: Record) -> Record:
        """Give a record its id, ARN and dates, and keep it."""
        identity = str(uuid.uuid4())
        name = kind.capitalize()
        complete = {
            **record,
            "IdentityStoreId": IDENTITY_STORE_ID,
            f"{name}Id": identity,
            f"{name}Arn": _ARN.format(kind=kind, identity=identity),
            "CreatedAt": clock.now(),
            "CreatedBy": ACCOUNT,
        }
        self._of(kind)[identity] = complete
        touch(complete)
        return complete

    def get(self, kind: str, identity: str) -> Record:
        """One record, also by its ARN; raises Refused (ResourceNotFoundException)."""
        plain = identity.rpartition("/")[2]
        if plain not in self._of(kind):
            raise not_found(_TYPES[kind], plain)
        return self._of(kind)[plain]

    def remove(self, kind: str, record: Record, revision: str | None = None) -> None:
        """Take a record out, and the memberships it has a part in."""
        expect(record, revision)
        identity = record[f"{kind.capitalize()}Id"]
        del self._of(kind)[identity]
        for membership_id, membership in list(self.memberships.items()):
            if identity in (membership["GroupId"], membership["MemberId"]["UserId"]):
                del self.memberships[membership_id]

    def membership(self, group_id: str, user_id: str) -> Record:
        """The membership of a user in a group; raises Refused (ResourceNotFoundException)."""
        for membership in self.memberships.values():
            if (membership["GroupId"], membership["MemberId"]["UserId"]) == (group_id, user_id):
                return membership
        raise not_found(_TYPES["membership"], None)

    def refuse_twin(self, kind: str, record: Record, own_id: str | None = None) -> None:
        """Raises Refused (ConflictException) if somebody else has the name already."""
        attribute, fold = ("UserName", True) if kind == "user" else ("DisplayName", False)
        wanted = record.get(attribute)
        others = (o for o in self._of(kind).values() if o[f"{kind.capitalize()}Id"] != own_id)
        if wanted and any(_same(o.get(attribute), wanted, fold) for o in others):
            raise Refused(
                "ConflictException",
                f"Duplicate {'UserName' if fold else 'GroupDisplayName'}",
                Reason="UNIQUENESS_CONSTRAINT_VIOLATION",
            )

    def find(self, kind: str, alternate: Record) -> Record:
        """The record with a unique attribute or an external id; raises Refused."""
        for record in self._of(kind).values():
            if external := alternate.get("ExternalId"):
                if external in record.get("ExternalIds", []):
                    return record
            elif _has(record, alternate["UniqueAttribute"]):
                return record
        raise not_found(_TYPES[kind], None)

    def _of(self, kind: str) -> dict[str, Record]:
        return {"user": self.users, "group": self.groups, "membership": self.memberships}[kind]


def not_found(resource_type: str, identity: str | None) -> Refused:
    """The refusal of an id nobody has."""
    return Refused(
        "ResourceNotFoundException",
        f"{resource_type} not found.",
        ResourceType=resource_type,
        ResourceId=identity,
    )


def expect(record: Record, revision: str | None) -> None:
    """Raises Refused (ConflictException) if the record is not at that revision."""
    if revision and revision != record.get("Revision"):
        raise Refused(
            "ConflictException",
            f"Revision {revision} is not the current one",
            Reason="CONCURRENT_MODIFICATION",
        )


def touch(record: Record) -> None:
    """A record has changed: its next revision and date."""
    record["Revision"] = str(int(record.get("Revision", 0)) + 1)
    record["UpdatedAt"], record["UpdatedBy"] = clock.now(), ACCOUNT


def _same(one: Any, other: Any, fold: bool) -> bool:
    return bool(str(one).casefold() == str(other).casefold() if fold else one == other)


def _has(record: Record, unique: Record) -> bool:
    path, value = unique["AttributePath"].casefold(), unique["AttributeValue"]
    if path == "username":
        return _same(record.get("UserName"), value, fold=True)
    if path == "displayname":
        return bool(record.get("DisplayName") == value)
    if path == "emails.value":
        return any(_same(e.get("Value"), value, fold=True) for e in _emails(record))
    raise Refused("ValidationException", f"The attribute {path} is not a unique attribute")


def _emails(record: Record) -> Iterable[Record]:
    return record.get("Emails") or []


directory = Directory()
