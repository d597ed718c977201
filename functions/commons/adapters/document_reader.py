"""Reads a YAML or JSON document and says of every fault on which line it stands."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from commons.adapters.yaml_values import LocatedValue, read_yaml
from commons.domain.chargeback_rules import ChargebackRules
from commons.domain.document_rules import cross_faults, is_word
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.errors import RefusedInput
from commons.domain.faults import Fault, faults_of

Document = ClusterDocument | TeamDocument | ChargebackRules


class RefusedDocument(RefusedInput):
    """`declared` is what the document says it is about, as far as that can be read."""

    def __init__(self, name: str, faults: list[str], declared: dict[str, str]) -> None:
        super().__init__(name, faults)
        self.declared = declared


_MODELS: dict[str, TypeAdapter[Any]] = {
    "Cluster": TypeAdapter(ClusterDocument),
    "Team": TypeAdapter(TeamDocument),
    "ChargebackRules": TypeAdapter(ChargebackRules),
}


def read_document(name: str, body: bytes, group_prefix: str) -> Document:
    """Raises RefusedDocument for the document `name`, one sentence per fault in line order."""
    try:
        located = read_yaml(name, body)
    except RefusedInput as error:
        raise RefusedDocument(name, error.reasons, {}) from error
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
        raise RefusedDocument(name, _in_order(faults, located), _declared(located.value))
    return document


def refused_for(name: str, body: bytes, faults: list[Fault]) -> RefusedDocument:
    """For faults that only the rest of the world shows, with the lines of a readable document."""
    located = read_yaml(name, body)
    return RefusedDocument(name, _in_order(faults, located), _declared(located.value))


def _wrong_kind(raw: Any) -> list[Fault]:
    if not isinstance(raw, dict):
        return [
            Fault((), "must be a mapping of fields, beginning with kind: Cluster or kind: Team")
        ]
    if raw.get("kind") not in [*_MODELS]:
        return [Fault(("kind",), "must be Cluster, Team or ChargebackRules")]
    return []


def _declared(raw: Any) -> dict[str, str]:
    fields = ("kind", "team", "cluster", "version")
    known = raw if isinstance(raw, dict) else {}
    return {name: known[name] for name in fields if is_word(known.get(name))}


def _in_order(faults: list[Fault], located: LocatedValue) -> list[str]:
    placed = [(located.line_of(fault.path), fault) for fault in faults]
    placed.sort(key=lambda pair: pair[0])
    return list(dict.fromkeys(fault.at(line) for line, fault in placed))
