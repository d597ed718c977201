"""The product's own adapters: what they write they read again, and a second time they write not."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from commons.adapters.kubernetes import Kubernetes
from commons.adapters.namespace_shape import NamespaceShape
from commons.adapters.workloads import observe
from commons.domain import admission, cluster_roles, queue_hold
from commons.domain.errors import AccessDenied, ChangedMeanwhile
from commons.domain.membership import Member
from commons.domain.names import cluster_queue_name, local_queue_name, namespace_name
from local.services import quota_objects
from tests.contract.support import eventually
from tests.kubernetes_api import KUEUE, RBAC, Cluster

P5 = "ml.p5.48xlarge"
PEOPLE = [
    Member(user_id="1", user_name="ada@example.com", role="lead", state="active"),
    Member(user_id="2", user_name="bob@example.com", role="member", state="active"),
]


def quota(team: str, count: int = 2) -> dict[str, Any]:
    """A compute quota as SageMaker keeps it: its amounts filled in."""
    resources = {"InstanceType": P5, "Count": count, "Accelerators": 8 * count}
    return {
        "ActivationState": "Enabled",
        "ComputeQuotaTarget": {"TeamName": team, "FairShareWeight": 10},
        "ComputeQuotaConfig": {
            "ComputeQuotaResources": [
                {**resources, "VCpu": 192.0 * count, "MemoryInGiB": 2048.0 * count}
            ],
            "ResourceSharingConfig": {"Strategy": "LendAndBorrow", "BorrowLimit": 50},
            "PreemptTeamTasks": "LowerPriority",
        },
    }


def path(document: dict[str, Any]) -> str:
    plurals = {"Namespace": "namespaces", "ClusterQueue": "clusterqueues"}
    plurals |= {"LocalQueue": "localqueues", "ResourceFlavor": "resourceflavors"}
    version, meta = document["apiVersion"], document["metadata"]
    place = f"/namespaces/{meta['namespace']}" if "namespace" in meta else ""
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{root}{place}/{plurals[document['kind']]}/{meta['name']}"


def give(cluster: Cluster, record: dict[str, Any]) -> None:
    for document in quota_objects.objects(record):
        code, answer = cluster.apply(path(document), document, "sagemaker", force="true")
        assert code in {200, 201}, answer


@pytest.fixture
def team(cluster: Cluster) -> Iterator[str]:
    """A team whose quota has made its namespace and its queues."""
    name = f"team-{uuid.uuid4().hex[:8]}"
    give(cluster, quota(name))
    yield name
    for document in quota_objects.objects(quota(name)):
        if "Queue" in document["kind"]:  # others on this cluster would borrow from it
            cluster.call("DELETE", path(document))


@pytest.fixture
def kubernetes(cluster: Cluster) -> Kubernetes:
    def connect() -> Any:
        return cluster.lightkube(field_manager="commons", trust_env=False)

    return Kubernetes(connect, "hp-eks", "the administrator")


def versions(cluster: Cluster, namespace: str) -> dict[str, str]:
    """Of all that shaping a namespace writes."""
    place = f"namespaces/{namespace}"
    kinds = [
        f"{RBAC}/{place}/roles",
        f"{RBAC}/{place}/rolebindings",
        f"/apis/networking.k8s.io/v1/{place}/networkpolicies",
    ]
    found = {
        f"{kind}/{item['metadata']['name']}": item["metadata"]["resourceVersion"]
        for kind in kinds
        for item in cluster.get(kind)["items"]
    }
    quota = cluster.get(f"/api/v1/{place}/resourcequotas/commons-objects")
    own = cluster.get(f"/api/v1/{place}")
    return {**found, "quota": str(quota["spec"]), "self": own["metadata"]["resourceVersion"]}


def test_a_namespace_that_is_shaped_is_left_alone_the_next_time(
    cluster: Cluster, team: str, kubernetes: Kubernetes
) -> None:
    namespace = namespace_name(team)
    shape = NamespaceShape(kubernetes)
    assert len(shape.reach(team, None, namespace, PEOPLE, act=True).actions) > 5
    before = versions(cluster, namespace)
    assert shape.reach(team, None, namespace, PEOPLE, act=True).actions == []
    assert versions(cluster, namespace) == before


def test_a_namespace_keeps_the_labels_that_its_quota_gave_it(
    cluster: Cluster, team: str, kubernetes: Kubernetes
) -> None:
    namespace = namespace_name(team)
    NamespaceShape(kubernetes).reach(team, None, namespace, PEOPLE, act=True)
    give(cluster, quota(team, 3))
    labels = cluster.get(f"/api/v1/namespaces/{namespace}")["metadata"]["labels"]
    assert labels["sagemaker.amazonaws.com/sagemaker-managed-queue"] == "true"
    assert labels["gpu.commons/team"] == team


def test_what_somebody_changed_by_hand_is_put_right(
    cluster: Cluster, team: str, kubernetes: Kubernetes
) -> None:
    namespace = namespace_name(team)
    shape = NamespaceShape(kubernetes)
    shape.reach(team, None, namespace, PEOPLE, act=True)
    policies = f"/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies"
    open_up = {"spec": {"egress": [{}]}}
    merge = "application/merge-patch+json"
    cluster.call("PATCH", f"{policies}/commons-isolation", open_up, merge, fieldManager="person")
    actions = shape.reach(team, None, namespace, PEOPLE, act=True).actions
    assert actions == ["apply NetworkPolicy commons-isolation"]
    assert shape.reach(team, None, namespace, PEOPLE, act=True).actions == []
    cluster.call("DELETE", f"{RBAC}/namespaces/{namespace}/roles/commons-member")
    actions = shape.reach(team, None, namespace, PEOPLE, act=True).actions
    assert actions == ["apply Role commons-member"]


def test_people_who_leave_are_taken_out_of_the_binding(
    cluster: Cluster, team: str, kubernetes: Kubernetes
) -> None:
    namespace = namespace_name(team)
    shape = NamespaceShape(kubernetes)
    shape.reach(team, None, namespace, PEOPLE, act=True)
    actions = shape.reach(team, None, namespace, PEOPLE[:1], act=True).actions
    assert actions == ["delete RoleBinding commons-member"]
    names = cluster.names(f"{RBAC}/namespaces/{namespace}/rolebindings")
    assert "commons-member" not in names


def test_a_held_queue_stays_held_when_the_quota_changes(
    cluster: Cluster, team: str, kubernetes: Kubernetes
) -> None:
    namespace = namespace_name(team)
    shape = NamespaceShape(kubernetes)
    shape.reach(team, None, namespace, PEOPLE, act=True, state="frozen")
    give(cluster, quota(team, 3))
    queue = kubernetes.get("LocalQueue", local_queue_name(namespace), namespace)
    assert queue
    assert (queue_hold.policy(queue), queue_hold.is_held(queue)) == ("Hold", True)
    assert queue["spec"]["clusterQueue"] == cluster_queue_name(namespace)
    again = shape.reach(team, None, namespace, PEOPLE, act=True, state="frozen")
    assert not [each for each in again.actions if "stopPolicy" in each]
    shape.reach(team, None, namespace, PEOPLE, act=True)
    queue = kubernetes.get("LocalQueue", local_queue_name(namespace), namespace)
    assert queue
    assert (queue_hold.is_held(queue), queue_hold.HELD_FOR in str(queue["metadata"])) == (
        False,
        False,
    )


def test_the_clusters_rules_are_left_alone_the_next_time(
    cluster: Cluster, kubernetes: Kubernetes
) -> None:
    manifests = [*cluster_roles.manifests(), *admission.manifests()]

    def seen() -> dict[tuple[str, str], str]:
        found = {}
        for each in manifests:
            key = each["kind"], each["metadata"]["name"]
            document = kubernetes.get(*key)
            assert document
            found[key] = document["metadata"]["resourceVersion"]
        return found

    for each in manifests:
        kubernetes.apply(each)
    eventually(lambda: seen() == seen())  # a policy's types are checked when it is new
    before = seen()
    for each in manifests:
        kubernetes.apply(each)
    assert seen() == before


def test_policies_are_read_as_they_were_written(kubernetes: Kubernetes) -> None:
    for each in admission.manifests():
        kubernetes.apply(each)
    observed = [each for kind in admission.KINDS for each in kubernetes.list(kind)]
    assert admission.differences(observed) == []


def test_a_quota_that_is_given_again_changes_no_queue(cluster: Cluster, team: str) -> None:
    queue = next(d for d in quota_objects.objects(quota(team)) if d["kind"] == "ClusterQueue")
    give(cluster, quota(team))  # Kueue wrote the amounts of a new one in its own way
    before = eventually(lambda: _active(cluster, queue))
    give(cluster, quota(team))
    after = cluster.get(path(queue))
    assert after["spec"] == before["spec"]
    assert after["metadata"]["generation"] == before["metadata"]["generation"]
    [group] = after["spec"]["resourceGroups"]
    amounts = {each["name"]: each for each in group["flavors"][0]["resources"]}
    assert amounts["nvidia.com/gpu"] == {
        "name": "nvidia.com/gpu",
        "nominalQuota": "16",
        "borrowingLimit": "8",
    }


def _active(cluster: Cluster, queue: dict[str, Any]) -> Any:
    found = cluster.get(path(queue))
    conditions = (found.get("status") or {}).get("conditions") or []
    return found if [c for c in conditions if c["status"] == "True"] else None


def test_the_watch_reads_every_queue_with_what_is_its_own(
    cluster: Cluster, team: str, kubernetes: Kubernetes
) -> None:
    namespace = namespace_name(team)
    observed = observe(kubernetes)
    assert observed.unreadable == {}
    name, ceilings = observed.queues[namespace]
    assert name == cluster_queue_name(namespace)
    assert {kind: int(devices) for kind, devices in ceilings.items()} == {P5: 16}


def test_a_kind_that_the_cluster_does_not_serve_is_none(kubernetes: Kubernetes) -> None:
    assert kubernetes.get("Workload", "x", "nowhere") is None
    assert kubernetes.list("Workload", "nowhere") == []


def test_what_is_gone_is_deleted_without_complaint(kubernetes: Kubernetes) -> None:
    unwanted = {"kind": "Role", "metadata": {"name": "never", "namespace": "default"}}
    kubernetes.delete(unwanted)


def test_an_apply_to_a_namespace_that_is_gone_says_so(kubernetes: Kubernetes) -> None:
    wanted = {
        "apiVersion": f"{RBAC.removeprefix('/apis/')}",
        "kind": "Role",
        "metadata": {"name": "r", "namespace": "nowhere"},
        "rules": [],
    }
    with pytest.raises(ChangedMeanwhile, match="its namespace is gone"):
        kubernetes.apply(wanted)


def test_lists_are_read_to_their_end(cluster: Cluster, fresh: str, kubernetes: Kubernetes) -> None:
    roles = f"{RBAC}/namespaces/{fresh}/roles"
    for number in range(505):
        cluster.create(roles, {"metadata": {"name": f"r{number}"}, "rules": []})
    assert len(kubernetes.list("Role", fresh)) == 505


def test_the_authorizer_is_asked(kubernetes: Kubernetes) -> None:
    asked = {"verb": "get", "resource": "pods", "namespace": "default"}
    masters = {"user": "x", "groups": ["system:masters"], "resourceAttributes": asked}
    assert kubernetes.allows(masters)
    assert not kubernetes.allows({"user": "x", "resourceAttributes": asked})


def test_a_stranger_is_told_what_to_do(cluster: Cluster) -> None:
    stranger = cluster.signed_in("guessed")
    adapter = Kubernetes(lambda: stranger.lightkube(trust_env=False), "hp-eks", "stranger")
    with pytest.raises(AccessDenied, match="it needs an access entry"):
        adapter.get("Namespace", "default")


def test_the_queues_of_a_team_go_when_they_are_free(cluster: Cluster, team: str) -> None:
    documents = {d["kind"]: d for d in quota_objects.objects(quota(team))}
    eventually(lambda: _active(cluster, documents["ClusterQueue"]))
    for kind in ("LocalQueue", "ClusterQueue"):
        assert cluster.call("DELETE", path(documents[kind]))[0] == 200
    eventually(lambda: cluster.call("GET", path(documents["ClusterQueue"]))[0] == 404)
    assert cluster.call("GET", f"{KUEUE}/clusterqueues/nothing")[0] == 404
