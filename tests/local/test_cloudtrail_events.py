"""The events that directory writes leave, in the shape of each of the four writers."""

import hashlib
import io
import json
import queue
import socket
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from local.clients import client
from local.services.callers import Callers, session_key
from local.services.trail_delivery import Delivery
from local.settings import Ports, urls
from tests.local.directory_process import STORE, Directory, eventually, running

HIDDEN = "HIDDEN_DUE_TO_SECURITY_REASONS"
NAMES = ("gpu-secret", "Grace", "Hopper", "grace@example.com")


@pytest.fixture(scope="module")
def directory() -> Iterator[Directory]:
    with running() as part:
        yield part


@pytest.fixture
def received(directory: Directory) -> Iterator[Directory]:
    """The directory with no event before those of the test."""
    eventually(lambda: directory.call("GET", "under-way")["events"], lambda count: count == 0)
    directory.intake.events.clear()
    yield directory
    store = directory.client("identitystore")
    for user in store.list_users(IdentityStoreId=STORE)["Users"]:
        store.delete_user(IdentityStoreId=STORE, UserId=user["UserId"])
    for group in store.list_groups(IdentityStoreId=STORE)["Groups"]:
        store.delete_group(IdentityStoreId=STORE, GroupId=group["GroupId"])


def make(store: Any) -> tuple[str, str]:
    user = store.create_user(
        IdentityStoreId=STORE,
        UserName="grace@example.com",
        DisplayName="Grace Hopper",
        Name={"GivenName": "Grace", "FamilyName": "Hopper"},
    )
    group = store.create_group(IdentityStoreId=STORE, DisplayName="gpu-secret")
    return user["UserId"], group["GroupId"]


def join(store: Any, group_id: str, user_id: str) -> str:
    member = {"UserId": user_id}
    made = store.create_group_membership(IdentityStoreId=STORE, GroupId=group_id, MemberId=member)
    return str(made["MembershipId"])


def live_through(directory: Directory, writer: str) -> tuple[str, str]:
    """A user and a group come, belong together, change and go."""
    store = directory.client("identitystore", x_commons_local_writer=writer)
    user_id, group_id = make(store)
    membership_id = join(store, group_id, user_id)
    store.update_group(
        IdentityStoreId=STORE,
        GroupId=group_id,
        Operations=[{"AttributePath": "displayName", "AttributeValue": "gpu-other"}],
    )
    store.update_user(
        IdentityStoreId=STORE,
        UserId=user_id,
        Operations=[{"AttributePath": "title", "AttributeValue": "Admiral"}],
    )
    store.delete_group_membership(IdentityStoreId=STORE, MembershipId=membership_id)
    store.delete_user(IdentityStoreId=STORE, UserId=user_id)
    store.delete_group(IdentityStoreId=STORE, GroupId=group_id)
    eventually(lambda: len(directory.intake.events), lambda count: count >= 8)
    return user_id, group_id


def details(directory: Directory) -> list[dict[str, Any]]:
    return [event["detail"] for event in directory.intake.events]


def test_the_envelope_is_that_of_a_cloudtrail_event(received: Directory) -> None:
    make(received.client("identitystore"))
    event = eventually(lambda: received.intake.events, bool)[0]
    assert set(event) == {
        "version", "id", "detail-type", "source", "account", "time", "region", "resources",
        "detail",
    }  # fmt: skip
    assert event["detail-type"] == "AWS API Call via CloudTrail"
    assert (event["source"], event["region"]) == ("aws.identitystore", "us-west-2")
    assert event["resources"] == []
    assert event["time"] == event["detail"]["eventTime"]
    assert (event["detail"]["readOnly"], event["detail"]["managementEvent"]) == (False, True)


def test_events_come_in_the_order_of_the_writes(received: Directory) -> None:
    live_through(received, "api")
    assert [detail["eventName"] for detail in details(received)] == [
        "CreateUser", "CreateGroup", "CreateGroupMembership", "UpdateGroup", "UpdateUser",
        "DeleteGroupMembership", "DeleteUser", "DeleteGroup",
    ]  # fmt: skip


@pytest.mark.parametrize("writer", ["api", "scim", "console", "legacy"])
def test_no_event_has_a_name_in_it(received: Directory, writer: str) -> None:
    live_through(received, writer)
    text = json.dumps(received.intake.events)
    assert not [name for name in (*NAMES, "gpu-other", "Admiral") if name in text]
    assert HIDDEN in text


def test_the_public_api_s_shape(received: Directory) -> None:
    store = received.client("identitystore")
    user_id, group_id = make(store)
    membership_id = join(store, group_id, user_id)
    store.delete_group_membership(IdentityStoreId=STORE, MembershipId=membership_id)
    created, deleted = (
        received.intake.named(name)[0]
        for name in ("CreateGroupMembership", "DeleteGroupMembership")
    )
    assert created["eventSource"] == "identitystore.amazonaws.com"
    assert created["requestParameters"] == {
        "identityStoreId": STORE,
        "groupId": group_id,
        "memberId": {"userId": user_id},
    }
    assert created["responseElements"]["membershipId"] == membership_id
    assert deleted["requestParameters"] == {"identityStoreId": STORE, "membershipId": membership_id}
    assert deleted["responseElements"] is None
    user = received.intake.named("CreateUser")[0]
    assert user["responseElements"]["userId"] == user_id
    assert user["requestParameters"]["name"] == {"givenName": HIDDEN, "familyName": HIDDEN}


def test_scim_s_shape_names_neither_members_nor_store(received: Directory) -> None:
    user_id, group_id = live_through(received, "scim")
    found = details(received)
    assert {detail["eventSource"] for detail in found} == {"identitystore-scim.amazonaws.com"}
    assert [detail["eventName"] for detail in found] == [
        "CreateUser", "CreateGroup", "PatchGroup", "PatchGroup", "PatchUser", "PatchGroup",
        "DeleteUser", "DeleteGroup",
    ]  # fmt: skip
    assert STORE not in json.dumps(found)
    assert [detail["requestParameters"].get("id") for detail in found] == [
        None, None, group_id, group_id, user_id, group_id, user_id, group_id,
    ]  # fmt: skip
    assert [detail["responseElements"]["id"] for detail in found[:2]] == [user_id, group_id]
    patches = [d["requestParameters"]["httpBody"]["operations"][0] for d in found[2:6]]
    assert [(patch["op"], patch["path"]) for patch in patches] == [
        ("ADD", "members"),
        ("REPLACE", "displayName"),
        ("REPLACE", "name"),
        ("REMOVE", "members"),
    ]
    assert {patch["value"] for patch in patches} == {HIDDEN}
    assert found[2]["responseElements"] is None
    assert found[0]["userIdentity"]["type"] == "WebIdentityUser"


def test_a_leaver_s_patch_says_only_in_the_answer_that_it_is_one(received: Directory) -> None:
    user_id, _ = make(received.client("identitystore"))
    received.call("PUT", f"users/{user_id}/status", {"status": "DISABLED"})
    patch = received.intake.named("PatchUser")[0]
    assert patch["requestParameters"]["id"] == user_id
    assert patch["requestParameters"]["httpBody"]["operations"] == [
        {"op": "REPLACE", "path": "active", "value": HIDDEN}
    ]
    assert patch["responseElements"]["active"] is False


@pytest.mark.parametrize("writer", ["console", "legacy"])
def test_the_directory_s_own_shape_names_the_member(received: Directory, writer: str) -> None:
    user_id, group_id = live_through(received, writer)
    found = details(received)
    assert {detail["eventSource"] for detail in found} == {"sso-directory.amazonaws.com"}
    assert [detail["eventName"] for detail in found] == [
        "CreateUser", "CreateGroup", "AddMemberToGroup", "UpdateGroup", "UpdateUser",
        "RemoveMemberFromGroup", "DeleteUser", "DeleteGroup",
    ]  # fmt: skip
    for detail in (found[2], found[5]):
        assert detail["requestParameters"] == {
            "identityStoreId": STORE,
            "groupId": group_id,
            "member": {"memberId": user_id},
        }
    assert found[0]["responseElements"]["user"]["userId"] == user_id
    assert found[1]["responseElements"]["group"]["groupId"] == group_id
    assert found[6]["requestParameters"] == {"identityStoreId": STORE, "userId": user_id}
    assert found[7]["requestParameters"] == {"identityStoreId": STORE, "groupId": group_id}
    by_console = writer == "console"
    assert found[0]["userIdentity"]["type"] == ("AssumedRole" if by_console else "Unknown")
    assert ("sessionCredentialFromConsole" in found[0]) == by_console


def test_an_old_token_disables_and_enables_by_events_of_that_name(received: Directory) -> None:
    store = received.client("identitystore")
    user_id, _ = make(store)
    for status, name in (("DISABLED", "DisableUser"), ("ENABLED", "EnableUser")):
        requests.put(
            f"{received.url}/_local/users/{user_id}/status",
            json={"status": status},
            headers={"X-Commons-Local-Writer": "legacy"},
            timeout=5,
        ).raise_for_status()
        detail = received.intake.named(name)[0]
        assert detail["requestParameters"] == {"identityStoreId": STORE, "userId": user_id}


@pytest.mark.parametrize("writer", ["api", "scim", "legacy"])
def test_a_failed_call_is_recorded_with_its_error(received: Directory, writer: str) -> None:
    store = received.client("identitystore", x_commons_local_writer=writer)
    make(store)
    received.intake.events.clear()
    with pytest.raises(ClientError):
        store.create_group(IdentityStoreId=STORE, DisplayName="gpu-secret")
    detail = eventually(lambda: [d for d in details(received) if "errorCode" in d], bool)[0]
    assert (detail["eventName"], detail["errorCode"]) == ("CreateGroup", "ConflictException")
    assert detail["responseElements"] is None
    assert detail["errorMessage"]


def test_adding_a_member_again_is_a_patch_that_succeeds(received: Directory) -> None:
    store = received.client("identitystore", x_commons_local_writer="scim")
    user_id, group_id = make(store)
    assert join(store, group_id, user_id) == join(store, group_id, user_id)
    patches = received.intake.named("PatchGroup", 2)
    assert [patch.get("errorCode") for patch in patches] == [None, None]


def test_reads_leave_no_event(received: Directory) -> None:
    store = received.client("identitystore")
    store.list_users(IdentityStoreId=STORE)
    make(store)
    received.intake.named("CreateGroup")
    assert [d["eventName"] for d in details(received)] == ["CreateUser", "CreateGroup"]


def test_a_permission_set_s_creation_is_an_event_of_sso(received: Directory) -> None:
    access = received.client("sso-admin")
    instance = access.list_instances()["Instances"][0]["InstanceArn"]
    access.create_permission_set(InstanceArn=instance, Name="recorded")
    detail = received.intake.named("CreatePermissionSet")[0]
    assert detail["eventSource"] == "sso.amazonaws.com"
    assert detail["requestParameters"] == {"instanceArn": instance, "name": "recorded"}
    assert detail["responseElements"]["permissionSet"]["name"] == "recorded"


def test_a_function_s_call_names_its_role_as_issuer(gateway: Ports) -> None:
    iam, functions = client("iam", gateway), client("lambda", gateway)
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "lambda.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    role = iam.create_role(
        RoleName="gpu-commons-Reconcile",
        Path="/commons/",
        AssumeRolePolicyDocument=json.dumps(trust),
    )["Role"]
    function = functions.create_function(
        FunctionName="caller", Role=role["Arn"], Runtime="python3.13", Handler="tell.handler",
        Code={"ZipFile": _zip("tell.py", _TELL)},
    )  # fmt: skip
    told = json.load(functions.invoke(FunctionName="caller")["Payload"])
    assert told == session_key(function["FunctionArn"], role["Arn"])
    identity = Callers(urls(gateway)["COMMONS_LOCAL_GATEWAY_URL"]).identity(told)
    assert identity["type"] == "AssumedRole"
    assert identity["arn"].endswith(":assumed-role/gpu-commons-Reconcile/caller")
    issuer = identity["sessionContext"]["sessionIssuer"]
    assert (issuer["arn"], issuer["principalId"]) == (role["Arn"], role["RoleId"])


_TELL = "import os\ndef handler(event, context):\n    return os.environ['AWS_ACCESS_KEY_ID']\n"


def _zip(name: str, text: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, text)
    return file.getvalue()


def test_a_session_that_nobody_knows_is_still_a_session() -> None:
    key = f"ASIA{hashlib.sha256(b'nobody').hexdigest()[:16].upper()}"
    identity = Callers("http://127.0.0.1:9").identity(key)
    assert (identity["type"], identity["accessKeyId"]) == ("AssumedRole", key)


def test_an_event_waits_for_a_gateway_that_is_starting(directory: Directory) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    delivery = Delivery(f"http://127.0.0.1:{port}", queue.Queue())
    for number in range(3):
        delivery.send(lambda n=number: {"n": n, "detail": {"eventSource": "a", "eventName": "b"}})
    eventually(delivery.pending, lambda count: count == 3)
    received: list[int] = []

    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["n"])
            # the second is wrong: it is given up and the third comes all the same
            self.send_response(400 if received[-1] == 1 else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Refusing)
    Thread(target=server.serve_forever, daemon=True).start()
    eventually(delivery.pending, lambda count: count == 0)
    assert received == [0, 1, 2]
    server.shutdown()
