"""template.yaml as plain dicts, and what tests look for in it."""

from functools import cache
from typing import Any

from cli import template_file
from cli.template_file import template

__all__ = ["ROOT", "resources", "statements", "template", "text"]

ROOT = template_file.FILE.parent


@cache
def text() -> str:
    return template_file.FILE.read_text()


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """Properties by logical id of every resource of a type such as AWS::SQS::Queue."""
    found = template()["Resources"].items()
    return {name: r.get("Properties", {}) for name, r in found if r["Type"] == kind}


def statements(policies: list[Any]) -> list[dict[str, Any]]:
    """The written statements of a Policies list of SAM."""
    return [s for policy in policies for s in policy.get("Statement", [])]
