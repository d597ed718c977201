"""Plays the company's identity provider: writes the directory of the local cloud as Entra does.

What it does arrives as the events of a SCIM client, unless another writer is asked for.
"""

import json
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from local.settings import ACCOUNT, REGION, SECRET

WRITERS = ("scim", "console", "legacy", "api")
_UNIQUE = {"group": "displayName", "user": "userName"}
_WRITER_HEADER = "X-Commons-Local-Writer"
_EXTERNAL_ID_HEADER = "X-Commons-Local-External-Id"


class Unknown(Exception):
    """No such group, user or membership; the text says which."""


class Refused(Exception):
    """The directory did not do it; the text says why."""


class IdentityProvider:
    """Groups and users of the directory at `url`, by name or by id."""

    def __init__(self, url: str, writer: str = "scim") -> None:
        self._url, self._writer = url, writer
        session = boto3.Session(ACCOUNT, SECRET, region_name=REGION)
        config = Config(retries={"total_max_attempts": 1})
        self._store = session.client("identitystore", endpoint_url=url, config=config)
        self._store.meta.events.register("before-sign", self._sign_as_writer)
        center = session.client("sso-admin", endpoint_url=url, config=config)
        self._id: str = center.list_instances()["Instances"][0]["IdentityStoreId"]

    def create_group(self, name: str) -> str:
        """The id of a new group; raises Refused if there is one of that name."""
        return str(self._call("create_group", DisplayName=name)["GroupId"])

    def create_user(self, name: str) -> str:
        """The id of a new user; raises Refused if there is one of that name."""
        given, _, family = name.partition("@")[0].partition(".")
        attributes: dict[str, Any] = {
            "UserName": name,
            "DisplayName": name,
            "Name": {"GivenName": given.title(), "FamilyName": (family or given).title()},
        }
        if "@" in name:
            attributes["Emails"] = [{"Value": name, "Type": "work", "Primary": True}]
        return str(self._call("create_user", **attributes)["UserId"])

    def add_member(self, group: str, user: str) -> tuple[str, str, str]:
        """Membership, group and user id, also where it was so before; raises Unknown."""
        group_id, user_id = self.group_id(group), self.user_id(user)
        member = {"UserId": user_id}
        made = self._call("create_group_membership", GroupId=group_id, MemberId=member)
        return str(made["MembershipId"]), group_id, user_id

    def remove_member(self, group: str, user: str) -> tuple[str, str, str]:
        """Membership, group and user id of what is no more; raises Unknown."""
        group_id, user_id = self.group_id(group), self.user_id(user)
        try:
            found = self._call(
                "get_group_membership_id", GroupId=group_id, MemberId={"UserId": user_id}
            )
        except Unknown as error:
            raise Unknown(f"{user} is not a member of {group}") from error
        self._call("delete_group_membership", MembershipId=found["MembershipId"])
        return str(found["MembershipId"]), group_id, user_id

    def set_status(self, user: str, status: str) -> str:
        """The id of a user that is now ENABLED or DISABLED; raises Unknown or Refused."""
        user_id = self.user_id(user)
        request = urllib.request.Request(  # noqa: S310 - the local cloud's own address
            f"{self._url}/_local/users/{urllib.parse.quote(user_id)}/status",
            json.dumps({"status": status}).encode(),
            {"Content-Type": "application/json", _WRITER_HEADER: self._writer},
            method="PUT",
        )
        try:
            urllib.request.urlopen(request, timeout=10).close()  # noqa: S310
        except urllib.error.HTTPError as error:
            raise Refused(json.load(error)["message"]) from error
        return user_id

    def delete_user(self, user: str) -> str:
        """The id of the user that is no more; raises Unknown."""
        user_id = self.user_id(user)
        self._call("delete_user", UserId=user_id)
        return user_id

    def delete_group(self, group: str) -> str:
        """The id of the group that is no more; raises Unknown."""
        group_id = self.group_id(group)
        self._call("delete_group", GroupId=group_id)
        return group_id

    def users(self) -> list[dict[str, Any]]:
        """Every user."""
        return self._pages("list_users", "Users")

    def groups(self) -> list[dict[str, Any]]:
        """Every group, with the ids of its members as `member_ids`."""
        groups = self._pages("list_groups", "Groups")
        for group in groups:
            found = self._pages(
                "list_group_memberships", "GroupMemberships", GroupId=group["GroupId"]
            )
            group["member_ids"] = [membership["MemberId"]["UserId"] for membership in found]
        return groups

    def group_id(self, group: str) -> str:
        """The id of a group by name or id; raises Unknown."""
        return self._identify("group", group)

    def user_id(self, user: str) -> str:
        """The id of a user by name or id; raises Unknown."""
        return self._identify("user", user)

    def _identify(self, kind: str, told: str) -> str:
        key = f"{kind.capitalize()}Id"
        unique = {"AttributePath": _UNIQUE[kind], "AttributeValue": told}
        try:
            alternate = {"UniqueAttribute": unique}
            return str(self._call(f"get_{kind}_id", AlternateIdentifier=alternate)[key])
        except Unknown:
            pass  # then it is an id, or nobody's
        try:
            return str(self._call(f"describe_{kind}", **{key: told})[key])
        except (Unknown, Refused) as error:
            raise Unknown(f"there is no {kind} {told}") from error

    def _pages(self, operation: str, key: str, **arguments: Any) -> list[dict[str, Any]]:
        pages = self._store.get_paginator(operation).paginate(IdentityStoreId=self._id, **arguments)
        return [item for page in pages for item in page[key]]

    def _call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        try:
            return dict(getattr(self._store, operation)(IdentityStoreId=self._id, **arguments))
        except ClientError as error:
            message = error.response["Error"]["Message"]
            if error.response["Error"]["Code"] == "ResourceNotFoundException":
                raise Unknown(message) from error
            raise Refused(message) from error

    def _sign_as_writer(self, request: Any, **_: Any) -> None:
        request.headers[_WRITER_HEADER] = self._writer
        if self._writer == "scim":
            request.headers[_EXTERNAL_ID_HEADER] = str(uuid.uuid4())  # Entra's object id
