"""Who may do what: the rules of Roles and ClusterRoles that bindings give to people and groups."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from local.kubernetes.kinds import named
from local.kubernetes.objects import Document
from local.kubernetes.store import Store

_GROUP = "rbac.authorization.k8s.io"
ROLES, CLUSTER_ROLES, BINDINGS, CLUSTER_BINDINGS = (
    named(plural, _GROUP)
    for plural in ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
)
MASTERS = "system:masters"


@dataclass(frozen=True)
class User:
    """Somebody signed in."""

    name: str
    groups: tuple[str, ...] = ()
    cluster_admin: bool = False
    """An access policy gives everything in the whole cluster."""
    admin_namespaces: tuple[str, ...] = ()
    """Namespaces in which an access policy gives everything."""
    reader: bool = False
    """An access policy lets them read everything in the whole cluster."""


@dataclass(frozen=True)
class Attributes:
    """What somebody wants to do, to a resource or to a plain path."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""
    namespace: str = ""
    path: str = ""

    @property
    def full_resource(self) -> str:
        """Resource with subresource, as rules and messages write it."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def allowed(store: Store, user: User, wanted: Attributes) -> bool:
    """Whether any policy or binding lets the user do that."""
    if MASTERS in user.groups or user.cluster_admin:
        return True
    if wanted.namespace and wanted.namespace in user.admin_namespaces:
        return True
    if user.reader and wanted.verb in {"get", "list", "watch"}:
        return True
    return granted_by(store, user, wanted) is not None


def granted_by(store: Store, user: User, wanted: Attributes) -> str | None:
    """The binding that lets the user do that, in words; None for none."""
    for grant in _grants(store, user, wanted.namespace):
        if any(_matches(rule, wanted) for rule in grant.rules):
            return grant.told()
    return None


def rules_of(store: Store, user: User, namespace: str) -> Iterator[Document]:
    """Rules that hold for the user in a namespace, or cluster-wide where none is given."""
    for grant in _grants(store, user, namespace):
        yield from grant.rules


@dataclass(frozen=True)
class _Grant:
    """A binding that names somebody, how it names them, and the rules of its role."""

    binding: Document
    subject: Document
    rules: list[Document]

    def told(self) -> str:
        """As access reviews tell it."""
        reference, meta = self.binding["roleRef"], self.binding["metadata"]
        where = f"/{meta['namespace']}" if "namespace" in meta else ""
        binds = "RoleBinding" if where else "ClusterRoleBinding"
        named = self.subject["name"]
        if self.subject["kind"] == "ServiceAccount":
            named += f"/{self.subject.get('namespace') or meta.get('namespace', '')}"
        return (
            f'RBAC: allowed by {binds} "{meta["name"]}{where}" of {reference["kind"]} '
            f'"{reference["name"]}" to {self.subject["kind"]} "{named}"'
        )


def _grants(store: Store, user: User, namespace: str) -> Iterator[_Grant]:
    bindings = store.all(CLUSTER_BINDINGS)
    if namespace:
        bindings += store.all(BINDINGS, namespace)
    for binding in bindings:
        for subject in binding.get("subjects") or []:
            if _is(subject, user, binding):
                place = binding["metadata"].get("namespace", "")
                yield _Grant(binding, subject, _referenced(store, binding["roleRef"], place))
                break


def _is(subject: Document, user: User, binding: Document) -> bool:
    match subject["kind"]:
        case "User":
            return bool(subject["name"] == user.name)
        case "Group":
            return subject["name"] in user.groups
        case _:
            namespace = subject.get("namespace") or binding["metadata"].get("namespace", "")
            return user.name == f"system:serviceaccount:{namespace}:{subject['name']}"


def _referenced(store: Store, reference: Document, namespace: str) -> list[Document]:
    kind = CLUSTER_ROLES if reference["kind"] == "ClusterRole" else ROLES
    role = store.get(kind, "" if kind == CLUSTER_ROLES else namespace, reference["name"])
    return (role or {}).get("rules") or []


def _matches(rule: Document, wanted: Attributes) -> bool:
    if not _has(rule.get("verbs"), wanted.verb):
        return False
    if wanted.path:
        return any(_path_fits(url, wanted.path) for url in rule.get("nonResourceURLs") or [])
    names = rule.get("resourceNames")
    return (
        _has(rule.get("apiGroups"), wanted.group)
        and _resource_fits(rule.get("resources") or [], wanted)
        and (not names or wanted.name in names)
    )


def _has(values: list[str] | None, wanted: str) -> bool:
    return values is not None and ("*" in values or wanted in values)


def _resource_fits(resources: list[str], wanted: Attributes) -> bool:
    if "*" in resources or wanted.full_resource in resources:
        return True
    return bool(wanted.subresource) and f"*/{wanted.subresource}" in resources


def _path_fits(url: str, path: str) -> bool:
    return url in {"*", path} or (url.endswith("*") and path.startswith(url[:-1]))


def uncovered(owned: list[Document], wanted: list[Document]) -> list[Attributes]:
    """What somebody wants to give and has not, as single permissions."""
    return [
        attributes
        for wish in wanted
        for attributes in _atoms(wish)
        if not any(_matches(rule, attributes) for rule in owned)
    ]


def _atoms(rule: Document) -> Iterator[Attributes]:
    """Every single permission of a rule; `*` stays itself, which only `*` matches."""
    verbs = rule["verbs"]
    for verb, path in product(verbs, rule.get("nonResourceURLs") or []):
        yield Attributes(verb, path=path)
    parts = (rule.get("apiGroups") or [], rule.get("resources") or [])
    for verb, group, resource in product(verbs, *parts):
        plain, _, subresource = resource.partition("/")
        for name in rule.get("resourceNames") or [""]:
            yield Attributes(verb, group, plain, subresource, name)
