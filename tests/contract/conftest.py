"""The cluster that the contract is tried on: the embedded one, or the real one where asked for."""

import os
import uuid
from typing import Any

import pytest

from local import settings
from tests.clouds import Parts
from tests.kubernetes_api import Cluster, namespace
from tests.local.kubernetes_process import running


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The administrator's view."""
    if os.environ.get("COMMONS_TEST_KUBERNETES", "embedded") == "embedded":
        with running(tmp_path_factory.mktemp("kubernetes")) as started:
            yield started
        return
    parts: Parts = request.getfixturevalue("parts")
    state, files = parts.state, parts.home / "kubernetes"
    endpoint = settings.kubernetes_endpoint(state.ports, state.kubernetes, settings.EKS_CLUSTER)
    yield Cluster(endpoint, files / "ca.crt", (files / "admin-token").read_text())


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
