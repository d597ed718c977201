"""What each role of a team may do in its namespaces: one table, and the Role objects it becomes.

The table is the whole answer: what stands in no line is allowed to nobody. Not in it on purpose:

* writing Workloads, queues, quotas, network policies, the Namespace: whoever does forges an
  admission, raises a priority, or leaves governance;
* Roles and RoleBindings, ServiceAccounts and their tokens, impersonation: identities are given by
  directory groups and by nothing else, so that who leaves a group is out;
* ephemeral containers, changes of a running pod, the status and the finalizers of anything:
  what was checked when it was made stays as it was.
"""

from typing import Any, NamedTuple

from commons.domain.membership import ROLES, Role

Verbs = tuple[str, ...]
NONE: Verbs = ()
CREATE: Verbs = ("create",)
DELETE: Verbs = ("delete",)
READ: Verbs = ("get", "list", "watch")
CHANGE: Verbs = ("get", "update", "patch")
WRITE: Verbs = (*READ, "create", "update", "patch", "delete")
RUN: Verbs = (*READ, "create", "delete")
OPEN: Verbs = ("create", "get")

RBAC = "rbac.authorization.k8s.io"
SPACES = "workspace.jupyter.org"
INFERENCE = "inference.sagemaker.aws.amazon.com"


class Line(NamedTuple):
    """Kinds of one API group, and what each role may do with them."""

    group: str
    resources: tuple[str, ...]
    viewer: Verbs
    member: Verbs
    lead: Verbs
    why: str = ""

    def verbs(self, role: Role) -> Verbs:
        return {"viewer": self.viewer, "member": self.member, "lead": self.lead}[role]


TABLE: tuple[Line, ...] = (
    # tasks
    Line("batch", ("jobs", "cronjobs"), READ, WRITE, WRITE),
    Line("apps", ("deployments", "statefulsets"), READ, WRITE, WRITE),
    Line(
        "apps", ("deployments/scale", "statefulsets/scale"), NONE, CHANGE, CHANGE, "kubectl scale"
    ),
    Line("sagemaker.amazonaws.com", ("hyperpodpytorchjobs",), READ, WRITE, WRITE),
    Line("kubeflow.org", ("pytorchjobs", "mpijobs", "tfjobs"), READ, WRITE, WRITE),
    Line("ray.io", ("rayclusters", "rayjobs", "raycronjobs", "rayservices"), READ, WRITE, WRITE),
    Line(INFERENCE, ("inferenceendpointconfigs", "jumpstartmodels"), READ, WRITE, WRITE),
    Line(SPACES, ("workspaces",), READ, WRITE, WRITE),
    # pods
    Line(
        "",
        ("pods",),
        READ,
        RUN,
        RUN,
        "a changed pod is made anew: who may change one may take Kueue's scheduling gate off it",
    ),
    Line("", ("pods/log",), READ, READ, READ),
    Line(
        "",
        ("pods/exec", "pods/attach", "pods/portforward"),
        NONE,
        OPEN,
        OPEN,
        "a shell, a tunnel and copying files are a create each; newer clients open them by get",
    ),
    # what tasks use
    Line("", ("configmaps", "services", "persistentvolumeclaims"), READ, WRITE, WRITE),
    Line(
        "", ("secrets",), NONE, WRITE, WRITE, "a viewer sees how the team works, not its passwords"
    ),
    # doors of the operators
    Line(
        "connection.workspace.jupyter.org",
        ("workspaceconnections",),
        NONE,
        CREATE,
        CREATE,
        "opens a Space; its operator asks whose it is",
    ),
    Line(
        "connection.access.sagemaker.amazonaws.com",
        ("raydashboardconnections",),
        NONE,
        CREATE,
        CREATE,
        "opens the dashboard of a Ray cluster",
    ),
    # to look at
    Line("kueue.x-k8s.io", ("localqueues", "workloads"), READ, READ, READ, "why a task waits"),
    Line("kueue.x-k8s.io", ("workloads",), NONE, NONE, DELETE, "puts any task back into the queue"),
    Line("", ("events", "limitranges", "resourcequotas", "serviceaccounts"), READ, READ, READ),
    Line("apps", ("replicasets",), READ, READ, READ, "between a Deployment and its pods"),
    Line(
        INFERENCE, ("sagemakerendpointregistrations",), READ, READ, READ, "its operator writes them"
    ),
    Line(
        SPACES,
        ("workspacetemplates", "workspaceaccessstrategies", "workspaceintegrationtemplates"),
        READ,
        READ,
        READ,
        "what a Space may be is the platform team's",
    ),
    Line("networking.k8s.io", ("networkpolicies",), READ, READ, READ, "why a connection fails"),
    Line(RBAC, ("roles", "rolebindings"), NONE, NONE, READ, "who is in the team, and as what"),
)


def role_name(role: Role) -> str:
    """Name of the Role, and of the RoleBinding that lists its people."""
    return f"commons-{role}"


ROLE_NAMES = tuple(role_name(role) for role in ROLES)


def rules(role: Role) -> list[dict[str, Any]]:
    """The rules of a Role as Kubernetes writes them."""
    lines = ((line, line.verbs(role)) for line in TABLE)
    return [as_rule((line.group,), line.resources, verbs) for line, verbs in lines if verbs]


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
