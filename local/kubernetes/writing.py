"""Create, update, patch and apply: how a request becomes a stored object."""

import secrets
import string

from local.kubernetes import (
    apply,
    errors,
    kueue_versions,
    object_quota,
    objects,
    patches,
    rules,
    shapes,
    writes,
)
from local.kubernetes.kinds import named
from local.kubernetes.objects import Document, metadata, name_of
from local.kubernetes.store import Store
from local.kubernetes.writes import Write


def create(store: Store, write: Write, body: Document) -> Document:
    """POST: a new object; raises AlreadyExists, or NotFound where its namespace is not there."""
    document = writes.received(write, body)
    meta = metadata(document)
    if not meta.get("name") and meta.get("generateName"):
        letters = (secrets.choice(string.ascii_lowercase + string.digits) for _ in range(5))
        meta["name"] = meta["generateName"] + "".join(letters)
    if not meta.get("name"):
        problem = "Required value: name or generateName is required"
        raise errors.invalid(write.kind, "", "metadata.name", problem, "FieldValueRequired")
    if meta.get("resourceVersion"):
        raise errors.internal("resourceVersion should not be set on objects to be created")
    if store.get(write.kind, write.namespace, meta["name"]):
        raise errors.already_exists(write.kind, meta["name"])
    return _commit(store, write, "Update", document, None)


def update(store: Store, write: Write, body: Document) -> Document:
    """PUT: the whole object; raises Conflict where its resourceVersion is not the current one."""
    live = _live(store, write)
    document = writes.received(write, body)
    if write.kind.custom and not metadata(document).get("resourceVersion"):
        problem = "Invalid value: 0x0: must be specified for an update"
        raise errors.invalid(
            write.kind, write.name, "metadata.resourceVersion", problem, "FieldValueInvalid"
        )
    return _commit(store, write, "Update", document, live)


def patch(store: Store, write: Write, content_type: str, body: Document) -> Document:
    """PATCH with a merge patch, on the object as the requested version shows it."""
    live = _live(store, write)
    writes.check_patched(write, body, live)
    seen = kueue_versions.shown(write.kind, write.version, live)
    document = patches.patched(write.kind, content_type, seen, body)
    if metadata(body).get("resourceVersion") is None:
        metadata(document).pop("resourceVersion", None)
    return _commit(store, write, "Update", writes.received(write, document), live)


def apply_patch(store: Store, write: Write, body: Document) -> tuple[Document, bool]:
    """PATCH with an apply patch: creates, merges, prunes. Tells whether it created."""
    if metadata(body).get("managedFields"):
        raise errors.bad_request("metadata.managedFields must be nil")
    if not (body.get("apiVersion") and body.get("kind")):
        raise errors.bad_request("invalid object type: /, Kind=")
    live = store.get(write.kind, write.namespace, write.name)
    if live is None and write.subresource:
        raise errors.not_found(write.kind, write.name)
    wanted = writes.own_part(write, writes.received(write, body))
    if live is None and (uid := metadata(wanted).get("uid")):
        raise errors.absent(write.kind, write.name, uid)
    writes.check_patched(write, wanted, live)
    request = apply.Applied(
        write.kind, write.writer("Apply"), objects.timestamp(write.at), write.force
    )
    document = apply.apply(request, live, wanted)
    metadata(document)["name"] = write.name
    if live is None:
        metadata(document).pop("resourceVersion", None)
    return _commit(store, write, "Apply", document, live), live is None


def _live(store: Store, write: Write) -> Document:
    live = store.get(write.kind, write.namespace, write.name)
    if live is None:
        raise errors.not_found(write.kind, write.name)
    return live


def _commit(
    store: Store, write: Write, operation: str, document: Document, live: Document | None
) -> Document:
    writes.check_precondition(write, document, live)
    document = writes.separate(write, document, live)
    shapes.check(write.kind, document)
    rules.complete(write.kind, document)
    writes.stamp(write, document, live)
    if operation == "Update":
        metadata(document)["managedFields"] = apply.track_update(
            write.kind,
            write.writer(operation),
            objects.timestamp(write.at),
            live or {},
            document,
        )
    if document == live:
        return live
    objects.check(write.kind, document)
    writes.check_finalizers(write, document, live)
    rules.verify(write.kind, document, live)
    if live is None:
        _check_namespace(store, write, name_of(document))
        object_quota.check(store, write.kind, write.namespace, document)
    write.admit(write.kind, document)
    if write.dry_run:
        return document
    if live and "deletionTimestamp" in live["metadata"] and not _finalizers(document):
        return store.remove(write.kind, document)
    return store.put(write.kind, document)


def _finalizers(document: Document) -> list[str]:
    found: list[str] = metadata(document).get("finalizers") or []
    return found


def _check_namespace(store: Store, write: Write, name: str) -> None:
    if not write.namespace:
        return
    namespace = store.get(named("namespaces"), "", write.namespace)
    if namespace is None:
        raise errors.not_found(named("namespaces"), write.namespace)
    if "deletionTimestamp" in namespace["metadata"]:
        raise errors.terminating(write.kind, name, write.namespace)
