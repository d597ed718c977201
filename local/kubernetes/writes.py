"""Where a write goes and by whom, and how its body becomes the object to store."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from local.kubernetes import errors, kueue_versions, objects
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, copy, metadata
from local.kubernetes.ownership import Manager

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


def received(write: Write, body: Document) -> Document:
    """The body, in the stored version, if it is about the object that the URL names."""
    wanted = (write.kind.api_version(write.version), write.kind.kind)
    body = {"apiVersion": wanted[0], "kind": wanted[1], **body}
    if (body.get("apiVersion"), body.get("kind")) != wanted:
        given = f"{body.get('kind')} in version {body.get('apiVersion')!r}"
        raise errors.bad_request(f"{given} cannot be handled as a {wanted[1]} in {wanted[0]}")
    meta = metadata(body)
    objects.check_types(write.kind, write.version, body)
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


def own_part(write: Write, document: Document) -> Document:
    """What of an applied document the path it was sent to may set."""
    if not write.kind.status:
        return document
    if not write.subresource:
        return {key: value for key, value in document.items() if key != "status"}
    kept = {key: document[key] for key in ("apiVersion", "kind", "status") if key in document}
    meta = metadata(document)
    names = {key: meta[key] for key in ("name", "uid", "resourceVersion") if key in meta}
    return kept | {"metadata": names}


def check_precondition(write: Write, document: Document, live: Document | None) -> None:
    """Raises Conflict where the body names another uid or version than the object's."""
    if live is None:
        return
    given, current = metadata(document), live["metadata"]
    if given.get("uid", current["uid"]) != current["uid"]:
        what = f"UID in precondition: {given['uid']}, UID in object meta: {current['uid']}"
        raise errors.precondition_failed(write.kind, write.name, what)
    version = given.get("resourceVersion") or current["resourceVersion"]
    if version != current["resourceVersion"]:
        raise errors.modified(write.kind, write.name)


def check_patched(write: Write, patch: Document, live: Document | None) -> None:
    """Raises Invalid for a patch that would change the uid, and Conflict for one of old."""
    if live is None:
        return
    given, current = metadata(patch), live["metadata"]
    if (uid := given.get("uid", current["uid"])) != current["uid"]:
        problem = f'Invalid value: "{uid}": field is immutable'
        raise errors.invalid(write.kind, write.name, "metadata.uid", problem, "FieldValueInvalid")
    check_precondition(write, patch, live)


def check_finalizers(write: Write, document: Document, live: Document | None) -> None:
    """Raises Invalid where something that goes would be held by one more."""
    if live is None or "deletionTimestamp" not in live["metadata"]:
        return
    before = live["metadata"].get("finalizers") or []
    if new := [each for each in metadata(document).get("finalizers") or [] if each not in before]:
        problem = (
            "Forbidden: no new finalizers can be added if the object is being deleted, found new "
            f"finalizers {new}"
        )
        raise errors.invalid(
            write.kind, write.name, "metadata.finalizers", problem, "FieldValueForbidden"
        )


def separate(write: Write, document: Document, live: Document | None) -> Document:
    """Keep what the path does not write: the status, or from /status all the rest."""
    if not write.kind.status:
        return document
    if write.subresource and live:
        kept = copy(live)
        kept["metadata"]["managedFields"] = metadata(document).get("managedFields")
        return {**kept, "status": document.get("status") or {}}
    rest = {key: value for key, value in document.items() if key != "status"}
    return rest | ({"status": copy(live["status"])} if live and "status" in live else {})


def stamp(write: Write, document: Document, live: Document | None) -> None:
    """Set, in place, the metadata that only the server writes."""
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
