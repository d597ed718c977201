"""What is owned goes after its last owner, as the garbage collector of a cluster sees to it."""

from collections.abc import Callable, Iterator
from datetime import datetime

from local.kubernetes import deleting
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, copy
from local.kubernetes.store import Change, Store


def observer(store: Store, now: Callable[[], datetime]) -> Callable[[Change], None]:
    """Deletes the dependents of what was deleted."""

    def observe(change: Change) -> None:
        if change.type == "DELETED":
            for kind, document in list(_owned_by(store, change.document)):
                if not any(_is_there(store, document, each) for each in _owners(document)):
                    deleting.delete(store, kind, document, {}, now())

    return observe


def orphan(store: Store, owner: Document) -> None:
    """Take the owner out of what it owns, so that this stays."""
    for kind, document in list(_owned_by(store, owner)):
        left = copy(document)
        uid = owner["metadata"]["uid"]
        left["metadata"]["ownerReferences"] = [e for e in _owners(left) if e.get("uid") != uid]
        if not left["metadata"]["ownerReferences"]:
            del left["metadata"]["ownerReferences"]
        store.put(kind, left)


def _owned_by(store: Store, owner: Document) -> Iterator[tuple[Kind, Document]]:
    """An owner in a namespace owns within it only."""
    meta = owner["metadata"]
    for kind, document in store.everything():
        if any(each.get("uid") == meta["uid"] for each in _owners(document)) and (
            meta.get("namespace", "") in {"", document["metadata"].get("namespace", "")}
        ):
            yield kind, document


def _owners(document: Document) -> list[Document]:
    found: list[Document] = document["metadata"].get("ownerReferences") or []
    return found


def _is_there(store: Store, owned: Document, reference: Document) -> bool:
    place = {"", owned["metadata"].get("namespace", "")}
    return any(
        document["metadata"]["uid"] == reference.get("uid")
        and document["metadata"].get("namespace", "") in place
        for _, document in store.everything()
    )
