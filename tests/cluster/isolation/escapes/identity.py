"""Becoming somebody else, or giving oneself more."""

from tests.cluster.isolation.company import AMBER, COBALT, PEOPLE
from tests.cluster.isolation.escapes.attempt import (
    RBAC,
    at,
    get,
    patch,
    post,
    role_binding,
    stopped,
    thing,
)

_ME = PEOPLE["amber member"].kubernetes_name
_LEAD = PEOPLE["amber lead"].kubernetes_name
_PODS = at(AMBER, "pods")
_BINDINGS = at(AMBER, f"rolebindings.{RBAC}")
_ROLES = at(AMBER, f"roles.{RBAC}")
_SECRETS_OF_THE_SYSTEM = at("kube-system", "secrets")
_FRIEND = role_binding("view", "commons:cobalt:friend")
_EVERYTHING = {"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}


def _acting_as(**who: str) -> dict[str, str]:
    return {f"Impersonate-{name}": value for name, value in who.items()}


ATTEMPTS = (
    *stopped(
        "roles",
        "amber member",
        (
            "bind-admin",
            "bind Kubernetes' own role admin to themselves",
            post(_BINDINGS, role_binding("admin", _ME)),
        ),
        (
            "bind-lead",
            "bind the lead's role to themselves",
            post(_BINDINGS, role_binding("commons-lead", _ME)),
        ),
        (
            "impersonate-lead",
            "act as their lead",
            get(_PODS, **_acting_as(User=_LEAD)),
        ),
        (
            "impersonate-masters",
            "act as themselves, and in the group system:masters",
            get(_SECRETS_OF_THE_SYSTEM, **_acting_as(User=_ME, Group="system:masters")),
        ),
        (
            "impersonate-neighbour",
            "act as a service account next door",
            get(
                at(COBALT, "secrets"), **_acting_as(User=f"system:serviceaccount:{COBALT}:default")
            ),
        ),
    ),
    *stopped(
        "roles",
        "amber lead",
        (
            "bind-cluster-admin",
            "bind cluster-admin to themselves in the whole cluster",
            post(
                f"/apis/{RBAC}/clusterrolebindings",
                role_binding("cluster-admin", _LEAD, "ClusterRoleBinding"),
            ),
        ),
        (
            "widen-own-role",
            "write more into their own Role",
            patch(f"{_ROLES}/commons-lead", _EVERYTHING),
        ),
        (
            "join-binding",
            "put a friend into the lead's RoleBinding",
            patch(f"{_BINDINGS}/commons-lead", {"subjects": _FRIEND["subjects"]}),
        ),
        (
            "impersonate-writer",
            "act as the product's writer",
            patch(
                f"/api/v1/namespaces/{AMBER}",
                {"metadata": {"labels": {"gpu.commons/team": None}}},
                **_acting_as(User="commons:writer:reconcile", Group="commons:writers"),
            ),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber favourite",
        ("bind-by-favour", "bind a role to a friend", post(_BINDINGS, _FRIEND)),
        (
            "role-by-favour",
            "write a Role of their own",
            post(_ROLES, thing(RBAC, "Role", **_EVERYTHING)),
        ),
    ),
    *stopped(
        "roles",
        "amber favourite",
        (
            "impersonate-controller",
            "act as a controller of Kubernetes",
            post(
                _PODS,
                thing("v1", "Pod", spec={"containers": []}),
                **_acting_as(User="system:serviceaccount:kube-system:job-controller"),
            ),
        ),
    ),
    *stopped(
        "commons-guard",
        "amber pod",
        ("bind-by-pod", "bind a role to a friend", post(_BINDINGS, _FRIEND)),
    ),
    *stopped(
        "roles",
        "amber master",
        (
            "reserved-group",
            "be in a group of the directory that is called system:masters",
            get(_SECRETS_OF_THE_SYSTEM),
        ),
    ),
    *stopped(
        "roles",
        "amber twin",
        (
            "name-shared",
            "be the colleague whose name it becomes: neither is let in until they are told apart",
            get(_PODS),
        ),
    ),
    *stopped(
        "roles",
        "amber copy",
        (
            "same-name",
            "have a user name that becomes a colleague's when @ turns into -",
            get(_PODS),
        ),
    ),
    *stopped(
        "roles",
        "amber both",
        (
            "other-teams-rights",
            "use the rights that they have in another team, signed in for this one",
            get(at(COBALT, "pods")),
        ),
    ),
)
