"""What stands in the teams' namespaces, put there by an administrator."""

from collections.abc import Iterator
from typing import Any

from tests.cluster.isolation.company import AMBER, COBALT, FAVOURED
from tests.cluster.isolation.escapes.attempt import KUEUE, RBAC, at, queue, thing
from tests.cluster.isolation.escapes.tasks import CUSTOM, LITTLE, MUCH, job, of_template, pod
from tests.kubernetes_api import Cluster

_CUSTOM = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def put_up(administrator: Cluster) -> None:
    """Everything is there, and the two waiting tasks of each team have their Workloads."""
    for path, document in (*_kinds(), *_objects(), *_favours()):
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
        service = of_template("Deployment", queue(namespace))
        service["metadata"]["name"] = "service"
        service["spec"]["replicas"] = 0
        yield at(namespace, "deployments.apps/v1"), service
        yield at(namespace, "secrets"), thing("v1", "Secret", "keys")
        yield at(namespace, "configmaps"), thing("v1", "ConfigMap", "notes")
        yield at(namespace, "configmaps"), thing("v1", "ConfigMap", "ours", labels=ours)


def _favours() -> Iterator[tuple[str, dict[str, Any]]]:
    """In amber's namespace all, and in the whole cluster two rights for one of them."""
    group = RBAC.partition("/")[0]
    subjects = [{"apiGroup": group, "kind": kind, "name": name} for kind, name in FAVOURED]
    given = {"apiGroup": group, "kind": "ClusterRole"}
    everything = {"roleRef": {**given, "name": "cluster-admin"}, "subjects": subjects}
    yield at(AMBER, f"rolebindings.{RBAC}"), thing(RBAC, "RoleBinding", "by-hand", **everything)
    rules = [
        {"apiGroups": [""], "resources": ["nodes/proxy"], "verbs": ["*"]},
        {"apiGroups": [KUEUE.partition("/")[0]], "resources": ["*"], "verbs": ["*"]},
    ]
    yield f"/apis/{RBAC}/clusterroles", thing(RBAC, "ClusterRole", "by-hand", rules=rules)
    two = {"roleRef": {**given, "name": "by-hand"}, "subjects": subjects[:1]}
    yield f"/apis/{RBAC}/clusterrolebindings", thing(RBAC, "ClusterRoleBinding", "by-hand", **two)


def _kinds() -> Iterator[tuple[str, dict[str, Any]]]:
    """Of operators; those that the local cluster brings are there already."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    for api, plural, kind in CUSTOM:
        group = api.partition("/")[0]
        version = {"name": api.partition("/")[2], "served": True, "storage": True}
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
