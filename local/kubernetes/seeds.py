"""What a new cluster holds before anybody writes to it."""

from datetime import datetime
from typing import Any

from local.kubernetes import writing
from local.kubernetes.kinds import Kind, named
from local.kubernetes.store import Store
from local.kubernetes.writes import Write

_RBAC = "rbac.authorization.k8s.io"
_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_PUBLIC = ["/healthz", "/livez", "/readyz", "/version", "/version/"]
_DISCOVERY = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", *_PUBLIC]
_REVIEWS = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]
_ROLES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "cluster-admin": (
        "system:masters",
        [
            {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
            {"nonResourceURLs": ["*"], "verbs": ["*"]},
        ],
    ),
    "system:discovery": (
        "system:authenticated",
        [{"nonResourceURLs": _DISCOVERY, "verbs": ["get"]}],
    ),
    "system:basic-user": (
        "system:authenticated",
        [
            {"apiGroups": ["authorization.k8s.io"], "resources": _REVIEWS, "verbs": ["create"]},
            {
                "apiGroups": ["authentication.k8s.io"],
                "resources": ["selfsubjectreviews"],
                "verbs": ["create"],
            },
        ],
    ),
}
"""Cluster roles with the group that a binding of the same name gives them to."""


def sow(store: Store, at: datetime) -> None:
    """Put the namespaces and default roles of any cluster into an empty store."""
    for name in _NAMESPACES:
        _create(store, named("namespaces"), name, {}, at)
    for name, (group, rules) in _ROLES.items():
        _create(store, named("clusterroles", _RBAC), name, {"rules": rules}, at)
        binding = {
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": group}],
        }
        _create(store, named("clusterrolebindings", _RBAC), name, binding, at)


def _create(store: Store, kind: Kind, name: str, content: dict[str, Any], at: datetime) -> None:
    write = Write(kind, kind.versions[0], "", "", "", "kube-apiserver", at, _anything)
    document = {
        "apiVersion": kind.api_version(kind.versions[0]),
        "kind": kind.kind,
        "metadata": {"name": name},
        **content,
    }
    writing.create(store, write, document)


def _anything(*_: object) -> None:
    """The cluster itself may store what it likes."""
