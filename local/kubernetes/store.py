"""Objects of one cluster in memory, with the versions and changes that a watch follows."""

import asyncio
import re
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import uuid4

from local.kubernetes import errors
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document

KEPT_CHANGES = 5000
"""Changes that a watch may still ask for; an older version is Expired."""
KEPT_PAGES = 50

type Key = tuple[str, str]
"""Namespace (empty for cluster-scoped objects) and name."""


@dataclass(frozen=True)
class Change:
    """One write. `previous` is the object before it, None for a new one."""

    version: int
    type: str
    kind: Kind
    document: Document
    previous: Document | None


class Store:
    """All objects of a cluster. What is stored is never changed in place, only replaced."""

    def __init__(self) -> None:
        self._objects: dict[Kind, dict[Key, Document]] = {}
        self._changes: deque[Change] = deque(maxlen=KEPT_CHANGES)
        self._pages: OrderedDict[str, tuple[int, list[Document]]] = OrderedDict()
        self._signal = asyncio.Event()
        self.version = 1
        self.observers: list[Callable[[Change], None]] = []

    def get(self, kind: Kind, namespace: str, name: str) -> Document | None:
        """The stored object; the caller must not change it."""
        return self._objects.get(kind, {}).get((namespace, name))

    def all(self, kind: Kind, namespace: str = "") -> list[Document]:
        """Objects of a kind by namespace and name, of all namespaces where none is given."""
        found = self._objects.get(kind, {})
        return [found[key] for key in sorted(found) if not namespace or key[0] == namespace]

    def everything(self) -> Iterator[tuple[Kind, Document]]:
        """All objects of all kinds."""
        for kind, objects in list(self._objects.items()):
            for document in list(objects.values()):
                yield kind, document

    def in_namespace(self, namespace: str) -> Iterator[tuple[Kind, Document]]:
        """Everything that the namespace holds."""
        for kind, document in self.everything():
            if document["metadata"].get("namespace") == namespace:
                yield kind, document

    def put(self, kind: Kind, document: Document) -> Document:
        """Store under a new resourceVersion, tell watchers and observers."""
        meta = document["metadata"]
        key = (meta.get("namespace", ""), meta["name"])
        objects = self._objects.setdefault(kind, {})
        previous = objects.get(key)
        self.version += 1
        meta["resourceVersion"] = str(self.version)
        objects[key] = document
        self._tell("MODIFIED" if previous else "ADDED", kind, document, previous)
        return objects.get(key, document)

    def remove(self, kind: Kind, document: Document) -> Document:
        """Take an object away; answers its last state."""
        meta = document["metadata"]
        previous = self._objects[kind].pop((meta.get("namespace", ""), meta["name"]))
        self.version += 1
        gone = {**document, "metadata": {**meta, "resourceVersion": str(self.version)}}
        self._tell("DELETED", kind, gone, previous)
        return gone

    def _tell(self, type_: str, kind: Kind, document: Document, previous: Document | None) -> None:
        change = Change(self.version, type_, kind, document, previous)
        self._changes.append(change)
        signal, self._signal = self._signal, asyncio.Event()
        signal.set()
        for observer in self.observers:
            observer(change)

    def changes_since(self, version: int) -> list[Change]:
        """Changes after that version; raises Expired if some are no longer kept."""
        oldest = self._changes[0].version if self._changes else self.version
        if version < oldest - 1 and len(self._changes) == KEPT_CHANGES:
            raise errors.expired(f"too old resource version: {version} ({oldest})")
        newer = []
        for change in reversed(self._changes):
            if change.version <= version:
                break
            newer.append(change)
        return newer[::-1]

    def changed(self) -> asyncio.Event:
        """Set at the next change."""
        return self._signal

    def keep_page(self, rest: list[Document], version: int) -> str:
        """A continue token for the rest of a list, as it was when the list began."""
        token = uuid4().hex
        self._pages[token] = (version, rest)
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)
        return token

    def page(self, token: str) -> tuple[int, list[Document]]:
        """The rest of a list and its version; raises Expired for a token no longer kept."""
        if not re.fullmatch(r"[0-9a-f]{32}", token):
            raise errors.bad_request(f"continue key is not valid: {token}")
        if token not in self._pages:
            raise errors.expired("The provided continue parameter is too old")
        return self._pages[token]
