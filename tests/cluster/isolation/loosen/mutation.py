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
    if instead is None:
        status, answer = administrator.call("DELETE", path)
    elif administrator.call("GET", path)[0] == 404:
        status, answer = administrator.call("POST", path.rpartition("/")[0], _new(instead))
    else:
        status, answer = administrator.call("PUT", path, _new(instead))
    assert status < 300, answer


def _new(document: Object) -> Object:
    """Without what the server keeps, so that it is taken whatever happened meanwhile."""
    kept = ("name", "namespace", "labels", "annotations")
    metadata = {key: document["metadata"][key] for key in kept if key in document["metadata"]}
    return {**document, "metadata": metadata}


def each_without(values: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Every value with the list of the others."""
    return ((value, values[:n] + values[n + 1 :]) for n, value in enumerate(values))
