"""One attempt to get out: a call, who makes it, and what must stop it."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"

Stop = Literal[
    "sign-in",
    "roles",
    "Kubernetes",
    "Kueue",
    "commons-queue",
    "commons-priority",
    "commons-pods",
    "commons-guard",
    "commons-cluster",
]
_STATUS: Mapping[str, int] = {"sign-in": 401, "Kubernetes": 422}


class Call(NamedTuple):
    """A request, sent with `dryRun=All` wherever it would change something."""

    method: str
    path: str
    body: Any = None
    media: str = JSON
    headers: Mapping[str, str] = {}
    status: int = 0
    """What must be answered, where it is not the usual status of what stops it."""


class Attempt(NamedTuple):
    """`what` completes "can somebody ..."; `who` is one of the callers; `by`: what stops it."""

    id: str
    what: str
    who: str
    by: Stop
    call: Call

    @property
    def status(self) -> int:
        return self.call.status or _STATUS.get(self.by, 403)


def stopped(by: Stop, who: str, *rows: tuple[str, str, Call]) -> Iterator[Attempt]:
    """Attempts of one caller that one thing stops: id, what, call."""
    return (Attempt(id_, what, who, by, call) for id_, what, call in rows)


def post(path: str, body: Any, status: int = 0, **headers: str) -> Call:
    return Call("POST", path, body, JSON, headers, status)


def put(path: str, body: Any) -> Call:
    return Call("PUT", path, body)


def patch(path: str, change: Any, **headers: str) -> Call:
    return Call("PATCH", path, change, MERGE, headers)


def delete(path: str) -> Call:
    return Call("DELETE", path)


def get(path: str, status: int = 0, **headers: str) -> Call:
    return Call("GET", path, None, JSON, headers, status)


def at(namespace: str, plural: str, name: str = "") -> str:
    """Path of a kind in a namespace, as `jobs.batch/v1`, or of one object of it."""
    kind, _, version = plural.partition(".")
    root = f"/apis/{version}" if version else "/api/v1"
    return f"{root}/namespaces/{namespace}/{kind}" + (f"/{name}" if name else "")


RBAC = "rbac.authorization.k8s.io/v1"
KUEUE = "kueue.x-k8s.io/v1beta2"
NETWORKS = "networking.k8s.io/v1"
ADMISSION = "admissionregistration.k8s.io/v1"


def thing(version: str, kind: str, name: str = "escape", **content: Any) -> dict[str, Any]:
    """An object; `labels`, `annotations` and `ownerReferences` go into its metadata."""
    metadata: dict[str, Any] = {"name": name}
    for key in ("labels", "annotations", "ownerReferences", "namespace"):
        if key in content:
            metadata[key] = content.pop(key)
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **content}


def role_binding(role: str, user: str, kind: str = "RoleBinding") -> dict[str, Any]:
    """One that gives a ClusterRole, or one of the namespace's Roles if it is called like ours."""
    of = "Role" if role.startswith("commons-") else "ClusterRole"
    group = RBAC.partition("/")[0]
    return thing(
        RBAC,
        kind,
        roleRef={"apiGroup": group, "kind": of, "name": role},
        subjects=[{"apiGroup": group, "kind": "User", "name": user}],
    )


def queue(namespace: str) -> dict[str, str]:
    """The label that every task needs."""
    return {"kueue.x-k8s.io/queue-name": f"{namespace}-localqueue"}
