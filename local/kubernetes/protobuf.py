"""The few bodies that kubectl sends as protobuf whatever it is told: reviews and namespaces.

The envelope is `k8s\\0` and a runtime.Unknown; field numbers are those of the published schemas.
"""

from collections.abc import Iterator
from typing import Any

from local.kubernetes import errors

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
_MAGIC = b"k8s\x00"

type Schema = dict[int, tuple[str, Any]]
"""Field number -> name and type: str, list (of strings), dict (of strings), or a schema."""

_META: Schema = {
    1: ("name", str),
    2: ("generateName", str),
    3: ("namespace", str),
    11: ("labels", dict),
    12: ("annotations", dict),
}
_RESOURCE: Schema = {
    number: (name, str)
    for number, name in enumerate(
        ("namespace", "verb", "group", "version", "resource", "subresource", "name"), start=1
    )
}
_PLAIN: Schema = {1: ("path", str), 2: ("verb", str)}
_ASKED: Schema = {1: ("resourceAttributes", _RESOURCE), 2: ("nonResourceAttributes", _PLAIN)}
_KINDS: dict[str, Schema] = {
    "Namespace": {1: ("metadata", _META)},
    "SelfSubjectReview": {1: ("metadata", _META)},
    "SelfSubjectAccessReview": {1: ("metadata", _META), 2: ("spec", _ASKED)},
    "SubjectAccessReview": {
        1: ("metadata", _META),
        2: ("spec", {**_ASKED, 3: ("user", str), 4: ("groups", list)}),
    },
    "SelfSubjectRulesReview": {1: ("metadata", _META), 2: ("spec", {1: ("namespace", str)})},
}


def decode(body: bytes) -> dict[str, Any]:
    """The object in a body; raises UnsupportedMediaType for kinds not known here."""
    if not body.startswith(_MAGIC):
        raise errors.bad_request("the body is no Kubernetes protobuf")
    try:
        return _object(dict(_fields(body[len(_MAGIC) :])))
    except (UnicodeDecodeError, KeyError) as error:
        raise errors.bad_request("the protobuf body is malformed") from error


def _object(envelope: dict[int, bytes]) -> dict[str, Any]:
    names = {number: value.decode() for number, value in _fields(envelope.get(1, b""))}
    kind = names.get(2, "")
    if kind not in _KINDS:
        raise errors.unsupported_media_type(f"{MEDIA_TYPE} for {kind}", ("application/json",))
    document = _message(envelope.get(2, b""), _KINDS[kind])
    return {"apiVersion": names.get(1, ""), "kind": kind, **document}


def _message(body: bytes, schema: Schema) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for number, value in _fields(body):
        name, type_ = schema.get(number, ("", None))
        if type_ is str and value:
            document[name] = value.decode()
        elif type_ is list:
            document.setdefault(name, []).append(value.decode())
        elif type_ is dict:
            pair = dict(_fields(value))
            document.setdefault(name, {})[pair[1].decode()] = pair.get(2, b"").decode()
        elif isinstance(type_, dict):
            document[name] = _message(value, type_)
    return document


def _fields(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Length-delimited fields; the numbers among the fields are of no interest here."""
    position = 0
    while position < len(body):
        tag, position = _varint(body, position)
        length, position = _varint(body, position)
        if tag & 7 == 2:
            yield tag >> 3, body[position : position + length]
            position += length
        elif tag & 7 != 0:
            raise errors.bad_request("the protobuf body has a field of a form not expected")


def _varint(body: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(body):
        byte = body[position]
        value, shift, position = value | (byte & 127) << shift, shift + 7, position + 1
        if byte < 128:
            return value, position
    raise errors.bad_request("the protobuf body ends early")
