"""The table of docs/security.md that says what each function may do in AWS, and why.

From template.yaml, and from the reasons that `make least-privilege` holds against what it sees.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from cli.markdown import code, table
from cli.template_file import template

REASONS = Path(__file__).parents[1] / "tests" / "least_privilege" / "reasons.yaml"
_PSEUDO = re.compile(r"\$\{AWS::\w+\}")


def functions() -> str:
    """A line for each service that a function or a role of a cluster uses."""
    why: dict[str, dict[str, str]] = yaml.safe_load(REASONS.read_text())["why"]
    return table(
        ["function", "service", "may", "why"],
        (
            [code(name.removesuffix("Function")), service, "; ".join(said), why[name][service]]
            for (name, service), said in granted().items()
        ),
    )


def granted() -> dict[tuple[str, str], list[str]]:
    """Which actions on what, a sentence a statement, by function or role and service."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, statements in _policies():
        for statement in statements:
            places = ", ".join(code(_readable(each)) for each in _listed(statement["Resource"]))
            services: dict[str, list[str]] = {}
            for action in _listed(statement["Action"]):
                service, _, operation = action.partition(":")
                services.setdefault(service, []).append(code(operation))
            for service, operations in services.items():
                said = f"{', '.join(operations)} on {places}"
                found.setdefault((name, service), []).append(said)
    return found


def _policies() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for name, resource in template()["Resources"].items():
        policies = resource.get("Properties", {}).get("Policies", [])
        if resource["Type"] == "AWS::Serverless::Function":
            yield name, [each for policy in policies for each in policy["Statement"]]
        elif resource["Type"] == "AWS::IAM::Role":
            documents = [policy["PolicyDocument"] for policy in policies]
            yield name, [each for document in documents for each in document["Statement"]]


def _readable(resource: Any) -> str:
    """An ARN without what is the same for all; a resource of the stack by its logical id."""
    match resource:
        case {"Fn::GetAtt": str(attribute)}:
            return attribute.removesuffix(".Arn")
        case {"Ref": str(name)}:
            return name
        case {"Fn::Sub": [str(text), *_]} | {"Fn::Sub": str(text)}:
            return _substituted(text)
    return str(resource)


def _substituted(text: str) -> str:
    plain = _PSEUDO.sub("", text.replace("${AWS::StackName}-", ""))
    if plain.startswith("arn:"):
        plain = plain.split(":", 5)[5]
    return plain.replace(".Arn}", "}").replace("${", "").replace("}", "")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
