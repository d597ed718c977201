"""Every Role rule with a verb more and with a verb less, and every binding with a wrong subject."""

from collections.abc import Iterator
from copy import deepcopy
from itertools import product

from tests.cluster.isolation.company import AMBER, PEOPLE
from tests.cluster.isolation.loosen.mutation import (
    Mutation,
    Object,
    role,
    role_binding,
)
from tests.cluster.isolation.specification import ROLES, VERBS
from tests.kubernetes_api import Cluster

_EXTRA = (
    ("", "pods/ephemeralcontainers", "patch"),
    ("", "serviceaccounts/token", "create"),
    ("", "serviceaccounts", "impersonate"),
    ("kueue.x-k8s.io", "workloads/status", "patch"),
    ("rbac.authorization.k8s.io", "roles", "escalate"),
    ("rbac.authorization.k8s.io", "roles", "bind"),
    ("*", "*", "*"),
    ("example.com", "unheard-of", "get"),
)
_STRANGER = {
    "apiGroup": "rbac.authorization.k8s.io",
    "kind": "User",
    "name": PEOPLE["cobalt viewer"].kubernetes_name,
}


def mutations(administrator: Cluster) -> Iterator[Mutation]:
    for name in ROLES:
        yield from _of_role(name, administrator.get(role(AMBER, f"commons-{name}")))
        yield from _of_binding(name, administrator.get(role_binding(AMBER, f"commons-{name}")))


def _of_role(name: str, found: Object) -> Iterator[Mutation]:
    path = role(AMBER, f"commons-{name}")
    for number, rule in enumerate(found["rules"]):
        kinds = _kinds(rule)
        told = f"{name}: {', '.join(kinds)}"
        for verb in VERBS.values():
            fewer = [each for each in rule["verbs"] if each != verb]
            word = "without" if verb in rule["verbs"] else "with"
            verbs = fewer if verb in rule["verbs"] else [*fewer, verb]
            instead = deepcopy(found)
            instead["rules"][number]["verbs"] = verbs
            if not verbs:
                del instead["rules"][number]
            if _rights(instead) != _rights(found):  # else another rule gives the same
                yield Mutation(f"{told}: {word} {verb}", path, instead, (name, *kinds))
    for group, resource, verb in _EXTRA:
        more = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
        instead = {**found, "rules": [*found["rules"], more]}
        yield Mutation(
            f"{name}: may {verb} {resource} of {group or 'core'}", path, instead, (name,)
        )


def _of_binding(name: str, found: Object) -> Iterator[Mutation]:
    path = role_binding(AMBER, f"commons-{name}")
    more = {**found, "subjects": [*found["subjects"], _STRANGER]}
    yield Mutation(f"{name}: bound to somebody next door", path, more, ("cobalt viewer",))
    yield Mutation(f"{name}: bound to nobody", path, None, (name,))


def _rights(found: Object) -> set[tuple[str, str]]:
    return {pair for rule in found["rules"] for pair in product(_kinds(rule), rule["verbs"])}


def _kinds(rule: Object) -> list[str]:
    (group,) = rule["apiGroups"]
    return [f"{resource}.{group}" if group else resource for resource in rule["resources"]]
