"""Kinds whose operators are closed or not here: anything may be written into them."""

from typing import Any

from local.kubernetes.kinds import KINDS, Kind

Document = dict[str, Any]

_KUEUE = "kueue.x-k8s.io"
_ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def definitions() -> list[Document]:
    """A definition for each kind that the embedded cluster plays and Kueue does not bring."""
    return [_definition(kind) for kind in KINDS if kind.custom and kind.group != _KUEUE]


def _definition(kind: Kind) -> Document:
    schema = {"type": "object", "properties": {"spec": _ANYTHING, "status": _ANYTHING}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": kind.qualified},
        "spec": {
            "group": kind.group,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "names": {
                "plural": kind.plural,
                "singular": kind.kind.lower(),
                "kind": kind.kind,
                "shortNames": list(kind.short),
            },
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": version == kind.versions[0],
                    "subresources": {"status": {}} if kind.status else {},
                    "schema": {"openAPIV3Schema": schema},
                }
                for version in kind.versions
            ],
        },
    }
