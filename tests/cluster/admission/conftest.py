"""Team namespaces with nothing in them, and people who may do everything by role."""

import time
from collections.abc import Iterator

import pytest

from commons.domain import admission
from local import settings
from tests.clouds import Parts
from tests.cluster.admission.api import (
    NAMESPACE,
    OTHER,
    POD_OF_A_PROJECT,
    POD_OF_A_TENANT,
    STRANGER,
    TENANT,
    WRITER,
    Api,
    said,
)
from tests.cluster.admission.things import thing

_USERS = (TENANT, POD_OF_A_TENANT, POD_OF_A_PROJECT, WRITER, STRANGER)
_RBAC = "rbac.authorization.k8s.io"


@pytest.fixture(scope="session")
def api(parts: Parts) -> Iterator[Api]:
    state = parts.state
    endpoint = settings.kubernetes_endpoint(state.ports, state.kubernetes, settings.EKS_CLUSTER)
    api = Api(endpoint, parts.home / "kubernetes")
    _set_up(api)
    # the server takes a moment to judge by them; the last is applied last
    until = time.monotonic() + 30
    while not said(api.create(thing("Namespace", namespace=None), TENANT)):
        assert time.monotonic() < until, "the policies are not in force"
        time.sleep(0.2)
    yield api
    _tear_down(api)


def _set_up(api: Api) -> None:
    """A team's namespaces without anything in them, and people who may do everything."""
    for name in (NAMESPACE, OTHER):
        _await_gone(api, name)
        team = "admission" if name == NAMESPACE else "next-door"
        labels = {"gpu.commons/team": team}
        api.apply(thing("Namespace", namespace=None, name=name, labels=labels))
    for number, user in enumerate(_USERS):
        subjects = [{"apiGroup": _RBAC, "kind": "User", "name": user}]
        role = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "cluster-admin"}
        binding = thing("ClusterRoleBinding", f"{_RBAC}/v1", None, name=f"admission-test-{number}")
        api.apply({**binding, "subjects": subjects, "roleRef": role})
    for manifest in admission.manifests():
        api.apply(manifest)


def _await_gone(api: Api, namespace: str) -> None:
    """An earlier run on the same cluster may have left it behind, on its way out."""
    until = time.monotonic() + 60
    while "deletionTimestamp" in api.call("GET", f"/api/v1/namespaces/{namespace}").text:
        assert time.monotonic() < until, f"{namespace} does not end"
        time.sleep(0.5)


def _tear_down(api: Api) -> None:
    for number in range(len(_USERS)):
        name = f"admission-test-{number}"
        api.delete(thing("ClusterRoleBinding", f"{_RBAC}/v1", None, name=name))
    for name in (NAMESPACE, OTHER):
        api.delete(thing("Namespace", namespace=None, name=name))
