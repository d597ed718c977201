"""The real cluster as it starts: machines, kinds, sign-in, a task that is admitted; and its end."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lightkube import ApiError, Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.authentication_v1 import SelfSubjectReview
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Namespace, Node, Pod

from local import processes, settings, supervisor
from local.cluster import Cluster
from local.services.fixtures import CLUSTER_ARN

from .started import Started, eventually, session

ROLE = "arn:aws:iam::111122223333:role/reader"
NAMESPACE = "hyperpod-ns-team"
VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSAdminViewPolicy"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    home = tmp_path_factory.mktemp("real")
    chosen = Cluster(kubernetes="real", nodes={"ml.p5.48xlarge": 1, "ml.g5.8xlarge": 2})
    state = supervisor.up(home, cluster=chosen)
    assert state is not None
    yield Started(home, state)
    supervisor.down(home)


def test_the_machines_are_those_that_hyperpod_describes(cloud: Started):
    described = cloud.client("sagemaker").list_cluster_nodes(ClusterName="ml-shared-prod")
    wanted = {f"hyperpod-{node['InstanceId']}" for node in described["ClusterNodeSummaries"]}
    nodes = list(cloud.administrator.list(Node))
    assert {node.metadata.name for node in nodes} == wanted
    types = sorted(node.metadata.labels["node.kubernetes.io/instance-type"] for node in nodes)
    assert types == ["ml.g5.8xlarge", "ml.g5.8xlarge", "ml.p5.48xlarge"]


def test_eks_tells_the_version_and_the_endpoint_of_the_server_that_runs(cloud: Started):
    described = cloud.client("eks").describe_cluster(name=settings.EKS_CLUSTER)["cluster"]
    assert described["endpoint"] == cloud.endpoint
    assert described["version"] == cloud.state.fixtures["kubernetes_version"]
    assert tuple(map(int, described["version"].split("."))) >= (1, 36)


def test_a_role_without_an_access_entry_is_a_stranger(cloud: Started):
    with pytest.raises(ApiError) as refused:
        cloud.signed_in(session(cloud, "stranger")).create(SelfSubjectReview())
    assert refused.value.status.code == 401


def test_a_role_is_who_its_access_entry_says_and_may_what_its_policy_says(cloud: Started):
    credentials = session(cloud, "reader")
    cloud.client("eks").create_access_entry(
        clusterName=settings.EKS_CLUSTER, principalArn=ROLE, username="commons:{{SessionName}}"
    )
    somebody = cloud.signed_in(credentials)
    user = somebody.create(SelfSubjectReview()).status.userInfo
    assert user.username == "commons:ada"
    with pytest.raises(ApiError, match="forbidden"):
        list(somebody.list(Node))
    cloud.client("eks").associate_access_policy(
        clusterName=settings.EKS_CLUSTER,
        principalArn=ROLE,
        policyArn=VIEW,
        accessScope={"type": "cluster"},
    )
    assert len(eventually(lambda: _nodes(somebody))) == 3
    with pytest.raises(ApiError, match="forbidden"):
        somebody.create(Namespace(metadata=ObjectMeta(name="mine")))


def test_a_task_waits_is_admitted_and_runs_on_a_machine(cloud: Started):
    administrator = cloud.administrator
    _give_quota(cloud)
    eventually(lambda: _exists(administrator))
    administrator.create(_job("train", devices=8))
    administrator.create(_job("waits", devices=1))
    pod = eventually(lambda: _running(administrator, "train"))
    node = administrator.get(Node, pod.spec.nodeName)
    assert node.metadata.labels["node.kubernetes.io/instance-type"] == "ml.p5.48xlarge"
    assert administrator.get(Job, "waits", namespace=NAMESPACE).spec.suspend
    finished = {"status": {"phase": "Succeeded"}}
    administrator.patch(Pod.Status, pod.metadata.name, finished, namespace=NAMESPACE)
    eventually(lambda: _running(administrator, "waits"))


def test_down_ends_all_within_seconds(tmp_path: Path):
    state = supervisor.up(tmp_path, cluster=Cluster(kubernetes="real", nodes={}))
    assert state is not None
    children = _children(state.parts["kubernetes"].pid)
    began = time.monotonic()
    supervisor.down(tmp_path)
    assert time.monotonic() - began < 5
    assert not any(map(processes._start_time, children))


# the last one: the cluster of these tests does not outlive it
def test_a_process_that_dies_ends_the_part_which_names_it(cloud: Started):
    part = cloud.state.parts["kubernetes"]
    children = _children(part.pid)
    assert len(children) == 6
    scheduler = next(pid for pid, words in children.items() if "scheduler" in words)
    os.kill(scheduler, signal.SIGKILL)
    eventually(lambda: not processes.alive(part), 5)
    assert "scheduler ended by itself" in (cloud.home / "logs/kubernetes.log").read_text()
    assert not any(map(processes._start_time, children))


def _nodes(somebody: Client) -> list[Node]:
    """None while the server still believes what it heard of them some seconds ago."""
    try:
        return list(somebody.list(Node))
    except ApiError:
        return []


def _give_quota(cloud: Started) -> None:
    cloud.client("sagemaker").create_compute_quota(
        Name="team",
        ClusterArn=CLUSTER_ARN,
        ComputeQuotaTarget={"TeamName": "team", "FairShareWeight": 10},
        ComputeQuotaConfig={
            "ComputeQuotaResources": [{"InstanceType": "ml.p5.48xlarge", "Count": 1}],
            "ResourceSharingConfig": {"Strategy": "DontLend"},
            "PreemptTeamTasks": "LowerPriority",
        },
    )


def _exists(administrator: Client) -> bool:
    queues = create_namespaced_resource("kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues")
    found = list(administrator.list(queues, namespace=NAMESPACE))
    return bool(found)


def _job(name: str, devices: int) -> Job:
    asked = {"requests": {"nvidia.com/gpu": str(devices), "cpu": "1", "memory": "1Gi"}}
    asked["limits"] = {"nvidia.com/gpu": str(devices)}
    container = {"name": "main", "image": "none", "resources": asked}
    return Job.from_dict(
        {
            "metadata": {
                "name": name,
                "namespace": NAMESPACE,
                "labels": {"kueue.x-k8s.io/queue-name": f"{NAMESPACE}-localqueue"},
            },
            "spec": {
                "suspend": True,
                "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
            },
        }
    )


def _running(administrator: Client, job: str) -> Pod | None:
    pods = administrator.list(Pod, namespace=NAMESPACE, labels={"job-name": job})
    return next((pod for pod in pods if pod.status and pod.status.phase == "Running"), None)


def _children(parent: int) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_text().split("\0")
        except OSError:
            continue  # it ended meanwhile
        if int(after_name[1]) == parent:
            found[int(folder.name)] = words
    return found
