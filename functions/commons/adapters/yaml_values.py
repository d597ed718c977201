"""YAML to plain values with their lines; JSON is YAML. What could surprise a reader is refused.

No anchors, aliases or tags (a short text could stand for gigabytes, or for code), no key twice, no
second document. Scalars follow YAML 1.2: `no` is a word, `010` is not eight, a day stays text.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

import yaml

from commons.domain.errors import RefusedInput
from commons.domain.faults import Fault, Path

LARGEST = 256 * 1024
DEEPEST = 20
_CORE = {
    "bool": re.compile(r"true|false"),
    "null": re.compile(r"~|null|"),
    # longer ones are no number that any field takes
    "int": re.compile(r"[-+]?[0-9]{1,18}"),
    "float": re.compile(r"[-+]?([0-9]{1,18}\.[0-9]{0,18}|\.[0-9]{1,18})([eE][-+]?[0-9]{1,3})?"),
}


@dataclass
class LocatedValue:
    """A value and, by path, the line (from 1) on which each part of it stands."""

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def line_of(self, path: Path) -> int:
        """Its line, or that of the nearest part around it: a missing field has none."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(name: str, body: bytes) -> LocatedValue:
    """Raises RefusedInput for the document `name` if it is not plain, well-formed YAML."""
    text = _text(name, body)
    try:
        _refuse_surprises(name, text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = _line(mark) if mark else None
        problem = error.problem or error.context or "is not YAML"
        raise RefusedInput(name, [Fault((), problem).at(line)]) from error
    located = LocatedValue()
    if node is not None:
        located.value = _value(node, (), located)
    if located.faults:
        raise RefusedInput(name, [f.at(located.line_of(f.path)) for f in located.faults])
    return located


def _text(name: str, body: bytes) -> str:
    if len(body) > LARGEST:
        raise RefusedInput(name, [f"document: has {len(body)} bytes, {LARGEST} are allowed"])
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body[: error.start].count(b"\n") + 1
        raise RefusedInput(name, [Fault((), "must be UTF-8").at(line)]) from error
    for number, line_text in enumerate(text.split("\n"), start=1):
        if strange := _strange(line_text.rstrip("\r")):
            raise RefusedInput(name, [Fault((), f"holds {strange}, which nobody sees").at(number)])
    # YAML takes no tabs between the parts of what JSON indents with them
    return text.replace("\t", " ") if text.lstrip().startswith("{") else text


def _strange(text: str) -> str | None:
    """The name of a control, format or surrogate character in the text."""
    for character in text:
        if character not in "\t\n" and unicodedata.category(character) in ("Cc", "Cf", "Cs"):
            return unicodedata.name(character, f"the character U+{ord(character):04X}")
    return None


def _refuse_surprises(name: str, text: str) -> None:
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        if problem := _surprise(event, depth, documents):
            raise RefusedInput(name, [Fault((), problem).at(_line(event.start_mark))])


def _surprise(event: yaml.Event, depth: int, documents: int) -> str | None:
    if getattr(event, "anchor", None):
        return "must have no anchor and no alias; write the value out"
    if getattr(event, "tag", None):
        return "must have no tag (!…)"
    if depth > DEEPEST:
        return f"is nested more than {DEEPEST} deep"
    if documents > 1:
        return "must be one document, without a second after ---"
    return None


def _line(mark: Any) -> int:
    return int(mark.line) + 1


def _value(node: yaml.Node, path: Path, located: LocatedValue) -> Any:
    located.lines.setdefault(path, _line(node.start_mark))
    match node:
        case yaml.MappingNode():
            return _mapping(node, path, located)
        case yaml.SequenceNode():
            return [_value(item, (*path, i), located) for i, item in enumerate(node.value)]
    return _scalar(node, path, located)


def _mapping(node: yaml.MappingNode, path: Path, located: LocatedValue) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = _line(key_node.start_mark)
        if not isinstance(key_node, yaml.ScalarNode):
            located.faults.append(Fault(path, f"has a key on line {line} that is not a word"))
            continue
        inner: Path = (*path, key_node.value)
        if key_node.value in values:
            located.faults.append(Fault(inner, f"stands here a second time, on line {line}"))
            continue
        located.lines[inner] = line
        values[key_node.value] = _value(value_node, inner, located)
    return values


def _scalar(node: yaml.Node, path: Path, located: LocatedValue) -> Any:
    text = node.value
    quoted = getattr(node, "style", None) is not None
    if quoted or not any(pattern.fullmatch(text) for pattern in _CORE.values()):
        return _word(text, path, located)
    if _CORE["null"].fullmatch(text):
        return None
    if _CORE["bool"].fullmatch(text):
        return text == "true"
    return int(text) if _CORE["int"].fullmatch(text) else float(text)


def _word(text: str, path: Path, located: LocatedValue) -> str:
    try:
        # JSON writes one character beyond U+FFFF as two escapes
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        located.faults.append(Fault(path, "holds half a character (a lone surrogate)"))
        return ""
    if strange := _strange(text):
        located.faults.append(Fault(path, f"holds {strange}, which nobody sees"))
    return text
