"""Compute quotas: defaults and amounts filled in, and the objects that each makes in Kubernetes."""

from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.sagemaker.responses import SageMakerResponse

from local.services import clock, quota_objects
from local.services.clusters import clusters
from local.services.errors import Refused
from local.services.kubernetes_api import Kubernetes
from local.services.modelled import ModelledResponse
from local.services.quota_resources import filled
from local.services.shelf import Record, Shelf

quotas = Shelf("ComputeQuota", "compute-quota")
_RESERVED_TEAM = "idle-resource-sharing"
_UPDATABLE = ("ComputeQuotaConfig", "ComputeQuotaTarget", "ActivationState", "Description")


# teams whose namespace and queues are long in coming, as the administrator wants it
late: set[str] = set()


class ComputeQuotaResponse(ModelledResponse, SageMakerResponse):
    """The operations on compute quotas."""

    def create_compute_quota(self) -> Any:
        cluster_arn, target = self.params["ClusterArn"], self.params["ComputeQuotaTarget"]
        kubernetes = clusters.kubernetes(cluster_arn)
        _refuse_team(target["TeamName"], cluster_arn)
        content = {
            "Name": self.params["Name"],
            "ClusterArn": cluster_arn,
            "ActivationState": "Enabled",
            "Tags": self.params.get("Tags") or [],
            **_content(self.params),
        }
        record = quotas.create(content, self.caller())
        quotas.begin("Create", record, kubernetes, lambda api: _make(record, api))
        return ActionResult(record)

    def update_compute_quota(self) -> Any:
        identity = self.params["ComputeQuotaId"]
        before, content = quotas.get(identity), _content(self.params)
        old, new = before["ComputeQuotaTarget"], content.get("ComputeQuotaTarget")
        if new and new["TeamName"] != old["TeamName"]:
            raise Refused("ValidationException", "the team of a compute quota cannot be changed")
        record = quotas.update(identity, self.params["TargetVersion"], content, self.caller())
        kubernetes = clusters.kubernetes(record["ClusterArn"])
        quotas.begin("Update", record, kubernetes, lambda api: _make(record, api))
        return ActionResult(record)

    def delete_compute_quota(self) -> Any:
        record = quotas.get(self.params["ComputeQuotaId"])
        if record["Status"] == "Deleted":
            raise Refused("ResourceNotFound", f"ComputeQuota {record['Name']} is deleted")
        kubernetes = clusters.kubernetes(record["ClusterArn"])
        quotas.begin("Delete", record, kubernetes, lambda api: _unmake(record, api))
        return EmptyResult()

    def describe_compute_quota(self) -> Any:
        version = self.params.get("ComputeQuotaVersion")
        return ActionResult(quotas.get(self.params["ComputeQuotaId"], version))

    def list_compute_quotas(self) -> Any:
        chosen, token = quotas.list(self.params)
        return ActionResult({"ComputeQuotaSummaries": chosen, "NextToken": token})


def _refuse_team(team: str, cluster_arn: str) -> None:
    if team.startswith(_RESERVED_TEAM):
        raise Refused("ValidationException", f"the team name {team} is reserved")
    if any(q["ComputeQuotaTarget"]["TeamName"] == team for q in quotas.current(cluster_arn)):
        raise Refused("ConflictException", f"the team {team} has a compute quota already")


def _content(params: Record) -> Record:
    """What a request says of a quota, the defaults and amounts filled in."""
    content = {name: params[name] for name in _UPDATABLE if name in params}
    if config := content.get("ComputeQuotaConfig"):
        content["ComputeQuotaConfig"] = _complete(config)
    if target := content.get("ComputeQuotaTarget"):
        content["ComputeQuotaTarget"] = {"FairShareWeight": 0, **target}
    return content


def _complete(config: Record) -> Record:
    sharing = dict(config.get("ResourceSharingConfig") or {"Strategy": "LendAndBorrow"})
    if sharing["Strategy"] == "LendAndBorrow":
        sharing.setdefault("BorrowLimit", 50)
    if limits := sharing.get("AbsoluteBorrowLimits"):
        sharing["AbsoluteBorrowLimits"] = [filled(limit) for limit in limits]
    return {
        "ComputeQuotaResources": [filled(e) for e in config.get("ComputeQuotaResources") or []],
        "ResourceSharingConfig": sharing,
        "PreemptTeamTasks": config.get("PreemptTeamTasks", "LowerPriority"),
    }


def _make(quota: Record, kubernetes: Kubernetes) -> bool:
    if quota["ComputeQuotaTarget"]["TeamName"] in late:
        return False
    for document in quota_objects.objects(quota):
        kubernetes.apply(document)
    if clock.stopped():
        _date(quota, kubernetes)
    return True


def _date(quota: Record, kubernetes: Kubernetes) -> None:
    """The queue has been active since the quota is there, by the calendar."""
    condition = {
        "type": "Active",
        "status": "True",
        "reason": "Ready",
        "message": "Can admit new workloads",
        "lastTransitionTime": quota["LastModifiedTime"].strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    queue = quota_objects.cluster_queue(quota)
    kubernetes.patch_status(queue, {"conditions": [condition]})


def _unmake(quota: Record, kubernetes: Kubernetes) -> bool:
    """Delete the queues; Kueue holds the ClusterQueue back while a workload has a reservation."""
    kubernetes.delete(quota_objects.local_queue(quota))
    queue = quota_objects.cluster_queue(quota)
    kubernetes.delete(queue)
    return not kubernetes.exists(queue)
