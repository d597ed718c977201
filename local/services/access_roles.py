"""The IAM role that Identity Center keeps in an account while a set is assigned there."""

import json
import os
import re
import secrets
from functools import cache
from typing import Any

import boto3
from botocore.config import Config

from local.settings import ACCOUNT, REGION, SECRET

PATH = f"/aws-reserved/sso.amazonaws.com/{REGION}/"
_INLINE_POLICY = "AwsSSOInlinePolicy"
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?")
_ONCE = Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 1})

_PROVIDER = f"arn:aws:iam::{ACCOUNT}:saml-provider/AWSSSO_DO_NOT_DELETE"

_ROOT = f"arn:aws:iam::{ACCOUNT}:root"

# Nobody signs in by SAML here: the portal does so with the account's root. A root in a trust policy
# stands for everybody in the account, so the condition keeps all others out.
_TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Federated": _PROVIDER},
            "Action": ["sts:AssumeRoleWithSAML", "sts:TagSession"],
            "Condition": {"StringEquals": {"SAML:aud": "https://signin.aws.amazon.com/saml"}},
        },
        {
            "Effect": "Allow",
            "Principal": {"AWS": _ROOT},
            "Action": ["sts:AssumeRole", "sts:TagSession"],
            "Condition": {"ArnEquals": {"aws:PrincipalArn": _ROOT}},
        },
    ],
}


def new_name(permission_set: str) -> str:
    """A name for the role of a permission set, with a suffix of its own."""
    return f"AWSReservedSSO_{permission_set}_{secrets.token_hex(8)}"


def create(name: str, inline_policy: str, session_duration: str) -> None:
    """Make the role of a first assignment."""
    _iam().create_role(
        RoleName=name,
        Path=PATH,
        AssumeRolePolicyDocument=json.dumps(_TRUST),
        MaxSessionDuration=seconds(session_duration),
        Description="",
    )
    _put_policy(name, inline_policy)


def provision(name: str, inline_policy: str, session_duration: str) -> None:
    """Give the role what the permission set says now."""
    _iam().update_role(RoleName=name, MaxSessionDuration=seconds(session_duration))
    _put_policy(name, inline_policy)


def delete(name: str) -> None:
    """Remove the role of a last assignment."""
    _put_policy(name, "")
    _iam().delete_role(RoleName=name)


def _put_policy(name: str, inline_policy: str) -> None:
    iam = _iam()
    if inline_policy:
        iam.put_role_policy(RoleName=name, PolicyName=_INLINE_POLICY, PolicyDocument=inline_policy)
    elif _INLINE_POLICY in iam.list_role_policies(RoleName=name)["PolicyNames"]:
        iam.delete_role_policy(RoleName=name, PolicyName=_INLINE_POLICY)


def seconds(duration: str) -> int:
    """Of an ISO 8601 duration in hours and minutes."""
    match = _DURATION.fullmatch(duration)
    hours, minutes = match.groups("0") if match else ("1", "0")
    return int(hours) * 3600 + int(minutes) * 60


@cache
def _iam() -> Any:
    session = boto3.Session(ACCOUNT, SECRET, region_name=REGION)
    url = os.environ["COMMONS_LOCAL_GATEWAY_URL"]
    return session.client("iam", endpoint_url=url, config=_ONCE)
