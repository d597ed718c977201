"""What a request is about: verb, resource and options, read from method, path and query."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from local.kubernetes import errors, kinds
from local.kubernetes.errors import ApiError
from local.kubernetes.kinds import Kind
from local.kubernetes.rbac import Attributes

_RESOURCE = re.compile(
    r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))/(?P<rest>.+)"
)
_WRITES = {"POST": "create", "PUT": "update", "PATCH": "patch"}
_NAMESPACE_PARTS = ("status", "finalize")


@dataclass(frozen=True)
class Target:
    """One resource request."""

    group: str
    version: str
    resource: str
    namespace: str
    name: str
    subresource: str
    verb: str

    def kind(self) -> Kind:
        """The kind it is about; raises NotFound for one not served there."""
        kind = kinds.find(self.group, self.version, self.resource)
        asked = bool(self.namespace) and self.resource != "namespaces"
        everywhere = self.verb in {"list", "watch"}
        if kind is None or (not kind.namespaced and asked):
            raise self._unknown()
        if kind.namespaced and not asked and not everywhere:
            raise errors.NoPage() if kind.custom else errors.not_allowed()
        return kind

    def _unknown(self) -> ApiError:
        return errors.unknown_resource() if kinds.built_in(self.group) else errors.NoPage()

    @property
    def attributes(self) -> Attributes:
        """What permission it needs."""
        return Attributes(
            self.verb, self.group, self.resource, self.subresource, self.name, self.namespace
        )


def read(method: str, path: str, query: Mapping[str, str]) -> Target | Attributes:
    """The resource request, or the attributes of a plain path."""
    found = _RESOURCE.fullmatch(path)
    if not found:
        verb = "get" if method in {"GET", "HEAD"} else method.lower()
        return Attributes(verb, path=path)
    steps = found["rest"].strip("/").split("/")
    if any(step in {"", ".", ".."} for step in steps):
        raise errors.NoPage()
    namespace, steps = _namespace(steps)
    resource, name, subresource = [*steps, "", "", ""][:3]
    if len(steps) > 3 or resource == "watch":
        raise errors.method_not_allowed(path)
    name = name or _selected_name(method, query)
    listing = len(steps) == 1
    return Target(
        found["group"] or "",
        found["core"] or found["version"],
        resource,
        namespace,
        name,
        subresource,
        _verb(method, listing, query),
    )


def _namespace(steps: list[str]) -> tuple[str, list[str]]:
    """A namespace's own requests count as within it, as in the real server."""
    if steps[0] != "namespaces" or len(steps) == 1:
        return "", steps
    own = len(steps) == 2 or (len(steps) == 3 and steps[2] in _NAMESPACE_PARTS)
    return steps[1], steps if own else steps[2:]


def _selected_name(method: str, query: Mapping[str, str]) -> str:
    """A list of one name is judged like a get of it."""
    found = re.fullmatch(r"metadata\.name==?([^,!=]+)", query.get("fieldSelector", ""))
    return found[1] if found and method in {"GET", "DELETE"} else ""


def _verb(method: str, listing: bool, query: Mapping[str, str]) -> str:
    if method in _WRITES:
        return _WRITES[method]
    if method == "DELETE":
        return "deletecollection" if listing else "delete"
    if method not in {"GET", "HEAD"}:
        raise errors.method_not_allowed(method)
    if not listing:
        return "get"
    return "watch" if flag(query, "watch") else "list"


def flag(query: Mapping[str, str], name: str) -> bool:
    """A boolean query parameter; given without a value it is true."""
    return name in query and query[name].lower() in {"", "1", "t", "true"}


def number(query: Mapping[str, str], name: str) -> int:
    """A whole-number query parameter, 0 where it is not given; raises BadRequest."""
    text = query.get(name) or "0"
    if not text.isascii() or not text.isdigit():
        raise errors.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text)
