"""Faults of a document: each says where it is and what must be there instead."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from commons.domain.document_parts import (
    BUCKET_PATTERN,
    CLUSTER_ARN_PATTERN,
    FOLDER_PATTERN,
    INSTANCE_TYPE_PATTERN,
    LEDGER_TAG,
    REPORT_TAG,
    SLUG_PATTERN,
)

Path = tuple[str | int, ...]

_PATTERNS = {
    SLUG_PATTERN: (
        "must be 1 to 40 lower-case letters, digits and hyphens, no hyphen first or last"
    ),
    CLUSTER_ARN_PATTERN: (
        "must be the ARN of a HyperPod cluster, "
        "arn:aws:sagemaker:<region>:<account>:cluster/<12 characters>"
    ),
    INSTANCE_TYPE_PATTERN: "must be an instance type as SageMaker writes it, like ml.p5.48xlarge",
    BUCKET_PATTERN: "must be the name of a bucket",
    FOLDER_PATTERN: (
        "must be a folder of the bucket with its final slash and no first one, like usage/"
    ),
}
_SHOWN = 60


@dataclass(frozen=True)
class Fault:
    """`path` leads to the value; an empty one means the document as a whole."""

    path: Path
    message: str

    def at(self, line: int | None) -> str:
        where = written(self.path) or "document"
        return f"{where}, line {line}: {self.message}" if line else f"{where}: {self.message}"


def written(path: Path) -> str:
    """`namespaces[1].quota`: how people write a path."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


def faults_of(error: ValidationError) -> Iterable[Fault]:
    """One fault per error of pydantic, in our words."""
    for detail in error.errors(include_url=False):
        steps = (step for step in detail["loc"] if step not in (LEDGER_TAG, REPORT_TAG))
        yield Fault(tuple(steps), _sentence(detail))


def _sentence(detail: ErrorDetails) -> str:
    match detail["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not a field here; check its spelling and its indentation"
        case "value_error":
            return detail["msg"].removeprefix("Value error, ")
        case "string_pattern_mismatch":
            pattern = detail["ctx"]["pattern"]
            return _PATTERNS.get(pattern, f"must match {pattern}") + _but(detail["input"])
    return detail["msg"].replace("Input should", "must").replace("List should", "must").replace(
        "String should", "must"
    ) + _but(detail["input"])


def _but(value: Any) -> str:
    """What stands there instead, if it is short enough to be read."""
    if isinstance(value, dict | list):
        return ""
    shown = "empty" if value is None else repr(value)
    return f", and is {shown}" if len(shown) <= _SHOWN else ""
