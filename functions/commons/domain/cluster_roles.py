"""What the product itself may do in a cluster: two identities, made by `commons cluster register`.

The reader only reads. The writer shapes namespaces: it may change objects of our names only, and
grant (`escalate`, `bind`) only Roles of our names, so it cannot make itself an administrator by a
ClusterRole. Nobody may delete a namespace, a queue or a task in our name.
"""

from typing import Any

from commons.domain import network_policy, rbac
from commons.domain.namespace_objects import MANAGED, MANAGED_LABEL, OBJECT_COUNTS

# groups that the two access entries carry
READERS = "commons:readers"
WRITERS = "commons:writers"
_CHANGE = ("get", "update", "patch", "delete")
_TASKS = {
    "sagemaker.amazonaws.com": ("hyperpodpytorchjobs",),
    "inference.sagemaker.aws.amazon.com": ("inferenceendpointconfigs", "jumpstartmodels"),
    "workspace.jupyter.org": ("workspaces",),
}
_POLICIES = ("validatingadmissionpolicies", "validatingadmissionpolicybindings")
_KUEUE = ("clusterqueues", "cohorts", "localqueues", "resourceflavors", "workloads")

_READER: list[dict[str, Any]] = [
    rbac.as_rule(("",), ("namespaces", "pods", "resourcequotas"), rbac.READ),
    # of which type a machine is on which something runs past the queue
    rbac.as_rule(("",), ("nodes",), ("list",)),
    rbac.as_rule(("kueue.x-k8s.io",), (*_KUEUE, "workloadpriorityclasses"), rbac.READ),
    rbac.as_rule((rbac.RBAC,), ("roles", "rolebindings"), rbac.READ),
    # who else has let somebody of a team in, and what the cluster would answer them
    rbac.as_rule((rbac.RBAC,), ("clusterrolebindings",), ("list",)),
    rbac.as_rule(("authorization.k8s.io",), ("subjectaccessreviews",), ("create",)),
    rbac.as_rule(("networking.k8s.io",), ("networkpolicies",), rbac.READ),
    rbac.as_rule(("admissionregistration.k8s.io",), _POLICIES, rbac.READ),
    *(rbac.as_rule((group,), kinds, rbac.READ) for group, kinds in _TASKS.items()),
]
_WRITER: list[dict[str, Any]] = [
    # to hold the queue of a team that is frozen or leaves. A rule takes names and no patterns, and
    # there is a LocalQueue for each namespace that will ever be: so it is all of them
    rbac.as_rule(("kueue.x-k8s.io",), ("localqueues",), ("get", "patch")),
    rbac.as_rule(("kueue.x-k8s.io",), ("workloads",), ("list",)),
    rbac.as_rule(("",), ("namespaces",), ("get", "patch")),
    # the name of what is created cannot be part of a rule, nor that of what is listed
    rbac.as_rule((rbac.RBAC,), ("roles", "rolebindings"), ("list", "create")),
    rbac.as_rule((rbac.RBAC,), ("roles",), (*_CHANGE, "escalate", "bind"), rbac.ROLE_NAMES),
    rbac.as_rule((rbac.RBAC,), ("rolebindings",), _CHANGE, rbac.ROLE_NAMES),
    rbac.as_rule(("networking.k8s.io",), ("networkpolicies",), ("list", "create")),
    rbac.as_rule(("networking.k8s.io",), ("networkpolicies",), _CHANGE, (network_policy.NAME,)),
    rbac.as_rule(("",), ("resourcequotas",), ("list", "create")),
    rbac.as_rule(("",), ("resourcequotas",), _CHANGE, (OBJECT_COUNTS,)),
]


def manifests() -> list[dict[str, Any]]:
    """ClusterRoles first: a binding to one that is not there would give whatever comes later."""
    known = (("commons-reader", READERS, _READER), ("commons-writer", WRITERS, _WRITER))
    roles = [_role(name, rules) for name, _, rules in known]
    return roles + [_binding(name, group) for name, group, _ in known]


def _role(name: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "apiVersion": f"{rbac.RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": {MANAGED_LABEL: MANAGED}},
        "rules": rules,
    }


def _binding(name: str, group: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{rbac.RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name, "labels": {MANAGED_LABEL: MANAGED}},
        "roleRef": {"apiGroup": rbac.RBAC, "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": rbac.RBAC, "kind": "Group", "name": group}],
    }
