"""A question about access, as a SubjectAccessReview asks it, and the acts worth asking about."""

from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from commons.domain import rbac
from commons.domain.membership import Role


class Act(NamedTuple):
    """What somebody wants to do; `resource` may have a subresource: `jobs`, `pods/exec`."""

    verb: str
    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}"


LOOK = Act("list", "", "pods")
# acts by which the roles differ: what each may do of them, the table says
TELLING = (
    LOOK,
    Act("create", "batch", "jobs"),
    Act("create", "", "pods/exec"),
    Act("get", "", "secrets"),
    Act("delete", "kueue.x-k8s.io", "workloads"),
    Act("list", rbac.RBAC, "rolebindings"),
)
# acts by which somebody would get round the rules, in whatever role
NEVER = (
    Act("patch", "kueue.x-k8s.io", "workloads/status"),
    Act("patch", "kueue.x-k8s.io", "localqueues"),
    Act("patch", "", "namespaces"),
    Act("create", rbac.RBAC, "rolebindings"),
)


def permits(role: Role, act: Act) -> bool:
    """Whether the table of roles lets a role do that in its own namespaces."""
    return any(
        act.verb in rule["verbs"]
        and act.group in rule["apiGroups"]
        and act.resource in rule["resources"]
        for rule in rbac.rules(role)
    )


class Question(BaseModel):
    """May this user do that there? `role`: whom they stand for, in words that name nobody."""

    model_config = ConfigDict(frozen=True)

    user: str
    groups: tuple[str, ...]
    role: str
    act: Act
    namespace: str
    expected: bool

    def review(self) -> dict[str, Any]:
        """The spec of a SubjectAccessReview."""
        resource, _, subresource = self.act.resource.partition("/")
        wanted = {
            "verb": self.act.verb,
            "group": self.act.group,
            "resource": resource,
            "subresource": subresource,
            "namespace": self.namespace,
            # for the authorizer a namespace lies in itself
            "name": self.namespace if resource == "namespaces" else "",
        }
        given = {key: value for key, value in wanted.items() if value}
        return {"user": self.user, "groups": list(self.groups), "resourceAttributes": given}
