"""What a tenant changes for nobody, whatever their roles."""

from typing import Any

import pytest

from tests.cluster.admission.api import (
    NAMESPACE,
    POD_OF_A_TENANT,
    STRANGER,
    TENANT,
    WRITER,
    Api,
    allowed,
    refused,
)
from tests.cluster.admission.things import WITH, pod, thing, workload

BEFORE = {"labels": {"app.kubernetes.io/managed-by": "gpu-commons"}}
FORBIDDEN: dict[str, tuple[Any, str]] = {
    "Workload": (workload("", "", 0), "queues and Workloads"),
    "LocalQueue": (
        thing("LocalQueue", "kueue.x-k8s.io/v1beta2", spec={"clusterQueue": "big"}),
        "queues and Workloads",
    ),
    "ResourceQuota": (thing("ResourceQuota", spec={}), "platform team's"),
    "LimitRange": (thing("LimitRange", spec={"limits": []}), "platform team's"),
    "NetworkPolicy": (
        thing("NetworkPolicy", "networking.k8s.io/v1", spec={"podSelector": {}}),
        "platform team's",
    ),
    "Role": (thing("Role", "rbac.authorization.k8s.io/v1", rules=[]), "directory groups"),
    "RoleBinding": (
        thing(
            "RoleBinding",
            "rbac.authorization.k8s.io/v1",
            subjects=[],
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        ),
        "directory groups",
    ),
    "token as a Secret": (
        thing(
            "Secret",
            annotations={"kubernetes.io/service-account.name": "default"},
            type="kubernetes.io/service-account-token",
        ),
        "a pod has one by itself",
    ),
    "address outside": (
        thing("Service", spec={"ports": [{"port": 80}], "externalIPs": ["192.0.2.1"]}),
        "externalIPs",
    ),
    "endpoints by hand": (thing("Endpoints", subsets=[]), "by its selector"),
    "slice of endpoints by hand": (
        thing("EndpointSlice", "discovery.k8s.io/v1", addressType="IPv4", endpoints=[]),
        "by its selector",
    ),
    "our label": (thing("ConfigMap", **BEFORE), "is the product's"),
}


@pytest.mark.parametrize("user", [TENANT, POD_OF_A_TENANT])
@pytest.mark.parametrize("what", list(FORBIDDEN))
def test_a_tenant_makes_none_of_these_by_whatever_role(api: Api, what: str, user: str) -> None:
    made, word = FORBIDDEN[what]

    refused(api.create(made, user), "guard", word)


@pytest.mark.parametrize("user", [STRANGER, WRITER])
@pytest.mark.parametrize("what", list(FORBIDDEN))
def test_others_are_not_hindered(api: Api, what: str, user: str) -> None:
    allowed(api.create(FORBIDDEN[what][0], user))


@pytest.mark.parametrize("what", ["LocalQueue", "ResourceQuota", "NetworkPolicy", "Role"])
def test_a_tenant_changes_and_deletes_none_of_these(api: Api, what: str) -> None:
    made = api.made(FORBIDDEN[what][0])

    refused(api.patch(made, {"metadata": {"labels": {"a": "b"}}}, TENANT), "guard")
    refused(api.delete(made, TENANT, dry=True), "guard")
    api.delete(made)


def test_a_tenant_forges_no_admission_and_may_end_a_task_by_its_workload(api: Api) -> None:
    made = api.made(workload("", "", 0))
    forged = {"status": {"conditions": []}}

    refused(api.patch(made, forged, TENANT, "/status"), "guard", "queues and Workloads")
    refused(api.patch(made, {"spec": {"active": False}}, TENANT), "guard", "queues and Workloads")
    allowed(api.delete(made, TENANT))


def test_a_tenant_writes_no_status(api: Api) -> None:
    made = api.made(pod(), TENANT)

    answer = api.patch(made, {"status": {"phase": "Succeeded"}}, TENANT, "/status")

    refused(answer, "guard", "only its controller writes pods/status")


def test_what_is_ours_cannot_be_changed_deleted_or_disowned(api: Api) -> None:
    ours = api.made(thing("ConfigMap", **BEFORE))
    disowned = {"metadata": {"labels": {"app.kubernetes.io/managed-by": "me"}}}

    refused(api.patch(ours, {"data": {"a": "b"}}, TENANT), "guard", "is the product's")
    refused(api.patch(ours, disowned, TENANT), "guard", "is the product's")
    refused(api.delete(ours, TENANT, dry=True), "guard", "is the product's")
    collection = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
    refused(api.call("DELETE", collection, None, TENANT, dryRun="All"), "guard")
    allowed(api.patch(ours, {"data": {"a": "b"}}, WRITER))


def test_a_tenant_gets_no_token_but_that_of_a_pod(api: Api) -> None:
    path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/default/token"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}

    refused(api.call("POST", path, request, TENANT), "guard", "serviceaccounts/token")


def test_a_tenant_adds_no_ephemeral_container(api: Api) -> None:
    made = api.made(pod(), TENANT)
    debug = {"spec": {"ephemeralContainers": [{"name": "d", "image": "i"}]}}

    answer = api.patch(made, debug, TENANT, "/ephemeralcontainers")

    refused(answer, "guard", "pods/ephemeralcontainers")


def test_a_tenant_enlarges_no_pod_that_the_queue_admitted(api: Api) -> None:
    asked = {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}
    made = api.made(pod(container={"resources": asked}), TENANT)
    larger = {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}
    change = [{"op": "replace", "path": "/spec/containers/0/resources", "value": larger}]

    refused(api.patch(made, change, TENANT, "/resize"), "guard", "pods/resize")


def test_a_tenant_binds_no_pod_to_a_node(api: Api) -> None:
    made = api.made(pod({"kueue.x-k8s.io/queue-name": "no-such-queue"}), TENANT)
    name = made["metadata"]["name"]
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "target": {"kind": "Node", "name": "node-1"},
    }

    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{name}/binding"
    refused(api.call("POST", path, binding, TENANT), "guard", "pods/binding")


def test_a_deployment_may_be_scaled(api: Api) -> None:
    made = api.made(WITH["deployment"], TENANT)

    allowed(api.patch(made, {"spec": {"replicas": 2}}, TENANT, "/scale"))
    allowed(api.delete(made, TENANT))


@pytest.mark.parametrize("user", [TENANT, POD_OF_A_TENANT])
def test_a_tenant_changes_nothing_outside_namespaces(api: Api, user: str) -> None:
    own = thing("Namespace", namespace=None, name=NAMESPACE)
    free = {"metadata": {"labels": {"gpu.commons/team": None}}}
    more = thing("ClusterQueue", "kueue.x-k8s.io/v1beta2", None, spec={})
    urgent = thing("WorkloadPriorityClass", "kueue.x-k8s.io/v1beta2", None, value=1000)

    refused(api.patch(own, free, user), "cluster", "namespaces are the platform team's")
    refused(api.delete(own, user, dry=True), "cluster")
    refused(api.create(thing("Namespace", namespace=None), user), "cluster")
    refused(api.create(more, user), "cluster", "clusterqueues")
    refused(api.create(urgent, user), "cluster", "workloadpriorityclasses")


def test_everybody_may_ask_what_they_may_do(api: Api) -> None:
    question = {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": NAMESPACE}}
    review = thing("SelfSubjectAccessReview", "authorization.k8s.io/v1", None, spec=question)
    del review["metadata"]["name"]

    allowed(api.create(review, TENANT, dry=False))


def test_where_no_team_is_the_policies_do_nothing(api: Api) -> None:
    free = pod({}, hostPID=True)
    free["metadata"]["namespace"] = "default"

    allowed(api.create(free, TENANT))
