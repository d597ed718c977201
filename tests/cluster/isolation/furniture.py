"""What stands in the teams' namespaces, put there by an administrator."""

from collections.abc import Iterator
from typing import Any

from tests.cluster.isolation.company import AMBER, COBALT, FAVOURED
from tests.cluster.isolation.escapes.attempt import KUEUE, RBAC, at, queue, thing
from tests.cluster.isolation.escapes.tasks import LITTLE, MUCH, job, pod
from tests.kubernetes_api import Cluster

_CUSTOM = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# kinds of operators that the local cluster does not bring
_ABSENT = (("kubeflow.org", "PyTorchJob"), ("ray.io", "RayCluster"))


def put_up(administrator: Cluster) -> None:
    """Everything is there, and the two waiting tasks of each team have their Workloads."""
    for path, document in (*_kinds(), *_objects(), _favour()):
        status, answer = administrator.call("POST", path, document)
        assert status in (201, 409), answer


def workload(administrator: Cluster) -> str:
    """Name of the Workload of amber's waiting pod; empty if Kueue has not made it yet."""
    found = administrator.get(at(AMBER, f"workloads.{KUEUE}"))["items"]
    names = [each["metadata"]["name"] for each in found]
    return next((name for name in names if name.startswith("pod-waiting-")), "")


def _objects() -> Iterator[tuple[str, dict[str, Any]]]:
    ours = {"app.kubernetes.io/managed-by": "gpu-commons"}
    for namespace in (AMBER, COBALT):
        for name, resources in (("waiting", MUCH), ("running", LITTLE)):
            task = {"labels": queue(namespace), "container": {"resources": resources}}
            for plural, made in (("pods", pod(**task)), ("jobs.batch/v1", job(**task))):
                made["metadata"]["name"] = name
                yield at(namespace, plural), made
        yield at(namespace, "secrets"), thing("v1", "Secret", "keys")
        yield at(namespace, "configmaps"), thing("v1", "ConfigMap", "notes")
        yield at(namespace, "configmaps"), thing("v1", "ConfigMap", "ours", labels=ours)


def _favour() -> tuple[str, dict[str, Any]]:
    group = RBAC.partition("/")[0]
    subjects = [{"apiGroup": group, "kind": kind, "name": name} for kind, name in FAVOURED]
    role = {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"}
    binding = thing(RBAC, "RoleBinding", "by-hand", roleRef=role, subjects=subjects)
    return at(AMBER, f"rolebindings.{RBAC}"), binding


def _kinds() -> Iterator[tuple[str, dict[str, Any]]]:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    for group, kind in _ABSENT:
        plural = f"{kind.lower()}s"
        version = {"name": "v1", "served": True, "storage": True}
        spec = {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
            "versions": [{**version, "schema": {"openAPIV3Schema": anything}}],
        }
        yield (
            _CUSTOM,
            thing(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                f"{plural}.{group}",
                annotations={"api-approved.kubernetes.io": "unapproved, for tests"},
                spec=spec,
            ),
        )
