"""As much OpenAPI as kubectl wants before it applies a file: that the server judges the fields.

No schemas: the embedded cluster keeps fields that it does not know, and `kubectl explain` knows
none.
"""

from typing import Any

from local.kubernetes import errors, kinds
from local.kubernetes.kinds import Kind

_OPTIONS = [
    {"name": name, "in": "query", "schema": {"type": "string"}}
    for name in ("dryRun", "fieldManager", "fieldValidation")
]


def answer(root: str, path: str) -> dict[str, Any]:
    """The document at a path below /openapi; `root` is what clients find the API under."""
    steps = [step for step in path.split("/") if step]
    match steps:
        case ["openapi", "v3"]:
            pairs = [(g, v) for g, versions in kinds.group_versions().items() for v in versions]
            found = {_place(group, version): group for group, version in pairs}
            return {
                "paths": {
                    each: {"serverRelativeURL": f"{root}/openapi/v3/{each}"} for each in found
                }
            }
        case ["openapi", "v3", "api", "v1"]:
            return _document("", "v1")
        case ["openapi", "v3", "apis", group, version] if kinds.served(group, version):
            return _document(group, version)
    raise errors.NoPage()


def _place(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def _document(group: str, version: str) -> dict[str, Any]:
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes, embedded", "version": "local"},
        "paths": {
            _path(kind, group, version): {"patch": _patch(kind, group, version)}
            for kind in kinds.served(group, version)
        },
        "components": {"schemas": {}},
    }


def _path(kind: Kind, group: str, version: str) -> str:
    where = "/namespaces/{namespace}" if kind.namespaced else ""
    return f"/{_place(group, version)}{where}/{kind.plural}/{{name}}"


def _patch(kind: Kind, group: str, version: str) -> dict[str, Any]:
    about = {"group": group, "version": version, "kind": kind.kind}
    return {
        "x-kubernetes-group-version-kind": about,
        "parameters": _OPTIONS,
        "responses": {"200": {"description": "OK"}},
    }
