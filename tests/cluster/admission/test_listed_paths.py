"""The paths of a node that a team's document lists may be mounted, and those only."""

import time
from collections.abc import Iterator

import pytest

from tests.cluster.admission.api import NAMESPACE, TENANT, Api, allowed, refused, said
from tests.cluster.admission.things import job, pod, thing, volume


@pytest.fixture
def host_paths(api: Api) -> Iterator[None]:
    namespace = thing("Namespace", namespace=None, name=NAMESPACE)
    name = "gpu.commons/host-paths"
    listed = {"metadata": {"annotations": {name: "/mnt/k8s-disks/0,/dev/infiniband"}}}
    allowed(api.patch(namespace, listed))
    until = time.monotonic() + 10
    while said(api.create(pod(**volume(hostPath={"path": "/dev/infiniband"})), TENANT)):
        assert time.monotonic() < until
        time.sleep(0.1)
    yield
    allowed(api.patch(namespace, {"metadata": {"annotations": {name: None}}}))


@pytest.mark.parametrize(
    "path",
    ["/", "/mnt", "/mnt/k8s-disks/00", "/mnt/k8s-disks/0/link", "/mnt/k8s-disks/0/", "//mnt"],
)
def test_a_path_that_only_looks_like_one_of_the_list_is_refused(
    api: Api, host_paths: None, path: str
) -> None:
    """Below a path that tenants write to may lie a link to anywhere."""
    answer = api.create(pod(**volume(hostPath={"path": path})), TENANT)

    refused(answer, "pods", f"host paths: {path} may", "allowed: /mnt/k8s-disks/0, /dev/infiniband")


def test_a_path_of_the_list_may_be_mounted(api: Api, host_paths: None) -> None:
    allowed(api.create(pod(**volume(hostPath={"path": "/mnt/k8s-disks/0"})), TENANT))
    allowed(api.create(job(**volume(hostPath={"path": "/dev/infiniband"})), TENANT))
