"""What our two roles may do in a cluster: ClusterRoles, bound to the groups of their entries."""

from typing import Any

READERS, WRITERS = "commons:readers", "commons:writers"
_RBAC = "rbac.authorization.k8s.io"
_SEE = ["get", "list", "watch"]
_KEEP = ["get", "list", "watch", "create", "patch", "update", "delete"]

Rule = dict[str, list[str]]


def _rule(group: str, resources: list[str], verbs: list[str]) -> Rule:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


# looks at queues and tasks of every team, changes nothing
READER_RULES = [
    _rule("", ["namespaces"], _SEE),
    _rule(
        "kueue.x-k8s.io",
        ["workloads", "clusterqueues", "localqueues", "cohorts", "resourceflavors"],
        _SEE,
    ),
    _rule("workspace.jupyter.org", ["workspaces"], _SEE),
    _rule(
        "inference.sagemaker.aws.amazon.com", ["inferenceendpointconfigs", "jumpstartmodels"], _SEE
    ),
]
# shapes namespaces that a quota has made; it neither makes nor deletes one
WRITER_RULES = [
    _rule("", ["namespaces"], [*_SEE, "patch", "update"]),
    _rule("", ["resourcequotas"], _KEEP),
    _rule("networking.k8s.io", ["networkpolicies"], _KEEP),
    _rule("kueue.x-k8s.io", ["localqueues", "clusterqueues"], _SEE),
    _rule(_RBAC, ["rolebindings"], _KEEP),
    # it gives teams more than it may do itself, which is what these two verbs are for
    _rule(_RBAC, ["roles"], [*_KEEP, "bind", "escalate"]),
]


def manifests() -> list[dict[str, Any]]:
    """Roles first: a binding to a role that is not there would give what comes later."""
    roles = {"commons-reader": (READERS, READER_RULES), "commons-writer": (WRITERS, WRITER_RULES)}
    made = [_role(name, rules) for name, (_, rules) in roles.items()]
    return made + [_binding(name, group) for name, (group, _) in roles.items()]


def _role(name: str, rules: list[Rule]) -> dict[str, Any]:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": rules,
    }


def _binding(name: str, group: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": group}],
    }
