"""The access portal: a person's credentials for a role that an assignment gives them.

In AWS a person signs in with a browser; here the local administrator asks in their name. What is
checked is the same: the person exists and is enabled, and an assignment of the permission set in
the account names them, or a group that they are in now.
"""

import os
from typing import Any

import boto3
from botocore.config import Config
from moto.ssoadmin.models import ssoadmin_backends

from commons.domain.names import session_name
from local.services.access_roles import seconds
from local.services.assignments import assignments
from local.services.errors import Refused
from local.services.identity_store import directory
from local.settings import ACCOUNT, REGION, SECRET

_ONCE = Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 1})


def credentials(user_name: str, permission_set: str, account: str) -> dict[str, Any]:
    """Keys of a session named after the person, and its end. Raises Refused with what is missing.

    A session that was handed out before lives on until its end, as in AWS.
    """
    user = _user(user_name)
    if user.get("UserStatus", "ENABLED") != "ENABLED":
        raise Refused("ForbiddenException", f"{user['UserName']} is disabled in the directory")
    known = _permission_set(permission_set)
    _check_assigned(user, known, account)
    if session_name(user["UserName"]) is None:
        raise Refused("ForbiddenException", f"{user['UserName']!r} cannot be a session's name")
    role = assignments.provisioned[account, known.permission_set_arn].role
    return _session(role, user["UserName"], seconds(known.session_duration), account)


def _user(name: str) -> dict[str, Any]:
    unique = {"AttributePath": "userName", "AttributeValue": name}
    try:
        return directory.find("user", {"UniqueAttribute": unique})
    except Refused as error:
        raise Refused(error.code, f"nobody in the directory is called {name}") from error


def _permission_set(name: str) -> Any:
    for known in ssoadmin_backends[ACCOUNT][REGION].permission_sets:
        if known.name == name:
            return known
    raise Refused("ResourceNotFoundException", f"there is no permission set {name}")


def _check_assigned(user: dict[str, Any], permission_set: Any, account: str) -> None:
    groups = {
        membership["GroupId"]
        for membership in directory.memberships.values()
        if membership["MemberId"]["UserId"] == user["UserId"]
    }
    principals = {("USER", user["UserId"]), *(("GROUP", group) for group in groups)}
    place = (account, permission_set.permission_set_arn)
    assigned = [each for each in assignments.current if each[:2] == place]
    if any(each[2:] in principals for each in assigned):
        return
    names = sorted(
        directory.groups[each.principal_id]["DisplayName"]
        for each in assigned
        if each.principal_id in directory.groups
    )
    to = f"the groups {', '.join(names)}, of which they are in none" if names else "no group"
    raise Refused(
        "ForbiddenException",
        f"no assignment gives {user['UserName']} the permission set {permission_set.name} in "
        f"account {account}: it is assigned to {to}",
    )


def _session(role: str, user_name: str, duration: int, account: str) -> dict[str, Any]:
    session = boto3.Session(ACCOUNT, SECRET, region_name=REGION)
    url = os.environ["COMMONS_LOCAL_GATEWAY_URL"]
    iam, sts = (session.client(s, endpoint_url=url, config=_ONCE) for s in ("iam", "sts"))
    answer = sts.assume_role(
        RoleArn=iam.get_role(RoleName=role)["Role"]["Arn"],
        RoleSessionName=user_name,
        DurationSeconds=duration,
    )["Credentials"]
    return {
        "account": account,
        "role": role,
        "access_key_id": answer["AccessKeyId"],
        "secret_access_key": answer["SecretAccessKey"],
        "session_token": answer["SessionToken"],
        "expiration": answer["Expiration"].isoformat().replace("+00:00", "Z"),
    }
