"""An identity store in memory, behind the real client."""

from collections.abc import Iterable
from typing import Any

from tests.aws_fake import FakeAws, Refused, page

STORE = "d-9067a1b2c3"


class DirectoryFake(FakeAws):
    """`fail_on_page`: the page of memberships, from 1, that cannot be read."""

    def __init__(self) -> None:
        super().__init__("identitystore")
        self.users: dict[str, dict[str, Any]] = {}
        self.groups: dict[str, str] = {}
        self.members: dict[str, list[str]] = {}
        self.fail_on_page: int | None = None
        self.answer("GetGroupId", self._group_id)
        self.answer("DescribeGroup", self._group)
        self.answer("DescribeUser", self._user)
        self.answer("ListUsers", self._users)
        self.answer("ListGroupMemberships", self._memberships)

    def group(self, group_id: str, name: str, members: Iterable[str] = ()) -> None:
        self.groups[group_id] = name
        self.members[group_id] = list(members)

    def user(self, user_id: str, name: str | None = None, status: str = "ENABLED") -> str:
        self.users[user_id] = {"UserName": name or f"{user_id}@example.com", "UserStatus": status}
        return user_id

    def delete_group(self, group_id: str) -> None:
        del self.groups[group_id], self.members[group_id]

    def _group_id(self, IdentityStoreId: str, AlternateIdentifier: Any) -> dict[str, Any]:
        wanted = AlternateIdentifier["UniqueAttribute"]["AttributeValue"]
        for group_id, name in self.groups.items():
            if name == wanted:
                return _ids("Group", group_id)
        raise Refused("ResourceNotFoundException")

    def _group(self, IdentityStoreId: str, GroupId: str) -> dict[str, Any]:
        if GroupId not in self.groups:
            raise Refused("ResourceNotFoundException")
        name = self.groups[GroupId]
        return {**_ids("Group", GroupId), "Revision": "1", "DisplayName": name}

    def _user(self, IdentityStoreId: str, UserId: str) -> dict[str, Any]:
        if UserId not in self.users:
            raise Refused("ResourceNotFoundException")
        return {**_ids("User", UserId), "Revision": "1", **self.users[UserId]}

    def _users(self, IdentityStoreId: str, NextToken: str | None = None) -> dict[str, Any]:
        everybody = [self._user(STORE, user_id) for user_id in self.users]
        chosen, more = page(everybody, NextToken)
        return {"Users": chosen, **more}

    def _memberships(
        self, IdentityStoreId: str, GroupId: str, NextToken: str | None = None
    ) -> dict[str, Any]:
        if GroupId not in self.groups:
            raise Refused("ResourceNotFoundException")
        if self.fail_on_page == int(NextToken or 0) // 100 + 1:
            raise Refused("ThrottlingException", "slow down")
        chosen, more = page(self.members[GroupId], NextToken)
        memberships = [
            {
                **_ids("Membership", f"{GroupId}-{user_id}"),
                "GroupId": GroupId,
                "MemberId": {"UserId": user_id},
            }
            for user_id in chosen
        ]
        return {"GroupMemberships": memberships, **more}


def _ids(kind: str, identity: str) -> dict[str, str]:
    """A record's id and ARN; the model wants ARNs of their true length."""
    arn = f"arn:aws:identitystore:::{kind.lower()}/{identity:0>36}"
    return {f"{kind}Id": identity, f"{kind}Arn": arn, "IdentityStoreId": STORE}
