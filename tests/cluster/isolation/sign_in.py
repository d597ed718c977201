"""How people of the directory get a token."""

import base64
from datetime import datetime, timedelta
from unittest import mock

from botocore import auth

from commons.domain.names import permission_set_name
from local import portal, settings
from local.portal import Keys
from tests.clouds import Cloud
from tests.cluster.isolation.company import Person

_PREFIX = "k8s-aws-v1."


class SignIn:
    """To one local cloud."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def keys(self, person: Person) -> Keys:
        """What the access portal gives a person for their team; raises NotLetIn."""
        permission_set = permission_set_name(person.team)
        return portal.credentials(self._cloud.state.ports, person.user_name, permission_set)

    def keys_of_role(self, role_arn: str, session_name: str) -> Keys:
        """A session of a role that is not Identity Center's."""
        sts = self._cloud.client("sts")
        keys = sts.assume_role(RoleArn=role_arn, RoleSessionName=session_name)["Credentials"]
        return {
            "access_key_id": keys["AccessKeyId"],
            "secret_access_key": keys["SecretAccessKey"],
            "session_token": keys["SessionToken"],
        }

    def token(self, keys: Keys, eks_cluster: str = settings.EKS_CLUSTER) -> str:
        """As `aws eks get-token` makes it."""
        return portal.token(self._cloud.state.ports, keys, eks_cluster)

    def token_of(self, person: Person, minutes_ago: int) -> str:
        """One that was made some minutes ago."""
        keys = self.keys(person)
        then = auth.get_current_datetime() - timedelta(minutes=minutes_ago)

        def clock(remove_tzinfo: bool = True) -> datetime:
            return then.replace(tzinfo=None) if remove_tzinfo else then

        with mock.patch.object(auth, "get_current_datetime", clock):
            return self.token(keys)


def altered(token: str, old: str, new: str) -> str:
    """A token whose URL somebody edited after it was signed."""
    body = token.removeprefix(_PREFIX)
    url = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode()
    assert old in url
    return _PREFIX + base64.urlsafe_b64encode(url.replace(old, new).encode()).decode().rstrip("=")
