"""Kubernetes objects as the documents they are: reading them, naming them, keeping them valid."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from local.kubernetes import errors
from local.kubernetes.kinds import Kind

type Document = dict[str, Any]
"""One JSON object, as it travels: the API is made of these."""

SYSTEM_FIELDS = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
)
"""Metadata that only the server writes (managedFields too, but it changes with each write)."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")


def copy(document: Document) -> Document:
    """A deep copy; what the store holds is never changed in place."""
    copied: Document = json.loads(json.dumps(document))
    return copied


def timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC with whole seconds, as in metadata."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def metadata(document: Document) -> Document:
    """The object's metadata; made where there is none."""
    found: Document = document.setdefault("metadata", {})
    return found


def name_of(document: Document) -> str:
    """The object's name, empty before it has one."""
    return str(metadata(document).get("name") or "")


def at(document: Document, path: str) -> Any:
    """The value at a dotted path, None where it ends early."""
    value: Any = document
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def check_types(kind: Kind, version: str, document: Document) -> None:
    """Raises BadRequest where metadata cannot be read."""
    for field in ("labels", "annotations"):
        entries = metadata(document).get(field)
        if not isinstance(entries, dict | None) or not all(
            isinstance(value, str) for value in (entries or {}).values()
        ):
            problem = f"json: cannot unmarshal into Go struct field ObjectMeta.metadata.{field}"
            raise errors.unreadable(kind, version, f"{problem} of type map[string]string")


def check(kind: Kind, document: Document) -> None:
    """Raises Invalid where name, labels or annotations break the rules of all objects."""
    name = name_of(document)
    for field, problem in _problems(kind, document):
        raise errors.invalid(kind, name, field, problem, "FieldValueInvalid")


def _problems(kind: Kind, document: Document) -> Iterator[tuple[str, str]]:
    name, meta = name_of(document), metadata(document)
    if not _name_fits(kind, name):
        yield "metadata.name", f'Invalid value: "{name}": {_NAME_RULES[kind.name]}'
    for field in ("labels", "annotations"):
        for key, value in (meta.get(field) or {}).items():
            if not is_qualified(key):
                yield f"metadata.{field}", f'Invalid value: "{key}": must be a qualified name'
            if field == "labels" and not (len(value) <= 63 and _VALUE.fullmatch(value)):
                yield f"metadata.{field}", f'Invalid value: "{value}": must be a label value'


_NAME_RULES = {
    "label": "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
    "'-', start and end with an alphanumeric character, and be at most 63 characters",
    "subdomain": "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and start and end with an alphanumeric character",
    "path": "may not be '.' or '..' or contain '/' or '%'",
}


def _name_fits(kind: Kind, name: str) -> bool:
    if kind.name == "path":
        return bool(name) and name not in {".", ".."} and not re.search(r"[/%]", name)
    if kind.name == "label":
        return len(name) <= 63 and bool(_LABEL.fullmatch(name))
    return len(name) <= 253 and bool(_SUBDOMAIN.fullmatch(name))


def is_qualified(key: str) -> bool:
    """Whether the text can be the key of a label."""
    prefix, slash, name = key.rpartition("/")
    if slash and not (prefix and len(prefix) <= 253 and _SUBDOMAIN.fullmatch(prefix)):
        return False
    return bool(name) and len(name) <= 63 and bool(_VALUE.fullmatch(name))
