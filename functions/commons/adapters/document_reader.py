"""Reads a YAML or JSON document and says of every fault on which line it stands."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from commons.adapters.yaml_values import LocatedValue, read_yaml
from commons.domain.document_rules import cross_faults
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import RefusedInput
from commons.domain.faults import Fault, faults_of

Document = ClusterDocument | TeamDocument
_MODELS: dict[str, TypeAdapter[Any]] = {
    "Cluster": TypeAdapter(ClusterDocument),
    "Team": TypeAdapter(TeamDocument),
}


def read_document(name: str, body: bytes, group_prefix: str) -> Document:
    """Raises RefusedInput for the document `name`, with one sentence per fault in line order."""
    located = read_yaml(name, body)
    faults = list(_wrong_kind(located.value))
    document: Document | None = None
    if not faults:
        raw = located.value
        faults = list(cross_faults(raw, group_prefix))
        try:
            document = _MODELS[raw["kind"]].validate_python(raw)
        except ValidationError as error:
            faults += faults_of(error)
    if faults or document is None:
        raise RefusedInput(name, _in_order(faults, located))
    return document


def _wrong_kind(raw: Any) -> list[Fault]:
    if not isinstance(raw, dict):
        return [
            Fault((), "must be a mapping of fields, beginning with kind: Cluster or kind: Team")
        ]
    if raw.get("kind") not in ("Cluster", "Team"):
        return [Fault(("kind",), "must be Cluster or Team")]
    return []


def _in_order(faults: list[Fault], located: LocatedValue) -> list[str]:
    placed = [(located.line_of(fault.path), fault) for fault in faults]
    placed.sort(key=lambda pair: pair[0])
    return list(dict.fromkeys(fault.at(line) for line, fault in placed))
