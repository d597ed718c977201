"""Whose calls are allowed what: boundaries, calls that another part answers, and the record."""

import base64
import json
import urllib.request
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from local.settings import ACCOUNT, REGION, Ports

from .conftest import Smoke
from .directory_process import running

STORE = "d-9067a1b2c3"


def role_of(smoke: Smoke, output: str) -> str:
    functions = smoke.client("lambda")
    arn = functions.get_function(FunctionName=smoke.names[output])["Configuration"]["Role"]
    return str(arn).rpartition("/")[2]


def session(smoke: Smoke, role: str) -> dict[str, str]:
    keys = smoke.client("sts").assume_role(
        RoleArn=f"arn:aws:iam::{ACCOUNT}:role/{role}", RoleSessionName="tried"
    )["Credentials"]
    return {
        "aws_access_key_id": keys["AccessKeyId"],
        "aws_secret_access_key": keys["SecretAccessKey"],
        "aws_session_token": keys["SessionToken"],
    }


def allow(smoke: Smoke, role: str, *actions: str, resource: str = "*") -> None:
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": resource}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    smoke.client("iam").put_role_policy(
        RoleName=role, PolicyName="more", PolicyDocument=json.dumps(document)
    )


def judge(smoke: Smoke, keys: dict[str, str], **changes: Any) -> Any:
    """What the gateway says of a call that another part got."""
    url, body = "http://127.0.0.1:9999/", b"{}"
    request = AWSRequest("POST", url, data=body, headers={"Host": "127.0.0.1:9999"})
    SigV4Auth(Credentials(*keys.values()), "identitystore", REGION).add_auth(request)
    asked = {
        "method": "POST",
        "path": "/",
        "headers": list(request.headers.items()),
        "body": base64.b64encode(body).decode(),
        "service": "identitystore",
        "action": "identitystore:ListUsers",
        "resources": [f"arn:aws:identitystore::{ACCOUNT}:identitystore/{STORE}"],
    } | changes
    told = urllib.request.Request(
        f"http://127.0.0.1:{smoke.ports.events}/judge", json.dumps(asked).encode()
    )
    with urllib.request.urlopen(told, timeout=10) as answer:  # noqa: S310
        return json.load(answer)["refusal"]


def test_the_boundary_of_a_role_in_a_template_limits_what_its_policy_grants(smoke: Smoke) -> None:
    role = role_of(smoke, "Bounded")
    assert smoke.client("iam").get_role(RoleName=role)["Role"]["PermissionsBoundary"]
    allow(smoke, role, "dynamodb:*")
    table = as_role("dynamodb", gateway(smoke.ports), session(smoke, role))
    table.describe_table(TableName=smoke.names["Table"])
    with pytest.raises(ClientError, match="explicit deny"):
        table.delete_table(TableName=smoke.names["Table"])


def gateway(ports: Ports) -> str:
    return f"http://127.0.0.1:{ports.gateway}"


def as_role(service: str, url: str, keys: dict[str, str]) -> Any:
    config = Config(retries={"total_max_attempts": 1}, region_name=REGION)
    return boto3.client(service, endpoint_url=url, config=config, **keys)


def test_a_call_of_another_part_is_allowed_by_the_policy_of_its_role(smoke: Smoke) -> None:
    role = role_of(smoke, "Forbidden")
    keys = session(smoke, role)
    refusal = judge(smoke, keys)
    assert refusal["code"] == "AccessDeniedException"
    assert f"assumed-role/{role}/tried is not authorized to perform" in refusal["message"]

    allow(smoke, role, "identitystore:List*")
    assert judge(smoke, keys) is None


def test_a_permission_is_needed_for_each_resource_of_a_call(smoke: Smoke) -> None:
    role = role_of(smoke, "Forbidden")
    store = f"arn:aws:identitystore::{ACCOUNT}:identitystore/*"
    allow(smoke, role, "identitystore:ListUsers", resource=store)
    users = "arn:aws:identitystore:::user/*"
    both = [f"arn:aws:identitystore::{ACCOUNT}:identitystore/{STORE}", users]
    keys = session(smoke, role)
    assert judge(smoke, keys) is None
    assert users in judge(smoke, keys, resources=both)["message"]


def test_a_request_that_was_changed_after_it_was_signed_is_nobody_s(smoke: Smoke) -> None:
    role = role_of(smoke, "Forbidden")
    allow(smoke, role, "identitystore:ListUsers")
    keys = session(smoke, role)
    assert judge(smoke, keys) is None
    changed = base64.b64encode(b'{"IdentityStoreId": "another"}').decode()
    guessed = {**keys, "aws_secret_access_key": "guessed"}
    for refusal in (
        judge(smoke, keys, **{"body": changed}),
        judge(smoke, keys, headers=[]),
        judge(smoke, guessed),
    ):
        assert refusal["code"] == "UnrecognizedClientException"


def test_the_directory_part_answers_only_those_whom_the_gateway_allows(smoke: Smoke) -> None:
    role = role_of(smoke, "Forbidden")
    allow(smoke, role, "identitystore:ListUsers")
    events = f"http://127.0.0.1:{smoke.ports.events}"
    with running(COMMONS_LOCAL_EVENTS_URL=events) as directory:

        def client(service: str) -> Any:
            return as_role(service, directory.url, session(smoke, role))

        assert "Users" in client("identitystore").list_users(IdentityStoreId=STORE)
        for refused in (
            lambda: client("identitystore").list_groups(IdentityStoreId=STORE),
            lambda: client("sso-admin").list_instances(),
            lambda: client("sagemaker").list_compute_quotas(),
        ):
            with pytest.raises(ClientError) as denied:
                refused()
            assert denied.value.response["Error"]["Code"] == "AccessDeniedException"
            assert "is not authorized to perform" in denied.value.response["Error"]["Message"]
        assert directory.client("identitystore").list_groups(IdentityStoreId=STORE)


def test_every_judgement_of_a_role_is_recorded_and_none_of_the_root(
    smoke: Smoke, gateway_home: Path
) -> None:
    role = role_of(smoke, "Flaky")
    smoke.invoke("Flaky", {"key": "recorded", "failures": 0})
    smoke.invoke("Forbidden", {"key": "recorded", "failures": 0})
    lines = [json.loads(x) for x in (gateway_home / "permissions.jsonl").read_text().splitlines()]
    table = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{smoke.names['Table']}"
    expected = {"role": role, "action": "dynamodb:UpdateItem", "resource": table, "allowed": True}
    assert expected in lines
    denied = {**expected, "role": role_of(smoke, "Forbidden"), "allowed": False}
    assert denied in lines
    assert all(line["role"] for line in lines)
