"""Tokens of people, good and bad ones."""

import base64
from datetime import datetime, timedelta
from unittest import mock

from botocore import auth

from commons.domain.names import permission_set_name
from local import portal
from local.portal import Keys
from tests.clouds import Cloud
from tests.cluster.isolation.company import Person

_PREFIX = "k8s-aws-v1."


def keys_of(cloud: Cloud, person: Person) -> Keys:
    """What the access portal gives a person for their team; raises NotLetIn."""
    permission_set = permission_set_name(person.team)
    return portal.credentials(cloud.state.ports, person.user_name, permission_set)


def keys_of_role(cloud: Cloud, role_arn: str, session_name: str) -> Keys:
    """A session of a role that is not Identity Center's."""
    answer = cloud.client("sts").assume_role(RoleArn=role_arn, RoleSessionName=session_name)
    keys = answer["Credentials"]
    return {
        "access_key_id": keys["AccessKeyId"],
        "secret_access_key": keys["SecretAccessKey"],
        "session_token": keys["SessionToken"],
    }


def old_token(cloud: Cloud, keys: Keys, minutes: int) -> str:
    """One that was made some minutes ago."""
    then = auth.get_current_datetime() - timedelta(minutes=minutes)

    def clock(remove_tzinfo: bool = True) -> datetime:
        return then.replace(tzinfo=None) if remove_tzinfo else then

    with mock.patch.object(auth, "get_current_datetime", clock):
        return portal.token(cloud.state.ports, keys)


def altered(token: str, old: str, new: str) -> str:
    """A token whose URL somebody edited after it was signed."""
    body = token.removeprefix(_PREFIX)
    url = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode()
    assert old in url
    return _PREFIX + base64.urlsafe_b64encode(url.replace(old, new).encode()).decode().rstrip("=")
