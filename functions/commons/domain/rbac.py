"""What each role of a team may do in its namespaces: one table, and the Role objects it becomes.

Nobody may change a Kueue Workload or its status (a task could raise its own priority or forge its
admission), a Namespace (its labels switch governance on), or who is bound to what.
"""

from typing import Any

from commons.domain.membership import ROLES, Role

READ = ("get", "list", "watch")
WRITE = (*READ, "create", "update", "patch", "delete")
RBAC = "rbac.authorization.k8s.io"

# API groups of tasks, with the kinds that SageMaker HyperPod, Kubeflow and Ray bring
_TASKS = {
    "batch": ("jobs", "cronjobs"),
    "apps": ("deployments", "statefulsets"),
    "sagemaker.amazonaws.com": ("hyperpodpytorchjobs",),
    "kubeflow.org": ("pytorchjobs", "mpijobs", "tfjobs"),
    "ray.io": ("rayclusters", "rayjobs", "rayservices"),
    "inference.sagemaker.aws.amazon.com": (
        "inferenceendpointconfigs",
        "jumpstartmodels",
        "sagemakerendpointregistrations",
    ),
    "workspace.jupyter.org": ("workspaces",),
}
_OBJECTS = ("pods", "services", "configmaps", "persistentvolumeclaims")
_VISIBLE = ("events", "resourcequotas", "pods/log")
_QUEUES = ("localqueues", "workloads")

Rule = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Groups, resources, verbs."""

_VIEWER: tuple[Rule, ...] = (
    (("",), (*_OBJECTS, *_VISIBLE), READ),
    (("kueue.x-k8s.io",), _QUEUES, READ),
    *(((group,), resources, READ) for group, resources in _TASKS.items()),
)
_MEMBER: tuple[Rule, ...] = (
    (("",), _VISIBLE, READ),
    (("",), (*_OBJECTS, "secrets"), WRITE),
    # a shell, a tunnel and copying files are a `create` each; newer clients open them by `get`
    (("",), ("pods/exec", "pods/attach", "pods/portforward"), ("create", "get")),
    (("kueue.x-k8s.io",), _QUEUES, READ),
    *(((group,), resources, WRITE) for group, resources in _TASKS.items()),
)
# whoever deletes a Workload ends the task behind it, of whatever kind it is
_LEAD: tuple[Rule, ...] = (
    *_MEMBER,
    (("kueue.x-k8s.io",), ("workloads",), ("delete",)),
    ((RBAC,), ("roles", "rolebindings"), READ),
)
RULES: dict[Role, tuple[Rule, ...]] = {"viewer": _VIEWER, "member": _MEMBER, "lead": _LEAD}


def role_name(role: Role) -> str:
    """Name of the Role, and of the RoleBinding that lists its people."""
    return f"commons-{role}"


ROLE_NAMES = tuple(role_name(role) for role in ROLES)


def rules(role: Role) -> list[dict[str, Any]]:
    """The rules of a Role as Kubernetes writes them."""
    return [as_rule(*rule) for rule in RULES[role]]


def as_rule(
    groups: tuple[str, ...],
    resources: tuple[str, ...],
    verbs: tuple[str, ...],
    names: tuple[str, ...] = (),
) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "apiGroups": list(groups),
        "resources": list(resources),
        "verbs": list(verbs),
    }
    if names:
        rule["resourceNames"] = list(names)
    return rule
