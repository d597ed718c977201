"""Each verb on a resource, as an answer of status code and document."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import yaml

from local.kubernetes import (
    admission,
    deleting,
    errors,
    kueue_versions,
    patches,
    protobuf,
    requests,
    reviews,
    selectors,
    writing,
)
from local.kubernetes.kinds import REVIEWS, Kind
from local.kubernetes.objects import Document
from local.kubernetes.rbac import User
from local.kubernetes.requests import Target
from local.kubernetes.store import Store
from local.kubernetes.writing import Write

_YAML = ("application/yaml", patches.APPLY)
_BODIES = ("application/json", "application/yaml", protobuf.MEDIA_TYPE)

type Answer = tuple[int, Document]


@dataclass(frozen=True)
class Call:
    """One authorised request."""

    store: Store
    user: User
    target: Target
    query: Mapping[str, str]
    content_type: str
    body: bytes
    agent: str
    at: datetime


def answer(call: Call) -> Answer:
    """Do what the request asks (all verbs but watch)."""
    kind = call.target.kind()
    if kind in REVIEWS:
        return _review(call, kind)
    _check_subresource(kind, call.target)
    match call.target.verb:
        case "list":
            return 200, _list(call, kind)
        case "deletecollection":
            return 200, _delete_all(call, kind)
        case "get":
            return 200, _show(call, kind, _stored(call, kind))
        case "delete":
            return _delete(call, kind)
        case _:
            return _write(call, kind)


def _check_subresource(kind: Kind, target: Target) -> None:
    part = target.subresource
    if part == "status" and not kind.status:
        raise errors.unknown_path()
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
    document = call.store.get(kind, _namespace(call, kind), call.target.name)
    if document is None:
        raise errors.not_found(kind, call.target.name)
    return document


def _namespace(call: Call, kind: Kind) -> str:
    return call.target.namespace if kind.namespaced else ""


def _show(call: Call, kind: Kind, document: Document) -> Document:
    return kueue_versions.shown(kind, call.target.version, document)


def matching(call: Call, kind: Kind) -> list[Document]:
    """Objects that the selectors of the request let through."""
    labelled = selectors.labels(call.query.get("labelSelector", ""))
    fitting = selectors.fields(kind, call.query.get("fieldSelector", ""))
    found = call.store.all(kind, _namespace(call, kind))
    return [document for document in found if labelled(document) and fitting(document)]


def _list(call: Call, kind: Kind) -> Document:
    if call.query.get("resourceVersionMatch") == "Exact":
        raise errors.bad_request("resourceVersionMatch Exact is not supported by the local cluster")
    limit, token = requests.number(call.query, "limit"), call.query.get("continue", "")
    if token:
        version, found = call.store.page(token)
    else:
        version, found = call.store.version, matching(call, kind)
    meta: dict[str, Any] = {"resourceVersion": str(version)}
    if limit and len(found) > limit:
        meta["continue"] = call.store.keep_page(found[limit:], version)
        meta["remainingItemCount"] = len(found) - limit
        found = found[:limit]
    return {
        "kind": f"{kind.kind}List",
        "apiVersion": kind.api_version(call.target.version),
        "metadata": meta,
        "items": [_item(kind, _show(call, kind, document)) for document in found],
    }


def _item(kind: Kind, document: Document) -> Document:
    """Items of built-in kinds do not repeat what they are."""
    if kind.custom:
        return document
    return {key: document[key] for key in document if key not in {"kind", "apiVersion"}}


def _delete_all(call: Call, kind: Kind) -> Document:
    found = matching(call, kind)
    for document in found:
        deleting.delete(call.store, kind, document, {}, call.at)
    items = [_item(kind, _show(call, kind, document)) for document in found]
    return {
        "kind": f"{kind.kind}List",
        "apiVersion": kind.api_version(call.target.version),
        "metadata": {"resourceVersion": str(call.store.version)},
        "items": items,
    }


def _delete(call: Call, kind: Kind) -> Answer:
    document = _stored(call, kind)
    if _dry_run(call):
        return 200, _show(call, kind, document)
    options = _body(call) if call.body else {}
    deleted = deleting.delete(call.store, kind, document, options, call.at)
    return 200, deleted if deleted["kind"] == "Status" else _show(call, kind, deleted)


def _dry_run(call: Call) -> bool:
    value = call.query.get("dryRun", "")
    if value not in {"", "All"}:
        raise errors.bad_request(f'dryRun: Unsupported value: "{value}": supported values: "All"')
    return value == "All"


def _write(call: Call, kind: Kind) -> Answer:
    applies = call.content_type == patches.APPLY
    if applies and not call.query.get("fieldManager"):
        message = "fieldManager: Required value: is required for apply patch"
        raise errors.ApiError(422, "Invalid", f'PatchOptions.meta.k8s.io "" is invalid: {message}')
    if call.target.verb == "patch":
        patches.check_format(kind, call.content_type)
    elif call.content_type not in _BODIES:
        raise errors.unsupported_media_type(call.content_type, _BODIES)
    write = Write(
        kind,
        call.target.version,
        _namespace(call, kind),
        call.target.name,
        call.target.subresource,
        call.query.get("fieldManager") or call.agent.partition("/")[0][:128] or "unknown",
        call.at,
        admission.guard(call.store, call.user),
        _dry_run(call),
        requests.flag(call.query, "force"),
    )
    code, document = _written(call, write)
    return code, _show(call, kind, document)


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
