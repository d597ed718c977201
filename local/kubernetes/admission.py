"""Nobody gives away permissions that they do not have: the API server's escalation check."""

import json
from collections.abc import Iterable

from local.kubernetes import errors, rbac
from local.kubernetes.errors import ApiError
from local.kubernetes.kinds import Kind, named
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
            granted: list[Document] | None = document.get("rules") or []
            wanted = Attributes("escalate", kind.group, kind.plural, "", name_of(document))
        elif kind in _BINDINGS:
            granted, wanted = _bound(store, document, namespace)
        else:
            return
        wanted = Attributes(wanted.verb, wanted.group, wanted.resource, "", wanted.name, namespace)
        if rbac.allowed(store, user, wanted):
            return
        if granted is None:  # nobody can tell what such a binding may come to give
            raise errors.not_found(named(wanted.resource, wanted.group), wanted.name)
        _check_covered(store, user, kind, document, granted)

    return admit


def _bound(
    store: Store, document: Document, namespace: str
) -> tuple[list[Document] | None, Attributes]:
    reference = document["roleRef"]
    kind = rbac.CLUSTER_ROLES if reference["kind"] == "ClusterRole" else rbac.ROLES
    role = store.get(kind, namespace if kind.namespaced else "", reference["name"])
    granted = None if role is None else role.get("rules") or []
    return granted, Attributes("bind", kind.group, kind.plural, "", reference["name"])


def _check_covered(
    store: Store, user: User, kind: Kind, document: Document, granted: list[Document]
) -> None:
    namespace = document["metadata"].get("namespace", "")
    owned = list(rbac.rules_of(store, user, namespace))
    if missing := rbac.uncovered(owned, granted):
        raise _escalation(kind, name_of(document), user, missing)


def _escalation(kind: Kind, name: str, user: User, missing: list[Attributes]) -> ApiError:
    problem = (
        f'user "{user.name}" (groups=[{_words(user.groups)}]) is attempting to grant RBAC '
        "permissions not currently held:\n" + "\n".join(_told(missing))
    )
    return errors.forbidden(kind, name, problem)


def _told(missing: list[Attributes]) -> list[str]:
    """One line for each resource, with all its verbs."""
    verbs: dict[str, list[str]] = {}
    for each in missing:
        if each.path:
            what = f'NonResourceURLs:["{each.path}"]'
        else:
            names = f', ResourceNames:["{each.name}"]' if each.name else ""
            what = f'APIGroups:["{each.group}"], Resources:["{each.full_resource}"]{names}'
        verbs.setdefault(what, []).append(each.verb)
    return sorted(f"{{{what}, Verbs:[{_words(said)}]}}" for what, said in verbs.items())


def _words(texts: Iterable[str]) -> str:
    return " ".join(json.dumps(text) for text in texts)
