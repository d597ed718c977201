"""IAM: the roles that Identity Center makes, under the exact ARN that IAM says."""

from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.domain.access import ROLE_PATH, Role, permission_set_of
from commons.domain.errors import AccessDenied


class IamRoles:
    def __init__(self, client: Any) -> None:
        self._client = client

    def of_permission_set(self, name: str) -> Role | None:
        """The role of a permission set in this account; the newest, should there be two."""
        found = [role for role in self.all() if permission_set_of(role.arn) == name]
        return max(found, key=lambda role: role.created_at, default=None)

    def of_identity_center(self, role_name: str) -> Role | None:
        """The role of that name, if Identity Center made it.

        Only its path may be read: a role elsewhere is answered like one that does not exist.
        """
        try:
            with translated(f"reading the role {role_name}"):
                role = self._client.get_role(RoleName=role_name)["Role"]
        except AccessDenied:
            return None
        except ClientError as error:
            if code_of(error) != "NoSuchEntity":
                raise
            return None
        return _role(role) if ROLE_PATH in role["Arn"] else None

    def all(self) -> list[Role]:
        """Every role that Identity Center has made in this account."""
        pages = self._client.get_paginator("list_roles").paginate(
            PathPrefix=ROLE_PATH, PaginationConfig={"PageSize": 1000}
        )
        with translated("listing the roles of Identity Center"):
            return [_role(role) for page in pages for role in page["Roles"]]


def _role(role: dict[str, Any]) -> Role:
    return Role(arn=role["Arn"], role_id=role["RoleId"], created_at=role["CreateDate"])
