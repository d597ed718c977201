"""IAM: the roles that Identity Center makes, under the exact ARN that IAM says."""

from typing import Any

from commons.adapters.aws_errors import translated
from commons.domain.access import ROLE_PATH, Role, permission_set_of


class IamRoles:
    def __init__(self, client: Any) -> None:
        self._client = client

    def of_permission_set(self, name: str) -> Role | None:
        """The role of a permission set in this account; the newest, should there be two."""
        found = [role for role in self.all() if permission_set_of(role.arn) == name]
        return max(found, key=lambda role: role.created_at, default=None)

    def all(self) -> list[Role]:
        """Every role that Identity Center has made in this account."""
        pages = self._client.get_paginator("list_roles").paginate(
            PathPrefix=ROLE_PATH, PaginationConfig={"PageSize": 1000}
        )
        with translated("listing the roles of Identity Center"):
            return [
                Role(arn=role["Arn"], role_id=role["RoleId"], created_at=role["CreateDate"])
                for page in pages
                for role in page["Roles"]
            ]
