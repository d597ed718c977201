"""Who signs a call: from the form that STS gives a role's session to the role's real ARN.

STS names a session by the role's name alone, `assumed-role/<name>/<session>`; IAM and an access
entry name the role with its path, which differs by Region. Nothing can rebuild the one from the
other, so the ARN that IAM gave is what is remembered, and the two are compared by their names.
"""

import re

from commons.domain.access import Frozen, permission_set_of_role
from commons.domain.names import account_of

_SESSION = re.compile(r"arn:(aws[a-z-]*):sts::(\d{12}):assumed-role/([\w+=,.@-]+)/([\w+=,.@-]+)")


class Caller(Frozen):
    """A session of a role that Identity Center made; its name is the directory's user name."""

    partition: str
    account: str
    role_name: str
    session_name: str

    @property
    def permission_set(self) -> str:
        return permission_set_of_role(self.role_name) or ""


def read(arn: str) -> Caller | None:
    """The caller behind an ARN of STS; None for anybody who is not such a session."""
    found = _SESSION.fullmatch(arn)
    if not found or not permission_set_of_role(found[3]):
        return None
    partition, account, role_name, session_name = found.groups()
    return Caller(
        partition=partition, account=account, role_name=role_name, session_name=session_name
    )


def is_session_of(caller: Caller, role_arn: str) -> bool:
    """Whether the caller is a session of the role, whatever path its ARN has."""
    return (role_arn.split(":")[1], account_of(role_arn), role_arn.rpartition("/")[2]) == (
        caller.partition,
        caller.account,
        caller.role_name,
    )
