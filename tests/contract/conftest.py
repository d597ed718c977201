"""The cluster that the contract is tried on: the embedded one, or the real one where asked for."""

import os
import uuid
from collections.abc import Iterator

import pytest

from local import settings, supervisor
from local.cluster import Cluster as Chosen
from tests.kubernetes_api import Cluster, namespace
from tests.local.kubernetes_process import running


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The administrator's view."""
    home = tmp_path_factory.mktemp("kubernetes")
    if os.environ.get("COMMONS_TEST_KUBERNETES") != "real":
        with running(home) as started:
            yield started
        return
    try:
        state = supervisor.up(home, cluster=Chosen(kubernetes="real", nodes={}))
        assert state is not None
        endpoint = settings.kubernetes_endpoint(state.ports, "real", settings.EKS_CLUSTER)
        files = home / "kubernetes"
        yield Cluster(endpoint, files / "ca.crt", (files / "admin-token").read_text())
    finally:
        supervisor.down(home)


def _made(cluster: Cluster) -> str:
    name = f"home-{uuid.uuid4().hex[:8]}"
    cluster.create("/api/v1/namespaces", namespace(name))
    return name


@pytest.fixture(scope="module")
def home(cluster: Cluster) -> str:
    """A namespace of the module's own."""
    return _made(cluster)


@pytest.fixture
def fresh(cluster: Cluster) -> str:
    """A namespace of the test's own."""
    return _made(cluster)


@pytest.fixture
def maps(home: str) -> str:
    """Where the ConfigMaps of `home` are."""
    return f"/api/v1/namespaces/{home}/configmaps"


@pytest.fixture
def bindings(home: str) -> str:
    """Where the RoleBindings of `home` are."""
    return f"/apis/rbac.authorization.k8s.io/v1/namespaces/{home}/rolebindings"
