"""The checks of a request that AWS makes and the client does not: patterns, enums, upper bounds."""

import re
from collections.abc import Iterator
from typing import Any

_POSIX_ONLY = r"\p{"  # Unicode classes, which Python's expressions do not know


def fault(shape: Any, params: Any) -> str | None:
    """What is wrong with a request, in the words of AWS; None if nothing is."""
    faults = [] if shape is None else list(_faults(shape, params, ""))
    if not faults:
        return None
    noun = "error" if len(faults) == 1 else "errors"
    return f"{len(faults)} validation {noun} detected: {'; '.join(faults)}"


def _faults(shape: Any, value: Any, path: str) -> Iterator[str]:
    if shape.type_name == "structure":
        yield from _structure(shape, value, path)
    elif shape.type_name == "list":
        yield from _bounds(shape, value, len(value), path, "length")
        for number, item in enumerate(value):
            yield from _faults(shape.member, item, f"{path}.{number + 1}.member")
    elif shape.type_name == "string":
        yield from _text(shape, value, path)
    elif shape.type_name in {"integer", "long", "float", "double"}:
        yield from _bounds(shape, value, value, path, "value")


def _structure(shape: Any, value: Any, path: str) -> Iterator[str]:
    if getattr(shape, "is_document_type", False):
        return
    for name in shape.required_members:
        if value.get(name) is None:
            yield _constraint("null", _join(path, name), "Member must not be null")
    for name, member in shape.members.items():
        if value.get(name) is not None:
            yield from _faults(member, value[name], _join(path, name))


def _text(shape: Any, value: str, path: str) -> Iterator[str]:
    yield from _bounds(shape, value, len(value), path, "length")
    enum = list(getattr(shape, "enum", None) or [])
    if enum and value not in enum:
        yield _constraint(value, path, f"Member must satisfy enum value set: {enum}")
    pattern = shape.metadata.get("pattern")
    if pattern and _POSIX_ONLY not in pattern and not re.fullmatch(pattern, value):
        yield _constraint(value, path, f"Member must satisfy regular expression pattern: {pattern}")


def _bounds(shape: Any, value: Any, size: float, path: str, noun: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and size < low:
        yield _constraint(value, path, f"Member must have {noun} greater than or equal to {low}")
    if high is not None and size > high:
        yield _constraint(value, path, f"Member must have {noun} less than or equal to {high}")


def _constraint(value: Any, path: str, text: str) -> str:
    return f"Value '{value}' at '{path}' failed to satisfy constraint: {text}"


def _join(path: str, name: str) -> str:
    member = name[:1].lower() + name[1:]
    return f"{path}.{member}" if path else member
