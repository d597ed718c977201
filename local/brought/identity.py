"""As whom a request goes on to the brought cluster."""

from collections.abc import Iterable, Mapping

from local.controlplane import webhooks
from local.kubernetes import impersonation, requests
from local.kubernetes.rbac import MASTERS, Attributes, User
from local.kubernetes.requests import Target

Headers = list[tuple[str, str]]

_PREFIX = "impersonate-"
_USER, _GROUP = "Impersonate-User", "Impersonate-Group"
_EVERYBODY = "system:authenticated"  # the server itself adds it


def headers(
    user: User | None,
    given: Iterable[tuple[str, str]],
    method: str,
    path: str,
    query: Mapping[str, str],
) -> Headers:
    """The impersonation headers of a request; None stands for the local administrator.

    The administrator acts as the kubeconfig's user, or as whom they name. Nobody else can name
    anybody: the headers that would say so already say who they are. Raises ApiError.
    """
    asked = [(name, value) for name, value in given if name.lower().startswith(_PREFIX)]
    if user is None:
        return asked
    if asked:
        raise impersonation.denied(user, _wish(asked))
    groups = [group for group in user.groups if group != _EVERYBODY]
    if _allowed_by_policy(user, method, path, query):
        groups.append(MASTERS)
    return [(_USER, user.name), *((_GROUP, group) for group in dict.fromkeys(groups))]


def _wish(asked: Headers) -> Attributes:
    names = [value for name, value in asked if name.lower() == _USER.lower()]
    return Attributes("impersonate", "", "users", "", names[0] if names else "")


def _allowed_by_policy(user: User, method: str, path: str, query: Mapping[str, str]) -> bool:
    """Whether access policies of EKS, which this cluster knows nothing of, allow the request."""
    extra = webhooks.authentication(user)["user"].get("extra")
    if not extra:
        return False
    target = requests.read(method, path, query)
    wanted = target.attributes if isinstance(target, Target) else target
    asked = {"verb": wanted.verb, "namespace": wanted.namespace}
    return webhooks.by_policy({"extra": extra, "resourceAttributes": asked})
