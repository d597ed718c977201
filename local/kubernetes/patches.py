"""The patch formats beside apply: JSON merge patch, and strategic merge as far as needed."""

from typing import Any

from local.kubernetes import errors, ownership, structure
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, copy
from local.kubernetes.ownership import Path

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


def check_format(kind: Kind, content_type: str) -> None:
    """Raises UnsupportedMediaType for a format that the kind does not take."""
    served = (MERGE, APPLY) if kind.custom else (MERGE, STRATEGIC, APPLY)
    if content_type not in served:
        raise errors.unsupported_media_type(content_type, served)


def patched(kind: Kind, content_type: str, live: Document, patch: Document) -> Document:
    """The object with a merge patch of one of the two formats on it."""
    merged: Document = (
        _merge(copy(live), patch)
        if content_type == MERGE
        else _strategic(kind, copy(live), patch, ())
    )
    return merged


def _merge(live: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = live if isinstance(live, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key), value)
    return merged


def _strategic(kind: Kind, live: Any, patch: Any, path: Path) -> Any:
    if isinstance(patch, dict):
        return _strategic_map(kind, live if isinstance(live, dict) else {}, patch, path)
    if isinstance(patch, list) and structure.keys(kind, path) is not None:
        return _strategic_list(kind, live if isinstance(live, list) else [], patch, path)
    return patch


def _strategic_map(kind: Kind, live: Document, patch: Document, path: Path) -> Document:
    for key, value in patch.items():
        if key.startswith("$"):
            raise errors.unsupported_media_type(f"{STRATEGIC} with directive {key}", (APPLY, MERGE))
        if value is None:
            live.pop(key, None)
        else:
            live[key] = _strategic(kind, live.get(key), value, (*path, f"f:{key}"))
    return live


def _strategic_list(kind: Kind, live: list[Any], patch: list[Any], path: Path) -> list[Any]:
    merged = {ownership.item_step(kind, path, item): item for item in live}
    for item in patch:
        step = ownership.item_step(kind, path, item)
        merged[step] = _strategic(kind, merged.get(step), item, (*path, step))
    return list(merged.values())
