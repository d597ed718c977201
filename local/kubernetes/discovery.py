"""What is served: the answers that clients read to find their way."""

from typing import Any

from local.kubernetes import errors, kinds
from local.kubernetes.kinds import REVIEWS, Kind

VERSION = {
    "major": "1",
    "minor": "33",
    "gitVersion": "v1.33.0-local",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "none",
    "compiler": "none",
    "platform": "embedded",
}


def answer(path: str) -> dict[str, Any]:
    """The discovery document at a path; raises NotFound for any other path."""
    steps = [step for step in path.split("/") if step]
    match steps:
        case ["version"]:
            return VERSION
        case ["api"]:
            return {"kind": "APIVersions", "apiVersion": "v1", "versions": ["v1"]}
        case ["apis"]:
            groups = [_group(name) for name in kinds.group_versions() if name]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        case ["apis", name] if name in kinds.group_versions():
            return {"kind": "APIGroup", "apiVersion": "v1", **_group(name)}
        case ["api", "v1"]:
            return _resources("", "v1")
        case ["apis", name, version] if version in kinds.group_versions().get(name, []):
            return _resources(name, version)
    raise errors.NoPage()


def _group(name: str) -> dict[str, Any]:
    versions = [
        {"groupVersion": f"{name}/{version}", "version": version}
        for version in kinds.group_versions()[name]
    ]
    return {"name": name, "versions": versions, "preferredVersion": versions[0]}


def _resources(group: str, version: str) -> dict[str, Any]:
    found = kinds.served(group, version)
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{group}/{version}" if group else version,
        "resources": [entry for kind in found for entry in _entries(kind)],
    }


def _entries(kind: Kind) -> list[dict[str, Any]]:
    plain = {
        "name": kind.plural,
        "singularName": kind.kind.lower(),
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(kinds.REVIEW_VERBS if kind in REVIEWS else kinds.VERBS),
        **({"shortNames": list(kind.short)} if kind.short else {}),
    }
    if not kind.status:
        return [plain]
    part = {
        "name": f"{kind.plural}/status",
        "singularName": "",
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": ["get", "patch", "update"],
    }
    return [plain, part]
