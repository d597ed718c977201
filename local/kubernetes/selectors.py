"""Label and field selectors of list, watch and deletecollection."""

import re
from collections.abc import Callable
from typing import Any

from local.kubernetes import errors
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, at, is_qualified

type Test = Callable[[Document], bool]

_SET = re.compile(r"(?P<key>[^\s!=,()]+)\s+(?P<operator>in|notin)\s*\((?P<values>[^()]*)\)")
_EQUAL = re.compile(r"(?P<key>[^\s!=,()]+)\s*(?P<operator>==|!=|=)\s*(?P<values>[^\s!=,()]*)")
_THERE = re.compile(r"(?P<operator>!?)\s*(?P<key>[^\s!=,()]+)")


def labels(text: str) -> Test:
    """The test that a label selector stands for; raises BadRequest where it cannot be read."""
    tests = [_requirement(part) for part in _split(text)]
    return lambda document: all(test(_labels_of(document)) for test in tests)


def fields(kind: Kind, text: str) -> Test:
    """The test that a field selector stands for; raises BadRequest for fields not served."""
    tests = [_field(kind, part) for part in text.split(",") if part.strip()]
    return lambda document: all(test(document) for test in tests)


def _labels_of(document: Document) -> dict[str, str]:
    return document["metadata"].get("labels") or {}


def _split(text: str) -> list[str]:
    parts = re.split(r",(?![^()]*\))", text)  # commas within parentheses part values
    return [part.strip() for part in parts if part.strip()]


def _requirement(part: str) -> Callable[[dict[str, str]], bool]:
    for pattern in (_SET, _EQUAL, _THERE):
        if found := pattern.fullmatch(part):
            break
    else:
        raise errors.bad_request(f"unable to parse requirement: {part}")
    key, operator = found["key"], found["operator"]
    if not is_qualified(key):
        raise errors.bad_request(f'key: Invalid value: "{key}": must be a qualified name')
    values = {value.strip() for value in found.groupdict().get("values", "").split(",")}
    match operator:
        case "":
            return lambda labels: key in labels
        case "!":
            return lambda labels: key not in labels
        case "!=" | "notin":
            return lambda labels: labels.get(key) not in values
        case _:
            return lambda labels: labels.get(key) in values


def _field(kind: Kind, part: str) -> Test:
    found = re.fullmatch(r"\s*([^=!]+?)\s*(==|!=|=)\s*(.*?)\s*", part)
    if not found:
        raise errors.bad_request(f"invalid selector: '{part}'; can't understand '{part}'")
    path, operator, wanted = found.groups()
    known = ("metadata.name", *(("metadata.namespace",) if kind.namespaced else ()), *kind.fields)
    if path not in known:
        raise errors.bad_request(
            f'"{path}" is not a known field selector: only '
            + ", ".join(f'"{field}"' for field in known)
        )
    equal = operator != "!="
    return lambda document: (_text(at(document, path)) == wanted) is equal


def _text(value: Any) -> str:
    return "" if value is None else str(value)
