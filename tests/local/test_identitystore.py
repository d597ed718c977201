"""The directory, by boto3 against the real process."""

from collections.abc import Iterator
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from tests.local.directory_process import STORE, Directory, conforms, running


@pytest.fixture(scope="module")
def directory() -> Iterator[Directory]:
    with running() as part:
        yield part


@pytest.fixture
def store(directory: Directory) -> Any:
    return directory.client("identitystore")


def make_user(store: Any, name: str) -> str:
    answer = store.create_user(
        IdentityStoreId=STORE,
        UserName=name,
        DisplayName=name,
        Name={"GivenName": name, "FamilyName": "Example"},
        Emails=[{"Value": f"{name}@example.com", "Type": "work", "Primary": True}],
    )
    conforms("identitystore", "CreateUser", answer)
    return str(answer["UserId"])


def make_group(store: Any, name: str) -> str:
    answer = store.create_group(IdentityStoreId=STORE, DisplayName=name)
    conforms("identitystore", "CreateGroup", answer)
    return str(answer["GroupId"])


def join(store: Any, group_id: str, user_id: str) -> str:
    answer = store.create_group_membership(
        IdentityStoreId=STORE, GroupId=group_id, MemberId={"UserId": user_id}
    )
    conforms("identitystore", "CreateGroupMembership", answer)
    return str(answer["MembershipId"])


def test_a_new_user_is_enabled_and_described_whole(store: Any) -> None:
    user_id = make_user(store, "ada")
    user = store.describe_user(IdentityStoreId=STORE, UserId=user_id)
    conforms("identitystore", "DescribeUser", user)
    assert (user["UserStatus"], user["UserName"]) == ("ENABLED", "ada")
    assert user["UserArn"] == f"arn:aws:identitystore:::user/{user_id}"
    assert user["Name"]["GivenName"] == "ada"
    assert user["Emails"][0]["Value"] == "ada@example.com"


def test_the_identity_provider_disables_a_user_and_the_public_api_cannot(
    directory: Directory, store: Any
) -> None:
    user_id = make_user(store, "bob")
    directory.call("PUT", f"users/{user_id}/status", {"status": "DISABLED"})
    listed = store.list_users(IdentityStoreId=STORE)
    conforms("identitystore", "ListUsers", listed)
    assert {u["UserId"]: u["UserStatus"] for u in listed["Users"]}[user_id] == "DISABLED"
    with pytest.raises(ClientError) as refusal:
        store.update_user(
            IdentityStoreId=STORE,
            UserId=user_id,
            Operations=[{"AttributePath": "userStatus", "AttributeValue": "ENABLED"}],
        )
    assert refusal.value.response["Error"]["Code"] == "ValidationException"
    directory.call("PUT", f"users/{user_id}/status", {"status": "ENABLED"})
    user = store.describe_user(IdentityStoreId=STORE, UserId=user_id)
    assert user["UserStatus"] == "ENABLED"


def test_a_status_that_is_none_is_refused(directory: Directory, store: Any) -> None:
    user_id = make_user(store, "cy")
    with pytest.raises(requests.HTTPError) as refusal:
        directory.call("PUT", f"users/{user_id}/status", {"status": "asleep"})
    assert refusal.value.response.status_code == 400
    with pytest.raises(requests.HTTPError) as unknown:
        directory.call("PUT", "users/nobody/status", {"status": "ENABLED"})
    assert unknown.value.response.status_code == 404


def test_updates_change_attributes_and_revision(store: Any) -> None:
    user_id, group_id = make_user(store, "dora"), make_group(store, "gpu-old")
    answer = store.update_user(
        IdentityStoreId=STORE,
        UserId=user_id,
        Operations=[
            {"AttributePath": "name.familyName", "AttributeValue": "Byron"},
            {"AttributePath": "title", "AttributeValue": "Lead"},
            {"AttributePath": "emails", "AttributeValue": [{"value": "d@example.com"}]},
        ],
    )
    conforms("identitystore", "UpdateUser", answer)
    user = store.describe_user(IdentityStoreId=STORE, UserId=user_id)
    assert user["Name"] == {"GivenName": "dora", "FamilyName": "Byron"}
    assert (user["Title"], user["Emails"], user["Revision"]) == (
        "Lead",
        [{"Value": "d@example.com"}],
        "2",
    )
    renamed = store.update_group(
        IdentityStoreId=STORE,
        GroupId=group_id,
        Operations=[{"AttributePath": "displayName", "AttributeValue": "gpu-new"}],
    )
    conforms("identitystore", "UpdateGroup", renamed)
    group = store.describe_group(IdentityStoreId=STORE, GroupId=group_id)
    conforms("identitystore", "DescribeGroup", group)
    assert group["DisplayName"] == "gpu-new"


def test_a_stale_revision_is_a_conflict(store: Any) -> None:
    group_id = make_group(store, "gpu-revised")
    with pytest.raises(ClientError) as refusal:
        store.delete_group(IdentityStoreId=STORE, GroupId=group_id, Revision="7")
    assert refusal.value.response["Error"]["Code"] == "ConflictException"
    assert refusal.value.response["Reason"] == "CONCURRENT_MODIFICATION"
    store.delete_group(IdentityStoreId=STORE, GroupId=group_id, Revision="1")


def test_a_name_belongs_to_one_whatever_the_case_of_a_user_name(store: Any) -> None:
    make_user(store, "Erin")
    make_group(store, "gpu-twice")
    with pytest.raises(ClientError) as user_twin:
        make_user(store, "eRIN")
    with pytest.raises(ClientError) as group_twin:
        make_group(store, "gpu-twice")
    for refusal in (user_twin, group_twin):
        assert refusal.value.response["Error"]["Code"] == "ConflictException"
        assert refusal.value.response["Reason"] == "UNIQUENESS_CONSTRAINT_VIOLATION"


def test_ids_are_found_by_name_by_email_and_by_external_id(
    directory: Directory, store: Any
) -> None:
    scim = directory.client(
        "identitystore", x_commons_local_writer="scim", x_commons_local_external_id="entra-1"
    )
    group_id = make_group(scim, "gpu-found")
    user_id = make_user(store, "fay")

    def unique(path: str, value: str) -> dict[str, Any]:
        return {"UniqueAttribute": {"AttributePath": path, "AttributeValue": value}}

    by_name = store.get_group_id(
        IdentityStoreId=STORE, AlternateIdentifier=unique("displayName", "gpu-found")
    )
    conforms("identitystore", "GetGroupId", by_name)
    external = store.describe_group(IdentityStoreId=STORE, GroupId=group_id)["ExternalIds"][0]
    by_external = store.get_group_id(
        IdentityStoreId=STORE, AlternateIdentifier={"ExternalId": external}
    )
    assert by_name["GroupId"] == by_external["GroupId"] == group_id
    for path, value in (("userName", "FAY"), ("emails.value", "fay@example.com")):
        found = store.get_user_id(IdentityStoreId=STORE, AlternateIdentifier=unique(path, value))
        assert found["UserId"] == user_id
    with pytest.raises(ClientError) as refusal:
        store.get_group_id(
            IdentityStoreId=STORE, AlternateIdentifier=unique("displayName", "gpu-nobody")
        )
    assert refusal.value.response["Error"]["Code"] == "ResourceNotFoundException"
    assert refusal.value.response["ResourceType"] == "GROUP"


def test_id_03_a_large_group_comes_in_pages_of_at_most_a_hundred(store: Any) -> None:
    group_id = make_group(store, "gpu-large")
    users = {make_user(store, f"many-{number}") for number in range(103)}
    for user_id in users:
        join(store, group_id, user_id)
    pages = list(
        store.get_paginator("list_group_memberships").paginate(
            IdentityStoreId=STORE, GroupId=group_id
        )
    )
    conforms("identitystore", "ListGroupMemberships", pages[0])
    assert [len(page["GroupMemberships"]) for page in pages] == [100, 3]
    found = {m["MemberId"]["UserId"] for page in pages for m in page["GroupMemberships"]}
    assert found == users
    with pytest.raises(ClientError) as refusal:
        store.list_group_memberships(IdentityStoreId=STORE, GroupId=group_id, MaxResults=101)
    assert refusal.value.response["Error"]["Code"] == "ValidationException"


def test_a_page_token_stays_right_while_members_leave(store: Any) -> None:
    group_id = make_group(store, "gpu-leaving")
    memberships = sorted(join(store, group_id, make_user(store, f"leaver-{n}")) for n in range(6))
    first = store.list_group_memberships(IdentityStoreId=STORE, GroupId=group_id, MaxResults=2)
    assert [m["MembershipId"] for m in first["GroupMemberships"]] == memberships[:2]
    store.delete_group_membership(IdentityStoreId=STORE, MembershipId=memberships[1])
    rest = store.list_group_memberships(
        IdentityStoreId=STORE, GroupId=group_id, NextToken=first["NextToken"]
    )
    assert [m["MembershipId"] for m in rest["GroupMemberships"]] == memberships[2:]
    assert "NextToken" not in rest
    with pytest.raises(ClientError) as refusal:
        store.list_groups(IdentityStoreId=STORE, NextToken="invented")
    assert refusal.value.response["Error"]["Code"] == "ValidationException"


def test_groups_and_users_come_in_pages_too(store: Any) -> None:
    for number in range(3):
        make_group(store, f"gpu-page-{number}")
    for operation, key in (("list_groups", "Groups"), ("list_users", "Users")):
        first = getattr(store, operation)(IdentityStoreId=STORE, MaxResults=2)
        assert len(first[key]) == 2
        assert first["NextToken"]


def test_membership_is_once_and_asked_for_from_both_sides(store: Any) -> None:
    group_id, user_id = make_group(store, "gpu-sides"), make_user(store, "gus")
    membership_id = join(store, group_id, user_id)
    with pytest.raises(ClientError) as refusal:
        join(store, group_id, user_id)
    assert refusal.value.response["Error"]["Code"] == "ConflictException"
    member = {"UserId": user_id}
    of_member = store.list_group_memberships_for_member(IdentityStoreId=STORE, MemberId=member)
    conforms("identitystore", "ListGroupMembershipsForMember", of_member)
    assert [m["MembershipId"] for m in of_member["GroupMemberships"]] == [membership_id]
    found = store.get_group_membership_id(IdentityStoreId=STORE, GroupId=group_id, MemberId=member)
    conforms("identitystore", "GetGroupMembershipId", found)
    described = store.describe_group_membership(
        IdentityStoreId=STORE, MembershipId=found["MembershipId"]
    )
    conforms("identitystore", "DescribeGroupMembership", described)
    answers = store.is_member_in_groups(IdentityStoreId=STORE, MemberId=member, GroupIds=[group_id])
    conforms("identitystore", "IsMemberInGroups", answers)
    assert answers["Results"][0]["MembershipExists"] is True


def test_who_goes_takes_the_memberships_along(store: Any) -> None:
    kept, gone = make_group(store, "gpu-kept"), make_group(store, "gpu-gone")
    leaver, stayer = make_user(store, "hal"), make_user(store, "ivy")
    for group_id in (kept, gone):
        for user_id in (leaver, stayer):
            join(store, group_id, user_id)
    store.delete_user(IdentityStoreId=STORE, UserId=leaver)
    store.delete_group(IdentityStoreId=STORE, GroupId=gone)
    left = store.list_group_memberships(IdentityStoreId=STORE, GroupId=kept)["GroupMemberships"]
    assert [m["MemberId"]["UserId"] for m in left] == [stayer]
    of_stayer = store.list_group_memberships_for_member(
        IdentityStoreId=STORE, MemberId={"UserId": stayer}
    )["GroupMemberships"]
    assert [m["GroupId"] for m in of_stayer] == [kept]
    for call, arguments in (
        (store.describe_user, {"UserId": leaver}),
        (store.describe_group, {"GroupId": gone}),
        (store.list_group_memberships, {"GroupId": gone}),
        (store.delete_user, {"UserId": leaver}),
    ):
        with pytest.raises(ClientError) as refusal:
            call(IdentityStoreId=STORE, **arguments)
        assert refusal.value.response["Error"]["Code"] == "ResourceNotFoundException"


def test_another_identity_store_is_not_found(store: Any) -> None:
    with pytest.raises(ClientError) as refusal:
        store.list_users(IdentityStoreId="d-0000000000")
    assert refusal.value.response["Error"]["Code"] == "ResourceNotFoundException"
    assert refusal.value.response["ResourceType"] == "IDENTITY_STORE"
