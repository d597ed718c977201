"""Delete, finalizers, and namespaces that take everything with them."""

from datetime import datetime

from local.kubernetes import errors, objects
from local.kubernetes.kinds import Kind, named
from local.kubernetes.objects import Document, copy
from local.kubernetes.store import Change, Store

NAMESPACES = named("namespaces")


def delete(
    store: Store, kind: Kind, document: Document, options: Document, at: datetime
) -> Document:
    """What DELETE answers: the object while finalizers hold it, a Status once it is gone."""
    name = objects.name_of(document)
    check_preconditions(kind, document, options)
    if kind == NAMESPACES:
        return _terminate(store, document, at)
    if document["metadata"].get("finalizers"):
        return _mark(store, kind, document, at)
    store.remove(kind, document)
    details = {"name": name, "kind": kind.plural, "uid": document["metadata"]["uid"]}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details | ({"group": kind.group} if kind.group else {}),
    }


def check_preconditions(kind: Kind, document: Document, options: Document) -> None:
    """Raises Conflict where the client means another object, or an older one."""
    meta, wanted = document["metadata"], options.get("preconditions") or {}
    for field, label in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        if wanted.get(field, meta[field]) != meta[field]:
            what = f"{label} in precondition: {wanted[field]}, {label} in object meta: "
            raise errors.precondition_failed(kind, meta["name"], what + meta[field])


def _mark(store: Store, kind: Kind, document: Document, at: datetime) -> Document:
    if "deletionTimestamp" in document["metadata"]:
        return document
    marked = copy(document)
    marked["metadata"]["deletionTimestamp"] = objects.timestamp(at)
    marked["metadata"]["deletionGracePeriodSeconds"] = 0
    if kind == NAMESPACES:
        marked["status"] = {**marked.get("status", {}), "phase": "Terminating"}
    return store.put(kind, marked)


def _terminate(store: Store, namespace: Document, at: datetime) -> Document:
    name = objects.name_of(namespace)
    marked = _mark(store, NAMESPACES, namespace, at)
    for kind, document in store.in_namespace(name):
        delete(store, kind, document, {}, at)
    _finish(store, name)
    return marked


def finish_namespace(store: Store, change: Change) -> None:
    """Observer: a terminating namespace goes with the last object in it."""
    if change.type == "DELETED" and (namespace := change.document["metadata"].get("namespace")):
        _finish(store, namespace)


def _finish(store: Store, name: str) -> None:
    namespace = store.get(NAMESPACES, "", name)
    if namespace is None or "deletionTimestamp" not in namespace["metadata"]:
        return
    if any(store.in_namespace(name)) or namespace["metadata"].get("finalizers"):
        return
    store.remove(NAMESPACES, namespace)
