"""Lists, page by page, and deleting what a list would show."""

from typing import Any

from local.kubernetes import deleting, errors, requests, selectors
from local.kubernetes.call import Call
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document


def matching(call: Call, kind: Kind) -> list[Document]:
    """Objects that the selectors of the request let through."""
    labelled = selectors.labels(call.query.get("labelSelector", ""))
    fitting = selectors.fields(kind, call.query.get("fieldSelector", ""))
    found = call.store.all(kind, call.namespace(kind))
    return [document for document in found if labelled(document) and fitting(document)]


def listed(call: Call, kind: Kind) -> Document:
    """A list, or the page of it that was asked for."""
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
        if not (call.query.get("labelSelector") or call.query.get("fieldSelector")):
            meta["remainingItemCount"] = len(found) - limit
        found = found[:limit]
    return {
        "kind": f"{kind.kind}List",
        "apiVersion": kind.api_version(call.target.version),
        "metadata": meta,
        "items": [_item(kind, call.show(kind, document)) for document in found],
    }


def _item(kind: Kind, document: Document) -> Document:
    """Items of built-in kinds do not repeat what they are."""
    if kind.custom:
        return document
    return {key: document[key] for key in document if key not in {"kind", "apiVersion"}}


def delete_all(call: Call, kind: Kind) -> Document:
    """Delete what the selectors let through; answers it."""
    found = matching(call, kind)
    for document in found:
        deleting.delete(call.store, kind, document, {}, call.at)
    items = [_item(kind, call.show(kind, document)) for document in found]
    return {
        "kind": f"{kind.kind}List",
        "apiVersion": kind.api_version(call.target.version),
        "metadata": {"resourceVersion": str(call.store.version)},
        "items": items,
    }
