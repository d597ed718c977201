"""Access reviews: asking the authorizer without doing the thing."""

from local.kubernetes import errors, rbac
from local.kubernetes.errors import ApiError
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, metadata
from local.kubernetes.rbac import Attributes, User
from local.kubernetes.store import Store


def review(store: Store, user: User, kind: Kind, namespace: str, body: Document) -> Document:
    """The review with its status; raises BadRequest for one that asks nothing."""
    spec = body.get("spec") or {}
    match kind.plural:
        case "selfsubjectreviews":
            status: Document = {
                "userInfo": {"username": user.name, "groups": list(user.groups)},
            }
        case "selfsubjectrulesreviews":
            status = _rules(store, user, spec.get("namespace", ""))
        case "selfsubjectaccessreviews":
            status = _verdict(store, user, spec)
        case _:
            status = _verdict(store, _subject(spec), _placed(spec, namespace))
    answer = {
        "kind": kind.kind,
        "apiVersion": kind.api_version(kind.versions[0]),
        "metadata": metadata(body),
        "status": status,
    }
    return answer | ({"spec": spec} if spec else {})


def _invalid(field: str, problem: str) -> ApiError:
    cause = {"reason": "FieldValueInvalid", "message": problem, "field": f"spec.{field}"}
    message = f'.authorization.k8s.io "" is invalid: spec.{field}: {problem}'
    details = {"group": "authorization.k8s.io", "causes": [cause]}
    return ApiError(422, "Invalid", message, details)


def _subject(spec: Document) -> User:
    if not (spec.get("user") or spec.get("groups")):
        raise _invalid("user", 'Invalid value: "": at least one of user or group must be specified')
    return User(spec.get("user", ""), tuple(spec.get("groups") or ()))


def _placed(spec: Document, namespace: str) -> Document:
    """A local review asks about its own namespace only."""
    asked = (spec.get("resourceAttributes") or {}).get("namespace", "")
    if namespace and asked != namespace:
        problem = f'Invalid value: "{asked}": must match metadata.namespace'
        raise _invalid("resourceAttributes.namespace", problem)
    return spec


def _verdict(store: Store, user: User, spec: Document) -> Document:
    wanted = _attributes(spec)
    if not rbac.allowed(store, user, wanted):
        return {"allowed": False}
    reason = rbac.granted_by(store, user, wanted)
    return {"allowed": True} | ({"reason": reason} if reason else {})


def _attributes(spec: Document) -> Attributes:
    resource, plain = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if bool(resource) == bool(plain):
        raise _invalid(
            "resourceAttributes",
            "Invalid value: exactly one of nonResourceAttributes or resourceAttributes must be "
            "specified",
        )
    if plain:
        return Attributes(plain.get("verb", ""), path=plain.get("path", ""))
    fields = ("verb", "group", "resource", "subresource", "name", "namespace")
    assert resource is not None
    return Attributes(**{field: resource.get(field, "") for field in fields})


def _rules(store: Store, user: User, namespace: str) -> Document:
    if not namespace:
        raise errors.bad_request("no namespace on request")
    found = list(rbac.rules_of(store, user, namespace))
    if rbac.MASTERS in user.groups or user.cluster_admin:
        found.append({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})
    return {
        "resourceRules": [rule for rule in found if rule.get("resources")],
        "nonResourceRules": [rule for rule in found if rule.get("nonResourceURLs")],
        "incomplete": False,
    }
