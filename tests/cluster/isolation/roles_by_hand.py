"""Roles and access entries that an administrator of the account makes by hand."""

import json
from contextlib import suppress

from local import settings
from tests.clouds import Cloud

_ANYBODY = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
_TRUST = json.dumps({"Version": "2012-10-17", "Statement": [_ANYBODY]})


class HandMade:
    """In the account of a local cloud."""

    def __init__(self, cloud: Cloud) -> None:
        self._iam, self._eks = cloud.client("iam"), cloud.client("eks")

    def make(self, name: str) -> str:
        """ARN of a new role; an old one of that name is deleted before."""
        with suppress(self._iam.exceptions.NoSuchEntityException):  # the first of its name
            self._iam.delete_role(RoleName=name)
        made = self._iam.create_role(RoleName=name, AssumeRolePolicyDocument=_TRUST)
        return str(made["Role"]["Arn"])

    def let_in(self, role_arn: str, username: str) -> None:
        """By a new access entry; an old one of the role is deleted before."""
        entry = {"clusterName": settings.EKS_CLUSTER, "principalArn": role_arn}
        with suppress(self._eks.exceptions.ResourceNotFoundException):  # the first of its role
            self._eks.delete_access_entry(**entry)
        self._eks.create_access_entry(**entry, username=username)
