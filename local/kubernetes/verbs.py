"""Each verb on a resource, as an answer of status code and document."""

import json

import yaml

from local.kubernetes import (
    admission,
    deleting,
    errors,
    garbage,
    listing,
    patches,
    protobuf,
    requests,
    reviews,
    writing,
)
from local.kubernetes.call import Call
from local.kubernetes.kinds import REVIEWS, Kind
from local.kubernetes.objects import Document
from local.kubernetes.requests import Target
from local.kubernetes.writes import Write

_YAML = ("application/yaml", patches.APPLY)
_BODIES = ("application/json", "application/yaml", protobuf.MEDIA_TYPE)

type Answer = tuple[int, Document]


def answer(call: Call) -> Answer:
    """Do what the request asks (all verbs but watch)."""
    kind = call.target.kind()
    if kind in REVIEWS:
        return _review(call, kind)
    _check_subresource(kind, call.target)
    match call.target.verb:
        case "list":
            return 200, listing.listed(call, kind)
        case "deletecollection":
            return 200, listing.delete_all(call, kind)
        case "get":
            return 200, call.show(kind, _stored(call, kind))
        case "delete":
            return _delete(call, kind)
        case _:
            return _write(call, kind)


def _check_subresource(kind: Kind, target: Target) -> None:
    part = target.subresource
    if part == "status" and not kind.status:
        raise errors.unknown_resource()
    if part and (part != "status" or target.verb in {"create", "delete"}):
        raise errors.method_not_allowed(f"{target.verb} of {kind.plural}/{part}")


def _review(call: Call, kind: Kind) -> Answer:
    if call.target.verb != "create":
        raise errors.method_not_allowed(f"{call.target.verb} of {kind.plural}")
    body = _body(call)
    return 201, reviews.review(call.store, call.user, kind, call.target.namespace, body)


def _body(call: Call) -> Document:
    if call.content_type == protobuf.MEDIA_TYPE:
        return protobuf.decode(call.body)
    try:
        content = yaml.safe_load(call.body) if _is_yaml(call) else json.loads(call.body or b"{}")
    except (ValueError, yaml.YAMLError) as error:
        raise errors.bad_request(f"the body cannot be read: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("metadata", {}), dict | None):
        raise errors.bad_request("the body must be an object")
    return content


def _is_yaml(call: Call) -> bool:
    return call.content_type in _YAML and call.body[:1] != b"{"


def _stored(call: Call, kind: Kind) -> Document:
    document = call.store.get(kind, call.namespace(kind), call.target.name)
    if document is None:
        raise errors.not_found(kind, call.target.name)
    return document


def _delete(call: Call, kind: Kind) -> Answer:
    document = _stored(call, kind)
    if _dry_run(call):
        return 200, call.show(kind, document)
    options = _body(call) if call.body else {}
    _check_propagation(options)
    deleting.check_preconditions(kind, document, options)
    if options.get("propagationPolicy") == "Orphan":
        garbage.orphan(call.store, document)
    deleted = deleting.delete(call.store, kind, document, options, call.at)
    return 200, deleted if deleted["kind"] == "Status" else call.show(kind, deleted)


def _check_propagation(options: Document) -> None:
    """Refuse what is not played here: an owner that waits for what it owns to go."""
    policy = options.get("propagationPolicy") or "Background"
    if policy not in {"Background", "Orphan"}:
        raise errors.bad_request(f"propagationPolicy {policy} is not served by the local cluster")


def _dry_run(call: Call) -> bool:
    value = call.query.get("dryRun", "")
    if value not in {"", "All"}:
        options = f"{call.target.verb.capitalize()}Options"
        problem = f'Unsupported value: ["{value}"]: supported values: "All"'
        raise errors.invalid_options(options, "dryRun", problem, "FieldValueNotSupported")
    return value == "All"


def _write(call: Call, kind: Kind) -> Answer:
    applies = call.content_type == patches.APPLY
    if applies and not call.query.get("fieldManager"):
        problem = "Required value: is required for apply patch"
        raise errors.invalid_options("PatchOptions", "fieldManager", problem, "FieldValueRequired")
    if call.target.verb == "patch":
        patches.check_format(kind, call.content_type)
    elif call.content_type not in _BODIES:
        raise errors.unsupported_media_type(call.content_type, _BODIES)
    write = Write(
        kind,
        call.target.version,
        call.namespace(kind),
        call.target.name,
        call.target.subresource,
        call.query.get("fieldManager") or call.agent.partition("/")[0][:128] or "unknown",
        call.at,
        admission.guard(call.store, call.user),
        _dry_run(call),
        requests.flag(call.query, "force"),
    )
    code, document = _written(call, write)
    return code, call.show(kind, document)


def _written(call: Call, write: Write) -> Answer:
    body = _body(call)
    match call.target.verb, call.content_type:
        case "create", _:
            return 201, writing.create(call.store, write, body)
        case "update", _:
            return 200, writing.update(call.store, write, body)
        case _, patches.APPLY:
            document, created = writing.apply_patch(call.store, write, body)
            return 201 if created else 200, document
    return 200, writing.patch(call.store, write, call.content_type, body)
