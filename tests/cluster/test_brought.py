"""A cluster that the user brings: the real one, as if somebody else had started it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from lightkube import ApiError, Client
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.models.rbac_v1 import RoleRef, Subject
from lightkube.resources.authentication_v1 import SelfSubjectReview
from lightkube.resources.core_v1 import ConfigMap, Namespace, Pod
from lightkube.resources.rbac_authorization_v1 import RoleBinding

from local import settings, supervisor
from local.cluster import Cluster
from local.controlplane import binaries
from local.services.fixtures import CLUSTER_ARN

from .started import Started, eventually, session

RBAC = "rbac.authorization.k8s.io"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    theirs, ours = tmp_path_factory.mktemp("theirs"), tmp_path_factory.mktemp("ours")
    try:
        supervisor.up(theirs, cluster=Cluster(kubernetes="real", nodes={}))
        file = theirs / "kubernetes" / "admin.kubeconfig"
        state = supervisor.up(ours, cluster=Cluster(kubernetes="brought", kubeconfig=file))
        assert state is not None
        yield Started(ours, state)
    finally:
        supervisor.down(ours)
        supervisor.down(theirs)


@pytest.fixture(scope="module")
def ada(cloud: Started) -> Client:
    """Signed in through a role and its access entry; viewer of the namespace `home`."""
    cloud.client("eks").create_access_entry(
        clusterName=settings.EKS_CLUSTER,
        principalArn=f"arn:aws:iam::{settings.ACCOUNT}:role/viewer",
        username="commons:{{SessionName}}",
    )
    for name in ("home", "next-door"):
        cloud.administrator.create(Namespace(metadata=ObjectMeta(name=name)))
    binding = RoleBinding(
        metadata=ObjectMeta(name="viewers", namespace="home"),
        roleRef=RoleRef(kind="ClusterRole", name="view", apiGroup=RBAC),
        subjects=[Subject(kind="User", name="commons:ada", apiGroup=RBAC)],
    )
    cloud.administrator.create(binding)
    return cloud.signed_in(session(cloud, "viewer"))


def test_a_person_is_known_there_by_the_name_of_the_access_entry(ada: Client):
    assert ada.create(SelfSubjectReview()).status.userInfo.username == "commons:ada"


def test_a_person_may_at_home_and_not_next_door(ada: Client):
    assert {one.metadata.name for one in ada.list(ConfigMap, namespace="home")} >= set()
    with pytest.raises(ApiError, match="is forbidden"):
        list(ada.list(ConfigMap, namespace="next-door"))


def test_a_watch_sees_what_happens(cloud: Started, ada: Client):
    watch = ada.watch(ConfigMap, namespace="home", server_timeout=20)
    made = ConfigMap(metadata=ObjectMeta(name="made", namespace="home"))
    cloud.administrator.create(made)
    assert next(one for event, one in watch if one.metadata.name == "made")


def test_a_quota_makes_its_namespace_and_queues_there(cloud: Started):
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
    made = "hyperpod-ns-team"
    eventually(lambda: made in {one.metadata.name for one in cloud.administrator.list(Namespace)})


def test_eks_tells_the_proxy_and_the_version_behind_it(cloud: Started):
    described = cloud.client("eks").describe_cluster(name=settings.EKS_CLUSTER)["cluster"]
    assert described["endpoint"] == cloud.endpoint
    assert described["version"].startswith("1.")


def test_kubectl_exec_is_refused_with_what_would_do(cloud: Started, tmp_path: Path):
    config = tmp_path / "config"
    config.write_text(_kubeconfig(cloud))
    cloud.administrator.create(_pod())
    command = [binaries.kubectl(), "--kubeconfig", str(config), "exec", "-n", "default", "a", "--"]
    said = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    assert said.returncode != 0
    assert "use its own kubeconfig" in said.stderr


def test_a_cluster_that_does_not_answer_is_told_at_once(tmp_path: Path):
    file = tmp_path / "config"
    file.write_text(
        yaml.safe_dump(
            {
                "current-context": "c",
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
                "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:9"}}],
                "users": [{"name": "c", "user": {"token": "t"}}],
            }
        )
    )
    chosen = Cluster(kubernetes="brought", kubeconfig=file)
    with pytest.raises(supervisor.PartFailed, match=r"127\.0\.0\.1:9 does not answer"):
        supervisor.up(tmp_path / "home", cluster=chosen)


def _pod() -> Pod:
    container = {"name": "main", "image": "none"}
    meta = {"name": "a", "namespace": "default"}
    return Pod.from_dict({"metadata": meta, "spec": {"containers": [container]}})


def _kubeconfig(cloud: Started) -> str:
    folder = cloud.home / "kubernetes"
    authority = {"server": cloud.endpoint, "certificate-authority": str(folder / "ca.crt")}
    token = (folder / "admin-token").read_text()
    document = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "clusters": [{"name": "c", "cluster": authority}],
        "users": [{"name": "c", "user": {"token": token}}],
    }
    return yaml.safe_dump(document)
