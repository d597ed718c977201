"""Reads template.yaml with its short-form functions as plain dicts."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]


class Loader(yaml.SafeLoader):
    pass


def _function(loader: Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            value: Any = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case _:
            value = loader.construct_mapping(node, deep=True)
    return {suffix if suffix == "Ref" else f"Fn::{suffix}": value}


Loader.add_multi_constructor("!", _function)


@cache
def text() -> str:
    return (ROOT / "template.yaml").read_text()


@cache
def template() -> dict[str, Any]:
    return yaml.load(text(), Loader=Loader)  # noqa: S506 - a SafeLoader with three more tags


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """Properties by logical id of every resource of a type such as AWS::SQS::Queue."""
    found = template()["Resources"].items()
    return {name: r.get("Properties", {}) for name, r in found if r["Type"] == kind}


def statements(policies: list[Any]) -> list[dict[str, Any]]:
    """The written statements of a Policies list of SAM."""
    return [s for policy in policies for s in policy.get("Statement", [])]
