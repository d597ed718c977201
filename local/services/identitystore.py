"""Identity Store with what moto lacks: status, updates, revisions, external ids, true pages."""

from collections.abc import Iterable
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.identitystore.responses import IdentityStoreResponse

from local.services.errors import Refused
from local.services.fixtures import IDENTITY_STORE_ID, SCIM_ISSUER
from local.services.identity_attributes import change, complete_user
from local.services.identity_store import Record, directory, expect, not_found, touch
from local.services.modelled import ModelledResponse
from local.services.paging import page
from local.services.trail_call import Writer

EXTERNAL_ID_HEADER = "X-Commons-Local-External-Id"


class DirectoryResponse(ModelledResponse, IdentityStoreResponse):
    """The operations of one identity store; there is no other."""

    recorded = frozenset(
        f"{verb}{kind}"
        for kind, verbs in {
            "User": ("Create", "Update", "Delete"),
            "Group": ("Create", "Update", "Delete"),
            "GroupMembership": ("Create", "Delete"),
        }.items()
        for verb in verbs
    )

    def call_action(self) -> Any:
        """Answer; requests for another identity store find nothing."""
        stores = {
            None,
            IDENTITY_STORE_ID,
            f"arn:aws:identitystore::identitystore/{IDENTITY_STORE_ID}",
        }
        if self.params.get("IdentityStoreId") not in stores:
            error = not_found("IDENTITY_STORE", self.params["IdentityStoreId"])
            return self.serialized(ActionResult(error))
        return super().call_action()

    def create_user(self) -> Any:
        user = complete_user(self.params)
        directory.refuse_twin("user", user)
        return self._created("user", directory.add("user", {**user, **self._external_ids()}))

    def create_group(self) -> Any:
        if not self.params.get("DisplayName"):
            raise Refused("ValidationException", "displayName is a required attribute")
        group = {name: self.params.get(name) for name in ("DisplayName", "Description")}
        directory.refuse_twin("group", group)
        return self._created("group", directory.add("group", {**group, **self._external_ids()}))

    def create_group_membership(self) -> Any:
        user = directory.get("user", self.params["MemberId"]["UserId"])
        group = directory.get("group", self.params["GroupId"])
        self.subject = {"id": group["GroupId"], "member": user["UserId"]}
        if self._is_member(group["GroupId"], user["UserId"]):
            return self._joined_before(group["GroupId"], user["UserId"])
        content = {"GroupId": group["GroupId"], "MemberId": {"UserId": user["UserId"]}}
        return ActionResult(directory.add("membership", content))

    def update_user(self) -> Any:
        return self._update("user", self.params["UserId"])

    def update_group(self) -> Any:
        return self._update("group", self.params["GroupId"])

    def delete_user(self) -> Any:
        return self._delete("user", self.params["UserId"])

    def delete_group(self) -> Any:
        return self._delete("group", self.params["GroupId"])

    def delete_group_membership(self) -> Any:
        membership = directory.get("membership", self.params["MembershipId"])
        self.subject = {"id": membership["GroupId"], "member": membership["MemberId"]["UserId"]}
        directory.remove("membership", membership)
        return EmptyResult()

    def describe_user(self) -> Any:
        return ActionResult(directory.get("user", self.params["UserId"]))

    def describe_group(self) -> Any:
        return ActionResult(directory.get("group", self.params["GroupId"]))

    def describe_group_membership(self) -> Any:
        return ActionResult(directory.get("membership", self.params["MembershipId"]))

    def get_user_id(self) -> Any:
        return ActionResult(directory.find("user", self.params["AlternateIdentifier"]))

    def get_group_id(self) -> Any:
        return ActionResult(directory.find("group", self.params["AlternateIdentifier"]))

    def get_group_membership_id(self) -> Any:
        user_id = self.params["MemberId"]["UserId"]
        return ActionResult(directory.membership(self.params["GroupId"], user_id))

    def is_member_in_groups(self) -> Any:
        member = self.params["MemberId"]
        directory.get("user", member["UserId"])
        answers = [
            {
                "GroupId": group_id,
                "MemberId": member,
                "MembershipExists": self._is_member(group_id, member["UserId"]),
            }
            for group_id in self.params["GroupIds"]
        ]
        return ActionResult({"Results": answers})

    def list_users(self) -> Any:
        return self._page("Users", "UserId", self._filtered(directory.users.values()))

    def list_groups(self) -> Any:
        return self._page("Groups", "GroupId", self._filtered(directory.groups.values()))

    def list_group_memberships(self) -> Any:
        group_id = directory.get("group", self.params["GroupId"])["GroupId"]
        of_group = [m for m in directory.memberships.values() if m["GroupId"] == group_id]
        return self._page("GroupMemberships", "MembershipId", of_group)

    def list_group_memberships_for_member(self) -> Any:
        user = directory.get("user", self.params["MemberId"]["UserId"])
        member = {"UserId": user["UserId"]}
        of_member = [m for m in directory.memberships.values() if m["MemberId"] == member]
        return self._page("GroupMemberships", "MembershipId", of_member)

    def _joined_before(self, group_id: str, user_id: str) -> ActionResult:
        """A PATCH that adds a member once more succeeds; the API's call is a conflict."""
        if self.writer() is Writer.SCIM:
            return ActionResult(directory.membership(group_id, user_id))
        raise Refused(
            "ConflictException",
            "Member and group relationship already exists.",
            Reason="UNIQUENESS_CONSTRAINT_VIOLATION",
        )

    def _created(self, kind: str, record: Record) -> ActionResult:
        self.subject = {"id": record[f"{kind.capitalize()}Id"]}
        return ActionResult(record)

    def _update(self, kind: str, identity: str) -> ActionResult:
        record = directory.get(kind, identity)
        self.subject = {"id": identity, "active": record.get("UserStatus") != "DISABLED"}
        expect(record, self.params.get("Revision"))
        changed = change(kind, record, self.params["Operations"])
        directory.refuse_twin(kind, changed, own_id=identity)
        record.clear()
        record.update(changed)
        touch(record)
        return ActionResult(record)

    def _delete(self, kind: str, identity: str) -> EmptyResult:
        self.subject = {"id": identity}
        directory.remove(kind, directory.get(kind, identity), self.params.get("Revision"))
        return EmptyResult()

    def _page(self, name: str, key: str, records: list[Record]) -> ActionResult:
        chosen, token = page(records, self.params, lambda record: [record[key]])
        return ActionResult({name: chosen, "NextToken": token})

    def _filtered(self, records: Iterable[Record]) -> list[Record]:
        wanted = {f["AttributePath"]: f["AttributeValue"] for f in self.params.get("Filters") or []}
        return [r for r in records if all(r.get(path) == value for path, value in wanted.items())]

    def _is_member(self, group_id: str, user_id: str) -> bool:
        return any(
            (m["GroupId"], m["MemberId"]["UserId"]) == (group_id, user_id)
            for m in directory.memberships.values()
        )

    def _external_ids(self) -> Record:
        external = self.headers.get(EXTERNAL_ID_HEADER)
        return {"ExternalIds": [{"Issuer": SCIM_ISSUER, "Id": external}]} if external else {}
