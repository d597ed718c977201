"""Which manager owns which fields: sets of paths, and their form in metadata.managedFields.

A path is a tuple of steps as FieldsV1 writes them: `f:name`, `k:{"name":"x"}`, `v:"x"`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from local.kubernetes import structure
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import SYSTEM_FIELDS, Document

type Path = tuple[str, ...]

ITEM = object()
"""Stands for "this list item is there"; never equal to a value of the document."""

_SERVER_WRITTEN = (*SYSTEM_FIELDS, "name", "namespace", "generateName", "managedFields")
_UNOWNED = {
    ("f:apiVersion",),
    ("f:kind",),
    *(("f:metadata", f"f:{name}") for name in _SERVER_WRITTEN),
}

_ROOTS = {(), ("f:metadata",)}
"""Always there, even where nothing is in them."""


@dataclass(frozen=True)
class Manager:
    """Who wrote, and how: one entry of managedFields."""

    name: str
    operation: str
    api_version: str
    subresource: str = ""


type Managers = dict[Manager, tuple[frozenset[Path], str]]
"""Owned paths and the time of the last change."""


def leaves(kind: Kind, document: Document) -> dict[Path, Any]:
    """Every field that can be owned, with its value."""
    return {
        path: value
        for path, value in _walk(kind, document, ())
        if path not in _ROOTS and not _UNOWNED & {path[:1], path[:2]}
    }


def _walk(kind: Kind, value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict) and value and not structure.is_atomic(kind, path):
        for name, inner in value.items():
            yield from _walk(kind, inner, (*path, f"f:{name}"))
    elif isinstance(value, list) and value and structure.keys(kind, path) is not None:
        for item in value:
            step = item_step(kind, path, item)
            yield (*path, step), ITEM
            if isinstance(item, dict):
                yield from _walk(kind, item, (*path, step))
    else:
        yield path, value


def item_step(kind: Kind, path: Path, item: Any) -> str:
    """The step that names one item of the keyed list or set at `path`."""
    wanted = structure.keys(kind, path)
    if not wanted:
        return "v:" + json.dumps(item, separators=(",", ":"))
    return "k:" + json.dumps(structure.key_of(item, wanted), separators=(",", ":"))


def is_item(path: Path) -> bool:
    """Whether the path is a list item: it goes with who put it there."""
    return not path[-1].startswith("f:")


def is_key(path: Path) -> bool:
    """Whether the field tells its list item from the others: it goes with the item only."""
    if len(path) < 2 or not path[-2].startswith("k:"):
        return False
    return path[-1][2:] in json.loads(path[-2][2:])


def read(document: Document) -> Managers:
    """The managers that an object's metadata names."""
    found: Managers = {}
    for entry in document.get("metadata", {}).get("managedFields") or []:
        manager = Manager(
            entry["manager"],
            entry["operation"],
            entry["apiVersion"],
            entry.get("subresource", ""),
        )
        found[manager] = (frozenset(_paths(entry["fieldsV1"], ())), entry["time"])
    return found


def written(managers: Managers) -> list[Document]:
    """What metadata.managedFields says; managers that own nothing are left out."""
    return [_entry(manager, *owned) for manager, owned in managers.items() if owned[0]]


def _entry(manager: Manager, paths: frozenset[Path], time: str) -> Document:
    entry: Document = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": manager.api_version,
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": _tree(paths),
    }
    return entry | ({"subresource": manager.subresource} if manager.subresource else {})


def _tree(paths: frozenset[Path]) -> Document:
    tree: Document = {}
    for path in sorted(paths):
        node = tree
        for step in path:
            node = node.setdefault(step, {})
        node["."] = {}
    _drop_marks(tree)
    return tree


def _drop_marks(node: Document) -> None:
    for inner in node.values():
        if set(inner) == {"."}:  # a field without fields below it needs no mark of its own
            inner.clear()
        _drop_marks(inner)


def _paths(tree: Document, path: Path) -> Iterator[Path]:
    if not tree and path:
        yield path
    for step, inner in tree.items():
        if step == ".":
            yield path
        else:
            yield from _paths(inner, (*path, step))


def readable(path: Path) -> str:
    """A path as conflict messages write it."""
    steps = [f".{step[2:]}" if step.startswith("f:") else f"[{_item(step)}]" for step in path]
    return "".join(steps)


def _item(step: str) -> str:
    if step.startswith("v:"):
        return "=" + step[2:]
    keys = json.loads(step[2:])
    return ",".join(f"{key}={json.dumps(value)}" for key, value in keys.items())
