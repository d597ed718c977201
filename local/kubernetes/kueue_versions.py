"""Kueue's two served versions: stored as v1beta2, answered as either.

Renamed between them: a ClusterQueue's cohort, a Cohort's parent, a Workload's priority class, a
LocalQueue's usage, and one misspelt field of a Workload's status.
"""

from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, copy

_OLD = "v1beta1"
_SOURCES = {
    ("kueue.x-k8s.io", "WorkloadPriorityClass"): "kueue.x-k8s.io/workloadpriorityclass",
    ("scheduling.k8s.io", "PriorityClass"): "scheduling.k8s.io/priorityclass",
}
_REFERENCES = {source: reference for reference, source in _SOURCES.items()}
_RENAMED = {
    "clusterqueues": (("spec", "cohort", "cohortName"),),
    "cohorts": (("spec", "parent", "parentName"),),
    "localqueues": (("status", "flavorUsage", "flavorsUsage"),),
    "workloads": (
        (
            "status",
            "accumulatedPastExexcutionTimeSeconds",
            "accumulatedPastExecutionTimeSeconds",
        ),
    ),
}


def stored(kind: Kind, version: str, document: Document) -> Document:
    """The document as it is stored."""
    if version == kind.versions[0]:
        return document
    converted = copy(document)
    converted["apiVersion"] = kind.api_version(kind.versions[0])
    for part, old, new in _RENAMED.get(kind.plural, ()):
        _rename(converted.get(part), old, new)
    if kind.plural == "workloads":
        _reference_priority(converted.get("spec") or {})
    return converted


def shown(kind: Kind, version: str, document: Document) -> Document:
    """A stored document as that version shows it."""
    if version == kind.versions[0]:
        return document
    converted = copy(document)
    converted["apiVersion"] = kind.api_version(version)
    for part, old, new in _RENAMED.get(kind.plural, ()):
        _rename(converted.get(part), new, old)
    if kind.plural == "workloads":
        _name_priority(converted.get("spec") or {})
    return converted


def _rename(part: Document | None, before: str, after: str) -> None:
    if part and before in part:
        part[after] = part.pop(before)


def _reference_priority(spec: Document) -> None:
    source, name = spec.pop("priorityClassSource", ""), spec.pop("priorityClassName", "")
    if name and source in _REFERENCES:
        group, kind = _REFERENCES[source]
        spec["priorityClassRef"] = {"group": group, "kind": kind, "name": name}


def _name_priority(spec: Document) -> None:
    reference = spec.pop("priorityClassRef", None)
    source = _SOURCES.get((reference["group"], reference["kind"])) if reference else None
    if source:
        spec["priorityClassName"] = reference["name"]
        spec["priorityClassSource"] = source
