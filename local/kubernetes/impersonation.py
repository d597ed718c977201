"""Acting as somebody else by the Impersonate-User and Impersonate-Group headers."""

from collections.abc import Mapping

from local.kubernetes import errors, rbac
from local.kubernetes.errors import ApiError
from local.kubernetes.rbac import Attributes, User
from local.kubernetes.store import Store

_PREFIX = "impersonate-"
_SERVED = ("impersonate-user", "impersonate-group")


def acting(store: Store, user: User, headers: list[tuple[str, str]]) -> User:
    """The user to judge by; raises Forbidden where the signed-in one may not act as them."""
    asked = [(name.lower(), value) for name, value in headers if name.lower().startswith(_PREFIX)]
    if not asked:
        return user
    if unserved := [name for name, _ in asked if name not in _SERVED]:
        raise errors.method_not_allowed(f"impersonation by {unserved[0]}")
    names = [value for name, value in asked if name == "impersonate-user"]
    groups = [value for name, value in asked if name == "impersonate-group"]
    if len(names) != 1:
        raise errors.bad_request("requested groups without impersonating a user name")
    wishes = [("users", names[0]), *(("groups", group) for group in groups)]
    for resource, name in wishes:
        wanted = Attributes("impersonate", "", resource, "", name)
        if not rbac.allowed(store, user, wanted):
            raise denied(user, wanted)
    return User(names[0], (*dict.fromkeys([*groups, "system:authenticated"]),))


def denied(user: User, wanted: Attributes) -> ApiError:
    """403 in the words of the real API server."""
    if wanted.path:
        message = f'forbidden: User "{user.name}" cannot {wanted.verb} path "{wanted.path}"'
        return ApiError(403, "Forbidden", message)
    place = f'in the namespace "{wanted.namespace}"' if wanted.namespace else "at the cluster scope"
    qualified = f"{wanted.resource}.{wanted.group}" if wanted.group else wanted.resource
    subject = f'{qualified} "{wanted.name}"' if wanted.name else qualified
    message = (
        f'{subject} is forbidden: User "{user.name}" cannot {wanted.verb} resource '
        f'"{wanted.full_resource}" in API group "{wanted.group}" {place}'
    )
    details: Mapping[str, str] = {
        "kind": wanted.resource,
        **({"name": wanted.name} if wanted.name else {}),
        **({"group": wanted.group} if wanted.group else {}),
    }
    return ApiError(403, "Forbidden", message, dict(details))
