"""Server-side apply and field ownership of plain updates: pure functions on documents."""

from dataclasses import dataclass
from typing import Any

from local.kubernetes import ownership, structure
from local.kubernetes.errors import ApiError
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, copy, metadata
from local.kubernetes.ownership import Manager, Managers, Path


@dataclass(frozen=True)
class Applied:
    """An apply: what one manager wants of one object."""

    kind: Kind
    manager: Manager
    time: str
    force: bool


def apply(request: Applied, live: Document | None, wanted: Document) -> Document:
    """The object after the apply; raises a conflict where another manager's field would change."""
    kind, manager = request.kind, request.manager
    wanted = _without_nulls(wanted)
    before = live or {}
    managers = ownership.read(before)
    last = managers.get(manager, (frozenset(), ""))[0]
    owned = frozenset(ownership.leaves(kind, wanted))
    merged: Document = _merge(kind, copy(before), wanted, ())
    _settle_conflicts(request, managers, before, merged)
    others = {path for who, (paths, _) in managers.items() if who != manager for path in paths}
    for path in sorted(last - owned - others, key=len):  # an item before what is in it
        held = not ownership.is_item(path) and any(each[: len(path)] == path for each in others)
        if not held and not ownership.is_key(path):
            _remove(kind, merged, path)
    _release_removed(kind, managers, merged, manager)
    unchanged = managers.get(manager, (None, ""))[0] == owned
    managers[manager] = (owned, managers[manager][1] if unchanged else request.time)
    metadata(merged)["managedFields"] = ownership.written(managers)
    return merged


def _settle_conflicts(
    request: Applied, managers: Managers, before: Document, merged: Document
) -> None:
    old, new = (ownership.leaves(request.kind, each) for each in (before, merged))
    changed = {path for path, value in new.items() if path not in old or old[path] != value}
    conflicts = {
        manager: sorted(paths & changed)
        for manager, (paths, _) in managers.items()
        if manager != request.manager and paths & changed
    }
    if conflicts and not request.force:
        raise _conflict(conflicts)
    for manager, lost in conflicts.items():
        paths, time = managers[manager]
        managers[manager] = (paths - frozenset(lost), time)


def _conflict(conflicts: dict[Manager, list[Path]]) -> ApiError:
    named = sorted((_who(manager), paths) for manager, paths in conflicts.items())
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {who}",
            "field": ownership.readable(path),
        }
        for who, paths in named
        for path in paths
    ]
    if len(causes) == 1:
        message = f"Apply failed with 1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        told = "\n".join(
            "\n- ".join([f"conflicts with {who}:", *map(ownership.readable, paths)])
            for who, paths in named
        )
        message = f"Apply failed with {len(causes)} conflicts: {told}"
    return ApiError(409, "Conflict", message, {"causes": causes})


def _who(manager: Manager) -> str:
    name = f'"{manager.name}"'
    if manager.subresource:
        name += f' with subresource "{manager.subresource}"'
    return name if manager.operation == "Apply" else f"{name} using {manager.api_version}"


def _release_removed(
    kind: Kind, managers: Managers, document: Document, applier: Manager | None
) -> None:
    """Nobody owns what is no longer there."""
    present = frozenset(ownership.leaves(kind, document))
    for manager, (paths, time) in managers.items():
        if manager != applier:
            managers[manager] = (paths & present, time)


def track_update(
    kind: Kind, manager: Manager, time: str, before: Document, after: Document
) -> list[Document]:
    """managedFields after a create, an update or a patch: the writer owns what it changed."""
    managers = ownership.read(before)
    old, new = (ownership.leaves(kind, each) for each in (before, after))
    changed = frozenset(path for path, value in new.items() if old.get(path, _ABSENT) != value)
    for other, (paths, when) in managers.items():
        if other != manager:
            managers[other] = (paths - changed, when)
    if changed:
        own = managers.get(manager, (frozenset(), ""))[0]
        managers[manager] = (own | changed, time)
    _release_removed(kind, managers, after, None)
    return ownership.written(managers)


_ABSENT = object()


def _merge(kind: Kind, live: Any, wanted: Any, path: Path) -> Any:
    if isinstance(live, dict) and isinstance(wanted, dict) and not structure.is_atomic(kind, path):
        for name, value in wanted.items():
            live[name] = _merge(kind, live.get(name), value, (*path, f"f:{name}"))
        return live
    keyed = structure.keys(kind, path)
    if isinstance(live, list) and isinstance(wanted, list) and keyed is not None:
        return _merge_items(kind, live, wanted, path)
    return wanted


def _merge_items(kind: Kind, live: list[Any], wanted: list[Any], path: Path) -> list[Any]:
    merged = {ownership.item_step(kind, path, item): item for item in live}
    for item in wanted:
        step = ownership.item_step(kind, path, item)
        merged[step] = _merge(kind, merged.get(step), item, (*path, step))
    return list(merged.values())


def _remove(kind: Kind, document: Document, path: Path) -> None:
    """Take one field or list item away, and the containers that it leaves empty."""
    trail: list[tuple[Any, Any]] = []
    node: Any = document
    for depth, step in enumerate(path):
        key = _locate(kind, node, path[:depth], step)
        if key is None:
            return
        trail.append((node, key))
        node = node[key]
    parent, key = trail.pop()
    del parent[key]
    while trail:
        parent, key = trail.pop()
        if parent[key]:
            return
        del parent[key]


def _locate(kind: Kind, node: Any, path: Path, step: str) -> Any:
    """Key of a map or index of a list under which the step leads on; None if it leads nowhere."""
    if step.startswith("f:"):
        return step[2:] if isinstance(node, dict) and step[2:] in node else None
    if not isinstance(node, list):
        return None
    steps = [ownership.item_step(kind, path, item) for item in node]
    return steps.index(step) if step in steps else None


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
