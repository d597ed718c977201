"""SageMaker HyperPod task governance: compute quotas, and how many nodes a cluster is to have."""

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.domain.errors import Blocked, ProvisioningFailed
from commons.domain.quota import Quota

_GONE = {"Deleted"}


class ComputeQuotas:
    """The client must be one of the cluster's Region."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def find(self, cluster_arn: str, team_name: str) -> Quota | None:
        """The quota of exactly that team name, whatever it is called."""
        for contains in ({"NameContains": team_name}, {}):
            for summary in self._summaries(cluster_arn, **contains):
                if summary["ComputeQuotaTarget"]["TeamName"] == team_name:
                    return self.get(summary["ComputeQuotaId"])
        return None

    def get(self, quota_id: str) -> Quota:
        with translated(f"DescribeComputeQuota of {quota_id}"):
            return _quota(self._client.describe_compute_quota(ComputeQuotaId=quota_id))

    def of_cluster(self, cluster_arn: str) -> list[Quota]:
        """Every quota of the cluster, which is one per team and project."""
        return [_quota(summary) for summary in self._summaries(cluster_arn)]

    def create(self, request: dict[str, Any]) -> None:
        """Begin to create it. Raises ChangedMeanwhile if name or team are taken by now."""
        self._write(self._client.create_compute_quota, f"creating {request['Name']}", request)

    def update(self, request: dict[str, Any]) -> None:
        """Begin to update it. Raises ChangedMeanwhile if TargetVersion is not the current one."""
        doing = f"updating the compute quota {request['ComputeQuotaId']}"
        self._write(self._client.update_compute_quota, doing, request)

    def delete(self, quota_id: str) -> None:
        """Begin to delete it, which may delete its namespace; that it is gone is no error."""
        with translated(f"deleting the compute quota {quota_id}"):
            try:
                self._client.delete_compute_quota(ComputeQuotaId=quota_id)
            except ClientError as error:
                if code_of(error) != "ResourceNotFound":
                    raise

    def nodes(self, cluster_arn: str) -> dict[str, int]:
        """How many nodes of each instance type the cluster is to have."""
        with translated(f"DescribeCluster of {cluster_arn}"):
            try:
                cluster = self._client.describe_cluster(ClusterName=cluster_arn)
            except ClientError as error:
                if code_of(error) != "ResourceNotFound":
                    raise
                raise Blocked(f"The HyperPod cluster {cluster_arn} does not exist") from error
        found: dict[str, int] = {}
        for group in cluster.get("InstanceGroups", []):
            name = group["InstanceType"]
            found[name] = found.get(name, 0) + group.get("TargetCount", 0)
        return found

    def _write(self, call: Any, doing: str, request: dict[str, Any]) -> None:
        try:
            with translated(doing):
                call(**request)
        except ClientError as error:
            if code_of(error) not in ("ResourceLimitExceeded", "ValidationException"):
                raise
            raise ProvisioningFailed(f"{doing}: {error}") from error

    def _summaries(self, cluster_arn: str, **more: str) -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator("list_compute_quotas").paginate(
            ClusterArn=cluster_arn, **more
        )
        with translated(f"ListComputeQuotas of {cluster_arn}"):
            for page in pages:
                for summary in page["ComputeQuotaSummaries"]:
                    if summary["Status"] not in _GONE:
                        yield summary


def _quota(answer: dict[str, Any]) -> Quota:
    config, target = answer.get("ComputeQuotaConfig", {}), answer["ComputeQuotaTarget"]
    sharing = config.get("ResourceSharingConfig", {})
    return Quota(
        id=answer["ComputeQuotaId"],
        name=answer["Name"],
        team_name=target["TeamName"],
        version=answer.get("ComputeQuotaVersion", 1),
        status=answer["Status"],
        rows=config.get("ComputeQuotaResources", []),
        strategy=sharing.get("Strategy", ""),
        borrow_limit=sharing.get("BorrowLimit"),
        preempt_team_tasks=config.get("PreemptTeamTasks", "LowerPriority"),
        fair_share_weight=target.get("FairShareWeight", 0),
        activation=answer.get("ActivationState", "Enabled"),
        created_at=answer["CreationTime"],
        modified_at=answer.get("LastModifiedTime"),
        reason=answer.get("FailureReason", ""),
    )
