"""SageMaker: HyperPod clusters as they are described, task governance, tags; the rest is moto's."""

from typing import Any

from moto.core.responses import ActionResult

from local.services import clock
from local.services.clusters import clusters
from local.services.compute_quotas import ComputeQuotaResponse, quotas
from local.services.errors import Refused
from local.services.paging import page
from local.services.scheduler_config import SchedulerConfigResponse, configs
from local.services.shelf import Record


class HyperPodResponse(ComputeQuotaResponse, SchedulerConfigResponse):
    """All operations of SageMaker."""

    recorded = frozenset(
        f"{verb}{kind}"
        for verb in ("Create", "Update", "Delete")
        for kind in ("ComputeQuota", "ClusterSchedulerConfig")
    )

    def create_cluster(self) -> Any:
        return ActionResult(clusters.create(self.params))

    def delete_cluster(self) -> Any:
        arn = clusters.get(self.params["ClusterName"])["ClusterArn"]
        if quotas.current(arn) or configs.current(arn):
            raise Refused("ConflictException", "the cluster has quotas or a cluster policy")
        return ActionResult(clusters.delete(arn))

    def describe_cluster(self) -> Any:
        return ActionResult(clusters.describe(self.params["ClusterName"]))

    def list_clusters(self) -> Any:
        wanted = self.params.get("NameContains", "")
        found = [c for c in clusters.all() if wanted in c["ClusterName"] and self._dated(c)]
        chosen, token = self._page(found, "ClusterName", "ClusterName")
        return ActionResult({"ClusterSummaries": chosen, "NextToken": token})

    def list_cluster_nodes(self) -> Any:
        cluster = clusters.get(self.params["ClusterName"])
        wanted = self.params.get("InstanceGroupNameContains", "")
        found = [n for n in clusters.nodes(cluster) if wanted in n["InstanceGroupName"]]
        chosen, token = self._page(found, "InstanceId", "InstanceGroupName")
        return ActionResult({"ClusterNodeSummaries": chosen, "NextToken": token})

    def list_tags(self) -> Any:
        tags = self._tags()
        return super().list_tags() if tags is None else ActionResult({"Tags": tags})

    def add_tags(self) -> Any:
        tags = self._tags()
        if tags is None:
            return super().add_tags()
        added = {tag["Key"] for tag in self.params["Tags"]}
        tags[:] = [t for t in tags if t["Key"] not in added] + self.params["Tags"]
        return ActionResult({"Tags": tags})

    def delete_tags(self) -> Any:
        tags = self._tags()
        if tags is None:
            return super().delete_tags()
        tags[:] = [tag for tag in tags if tag["Key"] not in self.params["TagKeys"]]
        return ActionResult({})

    def _tags(self) -> list[Record] | None:
        """The tags of a resource of ours, None for one of moto's."""
        arn = self.params["ResourceArn"]
        record = quotas.by_arn(arn) or configs.by_arn(arn)
        if record is not None:
            tags: list[Record] = record["Tags"]
            return tags
        known = any(cluster["ClusterArn"] == arn for cluster in clusters.all())
        return clusters.tags(arn) if known else None

    def _dated(self, cluster: Record) -> bool:
        after, before = (self.params.get(f"CreationTime{side}") for side in ("After", "Before"))
        return clock.between(cluster["CreationTime"], after, before)

    def _page(self, found: list[Record], key: str, name: str) -> tuple[list[Record], str | None]:
        order = name if self.params.get("SortBy") == "NAME" else "CreationTime"
        descending = self.params.get("SortOrder") == "Descending"
        return page(
            found, self.params, lambda r: [str(r.get(order)), r[key]], descending=descending
        )
