"""IAM: the roles that Identity Center makes, under the exact ARN that IAM says."""

from typing import Any

from commons.adapters.aws_errors import translated
from commons.domain.access import ROLE_PATH, Role, permission_set_of


class IamRoles:
    def __init__(self, client: Any) -> None:
        self._client = client

    def of_permission_set(self, name: str) -> Role | None:
        """The role of a permission set in this account; the newest, should there be two."""
        pages = self._client.get_paginator("list_roles").paginate(
            PathPrefix=ROLE_PATH, PaginationConfig={"PageSize": 1000}
        )
        with translated("listing the roles of Identity Center"):
            found = [
                Role(arn=role["Arn"], role_id=role["RoleId"], created_at=role["CreateDate"])
                for page in pages
                for role in page["Roles"]
                if permission_set_of(role["Arn"]) == name
            ]
        return max(found, key=lambda role: role.created_at, default=None)
