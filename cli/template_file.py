"""Reads template.yaml, its short-form functions as plain dicts."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[1] / "template.yaml"


class _Loader(yaml.SafeLoader):
    pass


def _function(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.SequenceNode():
            value: Any = loader.construct_sequence(node, deep=True)
        case yaml.MappingNode():
            value = loader.construct_mapping(node, deep=True)
        case _:
            value = loader.construct_scalar(node)  # type: ignore[arg-type]
    return {suffix if suffix == "Ref" else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _function)


@cache
def template() -> dict[str, Any]:
    """The whole template; nobody may change what is returned."""
    read: dict[str, Any] = yaml.load(FILE.read_text(), Loader=_Loader)  # noqa: S506 - a SafeLoader
    return read
