"""Create, update, patch and apply: how a request becomes a stored object."""

import secrets
import string
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from local.kubernetes import apply, errors, kueue_versions, objects, patches, rules, shapes
from local.kubernetes.kinds import Kind, named
from local.kubernetes.objects import Document, copy, metadata, name_of
from local.kubernetes.ownership import Manager
from local.kubernetes.store import Store

type Admit = Callable[[Kind, Document], None]
"""Raises where the writer may not store such an object."""


@dataclass(frozen=True)
class Write:
    """Where a write goes, by whom and how."""

    kind: Kind
    version: str
    namespace: str
    name: str
    subresource: str
    manager: str
    at: datetime
    admit: Admit
    dry_run: bool = False
    force: bool = False

    def writer(self, operation: str) -> Manager:
        """The writer as managedFields names it."""
        version = self.kind.api_version(self.kind.versions[0])
        return Manager(self.manager, operation, version, self.subresource)


def create(store: Store, write: Write, body: Document) -> Document:
    """POST: a new object; raises AlreadyExists, or NotFound where its namespace is not there."""
    document = _received(write, body)
    meta = metadata(document)
    if not meta.get("name") and meta.get("generateName"):
        letters = (secrets.choice(string.ascii_lowercase + string.digits) for _ in range(5))
        meta["name"] = meta["generateName"] + "".join(letters)
    if not meta.get("name"):
        problem = "Required value: name or generateName is required"
        raise errors.invalid(write.kind, "", "metadata.name", problem, "FieldValueRequired")
    if store.get(write.kind, write.namespace, meta["name"]):
        raise errors.already_exists(write.kind, meta["name"])
    return _commit(store, write, "Update", document, None)


def update(store: Store, write: Write, body: Document) -> Document:
    """PUT: the whole object; raises Conflict where its resourceVersion is not the current one."""
    live = _live(store, write)
    document = _received(write, body)
    if write.kind.custom and not metadata(document).get("resourceVersion"):
        problem = "Invalid value: 0x0: must be specified for an update"
        raise errors.invalid(
            write.kind, write.name, "metadata.resourceVersion", problem, "FieldValueInvalid"
        )
    return _commit(store, write, "Update", document, live)


def patch(store: Store, write: Write, content_type: str, body: Document) -> Document:
    """PATCH with a merge patch, on the object as the requested version shows it."""
    live = _live(store, write)
    seen = kueue_versions.shown(write.kind, write.version, live)
    document = patches.patched(write.kind, content_type, seen, body)
    if metadata(body).get("resourceVersion") is None:
        metadata(document).pop("resourceVersion", None)
    return _commit(store, write, "Update", _received(write, document), live)


def apply_patch(store: Store, write: Write, body: Document) -> tuple[Document, bool]:
    """PATCH with an apply patch: creates, merges, prunes. Tells whether it created."""
    if metadata(body).get("managedFields"):
        raise errors.bad_request("metadata.managedFields must be nil")
    live = store.get(write.kind, write.namespace, write.name)
    if live is None and write.subresource:
        raise errors.not_found(write.kind, write.name)
    wanted = _own_part(write, _received(write, body))
    for field in ("uid", "resourceVersion"):
        if live is None and metadata(wanted).get(field):
            raise errors.modified(write.kind, write.name)
    _check_precondition(write, wanted, live)
    request = apply.Applied(
        write.kind, write.writer("Apply"), objects.timestamp(write.at), write.force
    )
    document = apply.apply(request, live, wanted)
    metadata(document)["name"] = write.name
    return _commit(store, write, "Apply", document, live), live is None


def _live(store: Store, write: Write) -> Document:
    live = store.get(write.kind, write.namespace, write.name)
    if live is None:
        raise errors.not_found(write.kind, write.name)
    return live


def _received(write: Write, body: Document) -> Document:
    """The body, in the stored version, if it is about the object that the URL names."""
    wanted = (write.kind.api_version(write.version), write.kind.kind)
    body = {"apiVersion": wanted[0], "kind": wanted[1], **body}
    if (body.get("apiVersion"), body.get("kind")) != wanted:
        given = f"{body.get('kind')} in version {body.get('apiVersion')!r}"
        raise errors.bad_request(f"{given} cannot be handled as a {wanted[1]} in {wanted[0]}")
    meta = metadata(body)
    if write.name and meta.get("name", write.name) != write.name:
        raise errors.bad_request(
            f"the name of the object ({meta['name']}) does not match the name on the URL "
            f"({write.name})"
        )
    if meta.get("namespace", write.namespace) != write.namespace:
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    return kueue_versions.stored(write.kind, write.version, copy(body))


def _own_part(write: Write, document: Document) -> Document:
    """What of an applied document the path it was sent to may set."""
    if not write.kind.status:
        return document
    if not write.subresource:
        return {key: value for key, value in document.items() if key != "status"}
    kept = {key: document[key] for key in ("apiVersion", "kind", "status") if key in document}
    meta = metadata(document)
    names = {key: meta[key] for key in ("name", "uid", "resourceVersion") if key in meta}
    return kept | {"metadata": names}


def _check_precondition(write: Write, document: Document, live: Document | None) -> None:
    if live is None:
        return
    given, current = metadata(document), live["metadata"]
    if given.get("uid", current["uid"]) != current["uid"]:
        what = f"UID in precondition: {given['uid']}, UID in object meta: {current['uid']}"
        raise errors.precondition_failed(write.kind, write.name, what)
    version = given.get("resourceVersion") or current["resourceVersion"]
    if version != current["resourceVersion"]:
        raise errors.modified(write.kind, write.name)


def _commit(
    store: Store, write: Write, operation: str, document: Document, live: Document | None
) -> Document:
    _check_precondition(write, document, live)
    document = _separate(write, document, live)
    shapes.check(write.kind, document)
    rules.complete(write.kind, document)
    _stamp(write, document, live)
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
    rules.verify(write.kind, document, live)
    if live is None:
        _check_namespace(store, write)
    write.admit(write.kind, document)
    if write.dry_run:
        return document
    if live and "deletionTimestamp" in live["metadata"] and not _finalizers(document):
        return store.remove(write.kind, document)
    return store.put(write.kind, document)


def _finalizers(document: Document) -> list[str]:
    found: list[str] = metadata(document).get("finalizers") or []
    return found


def _separate(write: Write, document: Document, live: Document | None) -> Document:
    """Keep what the path does not write: the status, or from /status all the rest."""
    if not write.kind.status:
        return document
    if write.subresource and live:
        kept = copy(live)
        kept["metadata"]["managedFields"] = metadata(document).get("managedFields")
        return {**kept, "status": document.get("status") or {}}
    rest = {key: value for key, value in document.items() if key != "status"}
    return rest | ({"status": copy(live["status"])} if live and "status" in live else {})


def _stamp(write: Write, document: Document, live: Document | None) -> None:
    meta = metadata(document)
    if write.namespace:
        meta["namespace"] = write.namespace
    before: Document = (
        live["metadata"]
        if live
        else {
            "uid": str(uuid4()),
            "creationTimestamp": objects.timestamp(write.at),
            **({"generation": 1} if write.kind.generation else {}),
        }
    )
    for field in objects.SYSTEM_FIELDS:
        if field in before:
            meta[field] = before[field]
        else:
            meta.pop(field, None)
    if live and write.kind.generation and _specified(document) != _specified(live):
        meta["generation"] = before["generation"] + 1


def _specified(document: Document) -> Document:
    return {key: value for key, value in document.items() if key not in {"metadata", "status"}}


def _check_namespace(store: Store, write: Write) -> None:
    if not write.namespace:
        return
    namespace = store.get(named("namespaces"), "", write.namespace)
    if namespace is None:
        raise errors.not_found(named("namespaces"), write.namespace)
    if "deletionTimestamp" in namespace["metadata"]:
        raise errors.forbidden(
            write.kind,
            write.name or name_of(namespace),
            f"unable to create new content in namespace {write.namespace} because it is being "
            "terminated",
        )
