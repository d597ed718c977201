"""Which person signed a call: a session of a role that Identity Center made, and nobody else."""

from commons.adapters.iam_roles import IamRoles
from commons.domain import callers
from commons.domain.callers import Caller
from commons.domain.errors import NotAllowed


class SignedCallers:
    def __init__(self, roles: IamRoles) -> None:
        self._roles = roles

    def person(self, arn: str) -> Caller:
        """Raises NotAllowed. A role can be called like Identity Center's, and whoever takes it
        could then name themselves as they like: the role must be one of Identity Center's path.
        """
        caller = callers.read(arn)
        role = self._roles.of_identity_center(caller.role_name) if caller else None
        if caller is None or role is None or not callers.is_session_of(caller, role.arn):
            raise NotAllowed(
                "This is for people who sign in by IAM Identity Center, not for users and roles of "
                "IAM: run aws sso login, and use a profile of that sign-in"
            )
        return caller
