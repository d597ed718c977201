"""Nobody gives away permissions that they do not have: the API server's escalation check."""

import json

from local.kubernetes import errors, rbac
from local.kubernetes.errors import ApiError
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, name_of
from local.kubernetes.rbac import Attributes, User
from local.kubernetes.store import Store
from local.kubernetes.writes import Admit

_ROLES = (rbac.ROLES, rbac.CLUSTER_ROLES)
_BINDINGS = (rbac.BINDINGS, rbac.CLUSTER_BINDINGS)


def guard(store: Store, user: User) -> Admit:
    """What to ask before an object of that user is stored."""

    def admit(kind: Kind, document: Document) -> None:
        namespace = document["metadata"].get("namespace", "")
        if kind in _ROLES:
            granted = document.get("rules") or []
            wanted = Attributes("escalate", kind.group, kind.plural, "", name_of(document))
        elif kind in _BINDINGS:
            granted, wanted = _bound(store, document, namespace)
        else:
            return
        wanted = Attributes(wanted.verb, wanted.group, wanted.resource, "", wanted.name, namespace)
        if not rbac.allowed(store, user, wanted):
            _check_covered(store, user, kind, document, granted)

    return admit


def _bound(store: Store, document: Document, namespace: str) -> tuple[list[Document], Attributes]:
    reference = document["roleRef"]
    kind = rbac.CLUSTER_ROLES if reference["kind"] == "ClusterRole" else rbac.ROLES
    role = store.get(kind, namespace if kind.namespaced else "", reference["name"])
    granted = _EVERYTHING if role is None else role.get("rules") or []
    return granted, Attributes("bind", kind.group, kind.plural, "", reference["name"])


_EVERYTHING = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
"""What a binding to a role that is not there yet may come to give."""


def _check_covered(
    store: Store, user: User, kind: Kind, document: Document, granted: list[Document]
) -> None:
    namespace = document["metadata"].get("namespace", "")
    owned = list(rbac.rules_of(store, user, namespace))
    missing = [rule for rule in granted if not rbac.covers(owned, [rule])]
    if missing:
        raise _escalation(kind, name_of(document), user, missing)


def _escalation(kind: Kind, name: str, user: User, missing: list[Document]) -> ApiError:
    groups = ", ".join(json.dumps(group) for group in user.groups)
    rules = "\n".join(json.dumps(rule) for rule in missing)
    problem = (
        f'user "{user.name}" (groups=[{groups}]) is attempting to grant RBAC permissions not '
        f"currently held:\n{rules}"
    )
    return errors.forbidden(kind, name, problem)
