"""One change for the worse of one object of the cluster."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.cluster.isolation.escapes.attempt import ADMISSION, RBAC, at
from tests.kubernetes_api import Cluster

Object = dict[str, Any]


class Mutation(NamedTuple):
    """`instead` takes the place of what is at `path`; None: it is deleted."""

    name: str
    path: str
    instead: Object | None
    about: tuple[str, ...]
    """Which rows should notice: a role and kinds, or the policy's name."""


def role(namespace: str, name: str) -> str:
    return at(namespace, f"roles.{RBAC}", name)


def role_binding(namespace: str, name: str) -> str:
    return at(namespace, f"rolebindings.{RBAC}", name)


def policy(name: str) -> str:
    return f"/apis/{ADMISSION}/validatingadmissionpolicies/{name}"


def policy_binding(name: str) -> str:
    return f"/apis/{ADMISSION}/validatingadmissionpolicybindings/{name}"


def replace(administrator: Cluster, path: str, instead: Object | None) -> None:
    """Put another object where one is, or take it away; one that is gone is made again."""
    code, found = administrator.call("GET", path)
    if instead is None:
        status, answer = administrator.call("DELETE", path)
    elif code == 404:
        status, answer = administrator.call("POST", path.rpartition("/")[0], _of(instead))
    else:
        version = found["metadata"]["resourceVersion"]
        status, answer = administrator.call("PUT", path, _of(instead, resourceVersion=version))
    assert status < 300, answer


def _of(document: Object, **metadata: str) -> Object:
    """Without what the server keeps of another version of it."""
    for key in ("name", "namespace", "labels", "annotations"):
        if key in document["metadata"]:
            metadata[key] = document["metadata"][key]
    return {**document, "metadata": metadata}


def each_without(values: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Every value with the list of the others."""
    return ((value, values[:n] + values[n + 1 :]) for n, value in enumerate(values))
