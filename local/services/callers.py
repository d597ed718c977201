"""Who made a call: from the access key of its signature to CloudTrail's userIdentity.

A function of the gateway signs with a session of its role whose key is derived from function and
role, so the list of functions tells whose key it is. Twelve digits are the account's root.
"""

import hashlib
import logging
import time
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from local.settings import ACCOUNT, REGION, SECRET

_LOG = logging.getLogger(__name__)
_TEMPORARY = "ASIA"
_LIST_AGAIN_SECONDS = 1.0
_ONCE = Config(connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 1})


class Callers:
    """Looks callers up at the gateway and remembers them."""

    def __init__(self, gateway_url: str) -> None:
        self._url = gateway_url
        self._known: dict[str, dict[str, Any]] = {}
        self._listed = -_LIST_AGAIN_SECONDS

    def identity(self, access_key: str) -> dict[str, Any]:
        """CloudTrail's userIdentity of a caller."""
        if access_key.startswith(_TEMPORARY):
            return self._session(access_key)
        return {
            "type": "Root",
            "principalId": ACCOUNT,
            "arn": f"arn:aws:iam::{ACCOUNT}:root",
            "accountId": ACCOUNT,
            "accessKeyId": access_key,
        }

    def iam_identity(self, access_key: str) -> dict[str, str]:
        """The caller as SageMaker's CreatedBy and LastModifiedBy name it."""
        identity = self.identity(access_key)
        return {"Arn": identity["arn"], "PrincipalId": identity["principalId"]}

    def _session(self, access_key: str) -> dict[str, Any]:
        if access_key not in self._known and time.monotonic() > self._listed + _LIST_AGAIN_SECONDS:
            self._learn(access_key)
        return self._known.get(access_key) or {
            "type": "AssumedRole",
            "principalId": access_key,
            "arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/unknown/{access_key}",
            "accountId": ACCOUNT,
            "accessKeyId": access_key,
        }

    def _learn(self, access_key: str) -> None:
        try:
            for function in self._functions():
                if session_key(function["FunctionArn"], function["Role"]) == access_key:
                    issuer = self._issuer(function["Role"])
                    self._known[access_key] = _assumed(access_key, function["FunctionName"], issuer)
                    return
        except (BotoCoreError, ClientError) as error:
            _LOG.warning("the gateway does not say who its functions are: %s", error)
        self._listed = time.monotonic()

    def _functions(self) -> list[dict[str, Any]]:
        pages = _client("lambda", self._url).get_paginator("list_functions").paginate()
        return [function for page in pages for function in page["Functions"]]

    def _issuer(self, role_arn: str) -> dict[str, str]:
        name = role_arn.rpartition("/")[2]
        role = _client("iam", self._url).get_role(RoleName=name)["Role"]
        return {
            "type": "Role",
            "principalId": role["RoleId"],
            "arn": role["Arn"],
            "accountId": ACCOUNT,
            "userName": name,
        }


@cache
def _client(service: str, url: str) -> Any:
    session = boto3.Session(ACCOUNT, SECRET, region_name=REGION)
    return session.client(service, endpoint_url=url, config=_ONCE)


def session_key(function_arn: str, role_arn: str) -> str:
    """The access key of a function's session, as the gateway derives it."""
    digest = hashlib.sha256(f"{function_arn}:{role_arn}".encode()).hexdigest()
    return f"{_TEMPORARY}{digest[:16].upper()}"


def _assumed(access_key: str, session: str, issuer: dict[str, str]) -> dict[str, Any]:
    role = issuer["userName"]
    return {
        "type": "AssumedRole",
        "principalId": f"{issuer['principalId']}:{session}",
        "arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{session}",
        "accountId": ACCOUNT,
        "accessKeyId": access_key,
        "sessionContext": {
            "sessionIssuer": issuer,
            "attributes": {"mfaAuthenticated": "false"},
        },
    }
