"""IAM Identity Center's directory: groups by name, members page by page, people by id."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.domain.group_pins import GroupPin
from commons.domain.membership import GroupRead, Membership, Person

_NOT_FOUND = "ResourceNotFoundException"
# up to here one call per person is quicker than to page through everybody (100 a page)
_SINGLE_LOOK_UPS = 100


class IdentityStore:
    def __init__(self, client: Any, identity_store_id: str) -> None:
        self._client = client
        self._store = {"IdentityStoreId": identity_store_id}

    def group_id(self, display_name: str) -> str | None:
        """Id of the group of exactly that name; None if there is none."""
        path = {"AttributePath": "displayName", "AttributeValue": display_name}
        with translated(f"GetGroupId of {display_name}"):
            answer = self._found(
                self._client.get_group_id, AlternateIdentifier={"UniqueAttribute": path}
            )
        return str(answer["GroupId"]) if answer else None

    def group_name(self, group_id: str) -> str | None:
        """Display name of a group; None for one that is gone."""
        with translated(f"DescribeGroup of {group_id}"):
            answer = self._found(self._client.describe_group, GroupId=group_id)
        return str(answer["DisplayName"]) if answer else None

    def groups(self, prefix: str) -> dict[str, str]:
        """Display name by id of every group whose name begins with the prefix."""
        with translated("ListGroups"):
            return {
                group["GroupId"]: group["DisplayName"]
                for group in self._pages("list_groups", "Groups")
                if group.get("DisplayName", "").startswith(prefix)
            }

    def everybody(self) -> dict[str, Person]:
        """Every user by id, with status: the bulk read of a sweep."""
        with translated("ListUsers"):
            users = self._pages("list_users", "Users")
            return {user["UserId"]: _person(user) for user in users}

    def read_groups(
        self, roles: Mapping[str, str], pins: Mapping[str, GroupPin]
    ) -> list[GroupRead]:
        """Each group under the id it is known by, else under its name; all whole or none."""
        return [
            self._read_group(name, role, pins[name].group_id if name in pins else None)
            for name, role in roles.items()
        ]

    def _read_group(self, display_name: str, role: str, pinned: str | None) -> GroupRead:
        group_id = pinned or self.group_id(display_name)
        members = self.memberships(group_id) if group_id else None
        fault = None
        if members is None:
            fault = "renewed" if pinned and self.group_id(display_name) else "missing"
        return GroupRead.model_validate(
            {
                "display_name": display_name,
                "role": role,
                "group_id": group_id,
                "fault": fault,
                "memberships": members or (),
            }
        )

    def memberships(self, group_id: str) -> tuple[Membership, ...] | None:
        """All members, or None for a group that is gone. Raises before half a list is handed out.

        A member that is not a person has an empty user id.
        """
        with translated(f"ListGroupMemberships of group {group_id}"):
            try:
                found = {
                    each["MembershipId"]: each["MemberId"].get("UserId", "")
                    for each in self._pages(
                        "list_group_memberships", "GroupMemberships", GroupId=group_id
                    )
                }
            except ClientError as error:
                if code_of(error) != _NOT_FOUND:
                    raise
                return None
        return tuple(Membership(membership_id=key, user_id=found[key]) for key in sorted(found))

    def people(self, user_ids: Iterable[str]) -> dict[str, Person]:
        """Everybody asked for, with today's name and status, in as few calls as there are ways."""
        wanted = set(user_ids)
        found = {"": Person(user_id="", status="nested")} if "" in wanted else {}
        if len(wanted) > _SINGLE_LOOK_UPS:
            found |= self._among_all(wanted - found.keys())
        return found | {user_id: self._person(user_id) for user_id in sorted(wanted - found.keys())}

    def _among_all(self, wanted: set[str]) -> dict[str, Person]:
        found: dict[str, Person] = {}
        with translated("ListUsers"):
            for user in self._pages("list_users", "Users"):
                if user["UserId"] in wanted:
                    found[user["UserId"]] = _person(user)
                    if len(found) == len(wanted):
                        break
        return found

    def _person(self, user_id: str) -> Person:
        with translated(f"DescribeUser of {user_id}"):
            user = self._found(self._client.describe_user, UserId=user_id)
        if user:
            return _person(user)
        with translated(f"DescribeGroup of {user_id}"):
            group = self._found(self._client.describe_group, GroupId=user_id)
        return Person(user_id=user_id, status="nested" if group else "unknown")

    def _found(self, call: Any, **arguments: Any) -> Any:
        try:
            return call(**self._store, **arguments)
        except ClientError as error:
            if code_of(error) != _NOT_FOUND:
                raise
            return None

    def _pages(self, operation: str, key: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator(operation).paginate(**self._store, **arguments)
        for page in pages:
            yield from page[key]


def _person(user: dict[str, Any]) -> Person:
    # directories that never disabled anybody leave the status out
    status: Literal["enabled", "disabled"] = (
        "disabled" if user.get("UserStatus", "ENABLED") == "DISABLED" else "enabled"
    )
    return Person(user_id=user["UserId"], user_name=user.get("UserName", ""), status=status)
