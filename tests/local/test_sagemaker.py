"""Clusters, compute quotas and cluster policies against the real processes."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests
from botocore.exceptions import ClientError

from tests.local.directory_process import CHECKOUT, Directory, conforms, eventually, running

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
KUEUE = "apis/kueue.x-k8s.io/v1beta2"
LABELS = "sagemaker.amazonaws.com"


class Kubernetes:
    """The embedded Kubernetes, read as its administrator."""

    def __init__(self, home: Path, port: int) -> None:
        self.home, self.url = home, f"https://127.0.0.1:{port}"

    def get(self, path: str, cluster: str = "hp-eks") -> dict[str, Any] | None:
        answer = requests.get(
            f"{self.url}/clusters/{cluster}/{path}",
            headers={"Authorization": f"Bearer {self._file('admin-token').read_text()}"},
            verify=str(self._file("ca.crt")),
            timeout=5,
        )
        return answer.json() if answer.ok else None

    def queue(self, team: str) -> dict[str, Any] | None:
        return self.get(f"{KUEUE}/clusterqueues/hyperpod-ns-{team}-clusterqueue")

    def local_queue(self, team: str) -> dict[str, Any] | None:
        name = f"hyperpod-ns-{team}"
        return self.get(f"{KUEUE}/namespaces/{name}/localqueues/{name}-localqueue")

    def _file(self, name: str) -> Path:
        return self.home / "kubernetes" / name


@pytest.fixture(scope="module")
def kubernetes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubernetes]:
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        "COMMONS_LOCAL_HOME": str(home),
        "COMMONS_LOCAL_PORT": str(port),
        "COMMONS_LOCAL_GATEWAY_URL": "http://127.0.0.1:9",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "local.kubernetes"], cwd=CHECKOUT, env={**os.environ, **environment}
    )
    try:
        eventually(lambda: _listens(port) or process.poll() is not None, bool, 30)
        yield Kubernetes(home, port)
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def directory(kubernetes: Kubernetes) -> Iterator[Directory]:
    with running(
        COMMONS_LOCAL_KUBERNETES_URL=kubernetes.url, COMMONS_LOCAL_HOME=str(kubernetes.home)
    ) as part:
        yield part


@pytest.fixture(scope="module")
def slow(kubernetes: Kubernetes) -> Iterator[Directory]:
    with running(
        COMMONS_LOCAL_KUBERNETES_URL=kubernetes.url,
        COMMONS_LOCAL_HOME=str(kubernetes.home),
        COMMONS_LOCAL_DELAY="1",
    ) as part:
        yield part


@pytest.fixture
def sagemaker(directory: Directory) -> Any:
    return directory.client("sagemaker")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def make_quota(sagemaker: Any, team: str, **changes: Any) -> str:
    answer = sagemaker.create_compute_quota(
        **{
            "Name": f"commons-ab12cd34ef56-{team}",
            "ClusterArn": CLUSTER,
            "ComputeQuotaConfig": config({"InstanceType": "ml.p5.48xlarge", "Accelerators": 4}),
            "ComputeQuotaTarget": {"TeamName": team, "FairShareWeight": 50},
            **changes,
        }
    )
    conforms("sagemaker", "CreateComputeQuota", answer)
    return str(answer["ComputeQuotaId"])


def config(*entries: dict[str, Any], **sharing: Any) -> dict[str, Any]:
    strategy = {"Strategy": "LendAndBorrow", "BorrowLimit": 50}
    return {
        "ComputeQuotaResources": list(entries),
        "ResourceSharingConfig": {**strategy, **sharing},
        "PreemptTeamTasks": "LowerPriority",
    }


def quota_with(sagemaker: Any, quota_id: str, *statuses: str) -> dict[str, Any]:
    def ask() -> dict[str, Any]:
        answer = sagemaker.describe_compute_quota(ComputeQuotaId=quota_id)
        conforms("sagemaker", "DescribeComputeQuota", answer)
        return dict(answer)

    return dict(eventually(ask, lambda quota: quota["Status"] in statuses))


def appears(look: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
    return dict(eventually(look, lambda found: found is not None))


def flavors(queue: dict[str, Any]) -> dict[str, dict[str, dict[str, str]]]:
    return {
        flavor["name"]: {r.pop("name"): r for r in flavor["resources"]}
        for group in queue["spec"]["resourceGroups"]
        for flavor in group["flavors"]
    }


def refused(call: Callable[..., Any], code: str, **arguments: Any) -> str:
    with pytest.raises(ClientError) as refusal:
        call(**arguments)
    error = refusal.value.response["Error"]
    assert error["Code"] == code
    return str(error["Message"])


def test_the_shared_cluster_is_there_from_the_start(sagemaker: Any) -> None:
    cluster = sagemaker.describe_cluster(ClusterName=CLUSTER)
    conforms("sagemaker", "DescribeCluster", cluster)
    assert (cluster["ClusterName"], cluster["ClusterStatus"]) == ("ml-shared-prod", "InService")
    eks = cluster["Orchestrator"]["Eks"]["ClusterArn"]
    assert eks == "arn:aws:eks:us-west-2:111122223333:cluster/hp-eks"
    groups = {g["InstanceType"]: g["CurrentCount"] for g in cluster["InstanceGroups"]}
    assert groups == {"ml.p5.48xlarge": 4, "ml.c5.4xlarge": 2}
    by_name = sagemaker.describe_cluster(ClusterName="ml-shared-prod")
    assert by_name["ClusterArn"] == CLUSTER
    listed = sagemaker.list_clusters(NameContains="shared")
    conforms("sagemaker", "ListClusters", listed)
    assert [c["ClusterArn"] for c in listed["ClusterSummaries"]] == [CLUSTER]
    refused(sagemaker.describe_cluster, "ResourceNotFound", ClusterName="nobody")


def test_nodes_come_in_pages_and_by_group(sagemaker: Any) -> None:
    first = sagemaker.list_cluster_nodes(ClusterName=CLUSTER, MaxResults=4)
    conforms("sagemaker", "ListClusterNodes", first)
    rest = sagemaker.list_cluster_nodes(ClusterName=CLUSTER, NextToken=first["NextToken"])
    nodes = first["ClusterNodeSummaries"] + rest["ClusterNodeSummaries"]
    assert len({node["InstanceId"] for node in nodes}) == 6
    cpu = sagemaker.list_cluster_nodes(ClusterName=CLUSTER, InstanceGroupNameContains="cpu")
    assert [n["InstanceType"] for n in cpu["ClusterNodeSummaries"]] == ["ml.c5.4xlarge"] * 2


def test_a_second_cluster_comes_into_service_and_goes(sagemaker: Any) -> None:
    group = {
        "InstanceGroupName": "gpu",
        "InstanceType": "ml.g5.xlarge",
        "InstanceCount": 1,
        "ExecutionRole": "arn:aws:iam::111122223333:role/nodes",
    }
    eks = "arn:aws:eks:us-west-2:111122223333:cluster/other-eks"
    wanted = {"ClusterName": "other", "InstanceGroups": [group]}
    created = sagemaker.create_cluster(**wanted, Orchestrator={"Eks": {"ClusterArn": eks}})
    conforms("sagemaker", "CreateCluster", created)
    refused(sagemaker.create_cluster, "ResourceInUse", **wanted)
    eventually(
        lambda: sagemaker.describe_cluster(ClusterName="other")["ClusterStatus"],
        lambda status: status == "InService",
    )
    quota_id = make_quota(sagemaker, "elsewhere", ClusterArn=created["ClusterArn"])
    refused(sagemaker.delete_cluster, "ConflictException", ClusterName="other")
    quota_with(sagemaker, quota_id, "Created")
    sagemaker.delete_compute_quota(ComputeQuotaId=quota_id)
    quota_with(sagemaker, quota_id, "Deleted")
    deleted = sagemaker.delete_cluster(ClusterName="other")
    conforms("sagemaker", "DeleteCluster", deleted)
    refused(sagemaker.describe_cluster, "ResourceNotFound", ClusterName="other")


def test_a_slurm_cluster_takes_no_quota(sagemaker: Any) -> None:
    group = {
        "InstanceGroupName": "cpu",
        "InstanceType": "ml.c5.large",
        "InstanceCount": 1,
        "ExecutionRole": "arn:aws:iam::111122223333:role/nodes",
    }
    arn = sagemaker.create_cluster(ClusterName="slurm", InstanceGroups=[group])["ClusterArn"]
    refused(make_quota, "ValidationException", sagemaker=sagemaker, team="slurmy", ClusterArn=arn)


def test_a_quota_is_created_and_then_kubernetes_has_its_objects(
    sagemaker: Any, kubernetes: Kubernetes
) -> None:
    quota_id = make_quota(sagemaker, "vision")
    assert quota_with(sagemaker, quota_id, "Creating", "Created")["ComputeQuotaVersion"] == 1
    quota = quota_with(sagemaker, quota_id, "Created")
    [filled] = quota["ComputeQuotaConfig"]["ComputeQuotaResources"]
    assert filled == {
        "InstanceType": "ml.p5.48xlarge",
        "Accelerators": 4,
        "VCpu": 96.0,
        "MemoryInGiB": 1024.0,
    }
    assert quota["CreatedBy"]["IamIdentity"]["Arn"] == "arn:aws:iam::111122223333:root"
    appears(lambda: kubernetes.local_queue("vision"))
    namespace = appears(lambda: kubernetes.get("api/v1/namespaces/hyperpod-ns-vision"))
    governed = {
        f"{LABELS}/sagemaker-managed-queue": "true",
        f"{LABELS}/quota-allocation-id": "vision",
        f"{LABELS}/activate-quota": "Enabled",
    }
    assert governed.items() <= namespace["metadata"]["labels"].items()
    queue = appears(lambda: kubernetes.queue("vision"))
    assert queue["spec"]["cohortName"] == "shared-pool"
    assert queue["spec"]["fairSharing"]["weight"] == "50"
    assert queue["spec"]["preemption"]["withinClusterQueue"] == "LowerPriority"
    resources = flavors(queue)["ml.p5.48xlarge"]
    assert resources["nvidia.com/gpu"] == {"nominalQuota": "4", "borrowingLimit": "2"}
    assert resources["cpu"] == {"nominalQuota": "96", "borrowingLimit": "48"}
    assert resources["memory"] == {"nominalQuota": "1024Gi", "borrowingLimit": "512Gi"}
    flavor = appears(lambda: kubernetes.get(f"{KUEUE}/resourceflavors/ml.p5.48xlarge"))
    assert flavor["spec"]["nodeLabels"] == {"node.kubernetes.io/instance-type": "ml.p5.48xlarge"}


def test_the_objects_come_after_the_status(slow: Directory, kubernetes: Kubernetes) -> None:
    sagemaker = slow.client("sagemaker")
    quota_id = make_quota(sagemaker, "early")
    quota_with(sagemaker, quota_id, "Created")
    assert kubernetes.queue("early") is None
    assert slow.call("GET", "under-way")["steps"] == ["create commons-ab12cd34ef56-early"]
    appears(lambda: kubernetes.queue("early"))


def test_a_namespace_that_was_there_before_keeps_its_labels(
    sagemaker: Any, kubernetes: Kubernetes
) -> None:
    path = f"{kubernetes.url}/clusters/hp-eks/api/v1/namespaces"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "hyperpod-ns-before"}}
    body["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "baseline"}
    token = kubernetes.home.joinpath("kubernetes", "admin-token").read_text()
    ca = str(kubernetes.home / "kubernetes" / "ca.crt")
    headers = {"Authorization": f"Bearer {token}"}
    requests.post(path, json=body, headers=headers, verify=ca, timeout=5).raise_for_status()
    make_quota(sagemaker, "before")
    appears(lambda: kubernetes.local_queue("before"))
    namespace = appears(lambda: kubernetes.get("api/v1/namespaces/hyperpod-ns-before"))
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"
    assert namespace["metadata"]["labels"][f"{LABELS}/activate-quota"] == "Enabled"


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        ({"InstanceType": "ml.c5.4xlarge", "VCpu": 8.0}, (0, 8.0, 16.0)),
        ({"InstanceType": "ml.c5.4xlarge", "MemoryInGiB": 8.0}, (0, 4.0, 8.0)),
        ({"InstanceType": "ml.p5.48xlarge", "VCpu": 96.0}, (0, 96.0, 1024.0)),
        ({"InstanceType": "ml.p5.48xlarge", "Count": 2}, (16, 384.0, 4096.0)),
        ({"InstanceType": "ml.p5.48xlarge", "Accelerators": 1, "VCpu": 10.0}, (1, 10.0, 256.0)),
    ],
)
def test_amounts_are_filled_by_ratio(
    sagemaker: Any, request: pytest.FixtureRequest, given: Any, filled: tuple[int, float, float]
) -> None:
    team = f"fill-{request.node.callspec.indices['given']}"
    quota_id = make_quota(sagemaker, team, ComputeQuotaConfig=config(given))
    quota = sagemaker.describe_compute_quota(ComputeQuotaId=quota_id)
    [entry] = quota["ComputeQuotaConfig"]["ComputeQuotaResources"]
    assert (entry["Accelerators"], entry["VCpu"], entry["MemoryInGiB"]) == filled
    assert given.items() <= entry.items()


def test_strategies_become_limits_of_the_queue(sagemaker: Any, kubernetes: Kubernetes) -> None:
    entry = {"InstanceType": "ml.p5.48xlarge", "Accelerators": 8}
    for team, sharing in (
        ("lender", {"Strategy": "Lend"}),
        ("loner", {"Strategy": "DontLend"}),
        (
            "absolute",
            {
                "Strategy": "LendAndBorrow",
                "AbsoluteBorrowLimits": [{"InstanceType": "ml.p5.48xlarge", "Accelerators": 3}],
            },
        ),
    ):
        given = {
            "ComputeQuotaResources": [entry],
            "ResourceSharingConfig": sharing,
        }
        make_quota(sagemaker, team, ComputeQuotaConfig=given)

    def gpus(team: str) -> dict[str, str]:
        queue = appears(lambda: kubernetes.queue(team))
        return flavors(queue)["ml.p5.48xlarge"]["nvidia.com/gpu"]

    assert gpus("lender") == {"nominalQuota": "8", "borrowingLimit": "0"}
    assert gpus("loner") == {"nominalQuota": "8", "borrowingLimit": "0", "lendingLimit": "0"}
    assert gpus("absolute") == {"nominalQuota": "8", "borrowingLimit": "3"}


def test_every_flavor_covers_every_resource(sagemaker: Any, kubernetes: Kubernetes) -> None:
    mixed = config(
        {"InstanceType": "ml.p5.48xlarge", "Accelerators": 8},
        {"InstanceType": "ml.c5.4xlarge", "Count": 1},
    )
    make_quota(sagemaker, "mixed", ComputeQuotaConfig=mixed)
    queue = appears(lambda: kubernetes.queue("mixed"))
    [group] = queue["spec"]["resourceGroups"]
    assert group["coveredResources"] == ["cpu", "memory", "nvidia.com/gpu"]
    assert flavors(queue)["ml.c5.4xlarge"]["nvidia.com/gpu"]["nominalQuota"] == "0"


def test_an_update_makes_a_version_and_changes_the_queue(
    sagemaker: Any, kubernetes: Kubernetes
) -> None:
    quota_id = make_quota(sagemaker, "growing")
    quota_with(sagemaker, quota_id, "Created")
    more = config({"InstanceType": "ml.p5.48xlarge", "Accelerators": 8})
    updated = sagemaker.update_compute_quota(
        ComputeQuotaId=quota_id, TargetVersion=1, ComputeQuotaConfig=more
    )
    conforms("sagemaker", "UpdateComputeQuota", updated)
    assert updated["ComputeQuotaVersion"] == 2
    quota_with(sagemaker, quota_id, "Updated")
    eventually(
        lambda: flavors(appears(lambda: kubernetes.queue("growing")))["ml.p5.48xlarge"],
        lambda found: found["nvidia.com/gpu"]["nominalQuota"] == "8",
    )
    old = sagemaker.describe_compute_quota(ComputeQuotaId=quota_id, ComputeQuotaVersion=1)
    [entry] = old["ComputeQuotaConfig"]["ComputeQuotaResources"]
    assert entry["Accelerators"] == 4


def test_a_stale_version_is_a_conflict(sagemaker: Any) -> None:
    quota_id = make_quota(sagemaker, "stale")
    quota_with(sagemaker, quota_id, "Created")
    told = refused(
        sagemaker.update_compute_quota,
        "ConflictException",
        ComputeQuotaId=quota_id,
        TargetVersion=7,
        Description="late",
    )
    assert "7" in told


def test_an_update_while_one_is_under_way_is_a_conflict(slow: Directory) -> None:
    sagemaker = slow.client("sagemaker")
    quota_id = make_quota(sagemaker, "busy")
    refused(
        sagemaker.update_compute_quota,
        "ConflictException",
        ComputeQuotaId=quota_id,
        TargetVersion=1,
        Description="early",
    )


def test_names_and_teams_are_once_a_cluster(sagemaker: Any) -> None:
    make_quota(sagemaker, "single", Name="the-name")
    refused(make_quota, "ConflictException", sagemaker=sagemaker, team="another", Name="the-name")
    refused(make_quota, "ConflictException", sagemaker=sagemaker, team="single", Name="new-name")


def test_what_the_model_forbids_is_refused(sagemaker: Any) -> None:
    refused(make_quota, "ValidationException", sagemaker=sagemaker, team="Upper")
    refused(make_quota, "ValidationException", sagemaker=sagemaker, team="idle-resource-sharing-1")
    unknown = config({"InstanceType": "ml.invented.large", "Count": 1})
    refused(
        make_quota,
        "ValidationException",
        sagemaker=sagemaker,
        team="invented",
        ComputeQuotaConfig=unknown,
    )
    cpu = config({"InstanceType": "ml.c5.4xlarge", "Accelerators": 1})
    refused(
        make_quota, "ValidationException", sagemaker=sagemaker, team="cpu", ComputeQuotaConfig=cpu
    )


def test_a_deleted_quota_takes_its_queues_and_leaves_the_namespace(
    sagemaker: Any, kubernetes: Kubernetes
) -> None:
    quota_id = make_quota(sagemaker, "leaving")
    appears(lambda: kubernetes.local_queue("leaving"))
    sagemaker.delete_compute_quota(ComputeQuotaId=quota_id)
    quota_with(sagemaker, quota_id, "Deleted")
    assert kubernetes.queue("leaving") is None
    assert kubernetes.local_queue("leaving") is None
    assert kubernetes.get("api/v1/namespaces/hyperpod-ns-leaving") is not None
    refused(sagemaker.delete_compute_quota, "ResourceNotFound", ComputeQuotaId=quota_id)
    refused(sagemaker.describe_compute_quota, "ResourceNotFound", ComputeQuotaId="000000000000")
    again = make_quota(sagemaker, "leaving")
    quota_with(sagemaker, again, "Created")


def test_quotas_are_listed_by_filter_order_and_page(sagemaker: Any) -> None:
    for team in ("list-b", "list-a", "list-c"):
        make_quota(sagemaker, team)
    wanted = {"ClusterArn": CLUSTER, "NameContains": "list", "SortBy": "Name"}
    first = sagemaker.list_compute_quotas(**wanted, MaxResults=2)
    conforms("sagemaker", "ListComputeQuotas", first)
    rest = sagemaker.list_compute_quotas(**wanted, NextToken=first["NextToken"])
    summaries = first["ComputeQuotaSummaries"] + rest["ComputeQuotaSummaries"]
    teams = [each["ComputeQuotaTarget"]["TeamName"] for each in summaries]
    assert teams == ["list-a", "list-b", "list-c"]
    turned = sagemaker.list_compute_quotas(**wanted, SortOrder="Descending", MaxResults=1)
    assert turned["ComputeQuotaSummaries"][0]["Name"].endswith("list-c")
    none = sagemaker.list_compute_quotas(**wanted, Status="DeleteFailed")
    assert none["ComputeQuotaSummaries"] == []
    before = sagemaker.list_compute_quotas(**wanted, CreatedBefore=datetime(2020, 1, 1, tzinfo=UTC))
    assert before["ComputeQuotaSummaries"] == []


def test_tags_of_a_quota_are_kept(sagemaker: Any) -> None:
    quota_id = make_quota(sagemaker, "tagged", Tags=[{"Key": "team", "Value": "tagged"}])
    arn = sagemaker.describe_compute_quota(ComputeQuotaId=quota_id)["ComputeQuotaArn"]
    sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": "owner", "Value": "commons"}])
    listed = sagemaker.list_tags(ResourceArn=arn)
    conforms("sagemaker", "ListTags", listed)
    assert {tag["Key"] for tag in listed["Tags"]} == {"team", "owner"}
    sagemaker.delete_tags(ResourceArn=arn, TagKeys=["team"])
    assert [tag["Key"] for tag in sagemaker.list_tags(ResourceArn=arn)["Tags"]] == ["owner"]


def test_the_calendar_dates_a_quota_and_its_queue(
    directory: Directory, sagemaker: Any, kubernetes: Kubernetes
) -> None:
    directory.call("PUT", "calendar", {"now": "2026-10-01T08:00:00Z"})
    try:
        quota_id = make_quota(sagemaker, "past")
        quota = sagemaker.describe_compute_quota(ComputeQuotaId=quota_id)
        assert quota["CreationTime"] == datetime(2026, 10, 1, 8, tzinfo=UTC)

        def since() -> str | None:
            queue = kubernetes.queue("past") or {}
            conditions = queue.get("status", {}).get("conditions") or [{}]
            return conditions[0].get("lastTransitionTime")

        eventually(since, lambda time: time == "2026-10-01T08:00:00Z")
    finally:
        assert directory.call("PUT", "calendar", {"now": None}) == {"now": None}
    later = make_quota(sagemaker, "present")
    created = sagemaker.describe_compute_quota(ComputeQuotaId=later)["CreationTime"]
    assert created > datetime(2026, 10, 2, tzinfo=UTC)


def test_without_kubernetes_a_quota_fails_and_says_why() -> None:
    with running(COMMONS_LOCAL_KUBERNETES_URL="https://127.0.0.1:9") as part:
        sagemaker = part.client("sagemaker")
        quota = quota_with(sagemaker, make_quota(sagemaker, "alone"), "CreateFailed")
        assert "token" in quota["FailureReason"]


def test_a_cluster_policy_makes_priority_classes_and_updates_them(
    sagemaker: Any, kubernetes: Kubernetes
) -> None:
    created = sagemaker.create_cluster_scheduler_config(
        Name="policy-ab12cd34ef56",
        ClusterArn=CLUSTER,
        SchedulerConfig={
            "PriorityClasses": [
                {"Name": "training", "Weight": 80},
                {"Name": "experiments", "Weight": 20},
            ]
        },
    )
    conforms("sagemaker", "CreateClusterSchedulerConfig", created)
    identity = {"ClusterSchedulerConfigId": created["ClusterSchedulerConfigId"]}

    def with_status(status: str) -> dict[str, Any]:
        def ask() -> dict[str, Any]:
            answer = sagemaker.describe_cluster_scheduler_config(**identity)
            conforms("sagemaker", "DescribeClusterSchedulerConfig", answer)
            return dict(answer)

        return dict(eventually(ask, lambda found: found["Status"] == status))

    policy = with_status("Created")
    assert policy["SchedulerConfig"]["FairShare"] == "Enabled"
    assert policy["SchedulerConfig"]["IdleResourceSharing"] == "Disabled"
    assert set(policy["StatusDetails"].values()) == {"Created"}

    def weight(name: str) -> int | None:
        found = kubernetes.get(f"{KUEUE}/workloadpriorityclasses/{name}-priority")
        return found["value"] if found else None

    eventually(lambda: (weight("training"), weight("experiments")), lambda w: w == (80, 20))
    second = {"Name": "second", "ClusterArn": CLUSTER, "SchedulerConfig": {}}
    refused(sagemaker.create_cluster_scheduler_config, "ConflictException", **second)
    listed = sagemaker.list_cluster_scheduler_configs(ClusterArn=CLUSTER)
    conforms("sagemaker", "ListClusterSchedulerConfigs", listed)
    assert len(listed["ClusterSchedulerConfigSummaries"]) == 1
    updated = sagemaker.update_cluster_scheduler_config(
        **identity,
        TargetVersion=1,
        SchedulerConfig={"PriorityClasses": [{"Name": "training", "Weight": 90}]},
    )
    conforms("sagemaker", "UpdateClusterSchedulerConfig", updated)
    with_status("Updated")
    eventually(lambda: (weight("training"), weight("experiments")), lambda w: w == (90, None))
    sagemaker.delete_cluster_scheduler_config(**identity)
    with_status("Deleted")
    assert weight("training") is None


def test_a_quota_s_creation_is_recorded_as_cloudtrail_would(
    directory: Directory, sagemaker: Any
) -> None:
    quota_id = make_quota(sagemaker, "recorded")
    details = eventually(
        lambda: [
            detail
            for detail in directory.intake.named("CreateComputeQuota")
            if (detail["responseElements"] or {}).get("computeQuotaId") == quota_id
        ],
        bool,
    )
    assert details[0]["eventSource"] == "sagemaker.amazonaws.com"
    assert details[0]["requestParameters"]["computeQuotaTarget"] == {
        "teamName": "recorded",
        "fairShareWeight": 50,
    }
    assert json.dumps(details[0])
