"""Cluster policies: one a cluster, its priority classes in Kubernetes under `<name>-priority`."""

from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.sagemaker.responses import SageMakerResponse

from local.services.clusters import clusters
from local.services.errors import Refused
from local.services.kubernetes_api import Kubernetes
from local.services.modelled import ModelledResponse
from local.services.shelf import Record, Shelf

configs = Shelf("ClusterSchedulerConfig", "cluster-scheduler-config")
_KUEUE = "kueue.x-k8s.io/v1beta2"
_COMPONENTS = ("PriorityClasses", "FairShare", "IdleResourceSharing")
_DEFAULTS: Record = {
    "PriorityClasses": [],
    "FairShare": "Enabled",
    "IdleResourceSharing": "Disabled",
}


class SchedulerConfigResponse(ModelledResponse, SageMakerResponse):
    """The operations on cluster policies."""

    def create_cluster_scheduler_config(self) -> Any:
        cluster_arn = self.params["ClusterArn"]
        kubernetes = clusters.kubernetes(cluster_arn)
        if configs.current(cluster_arn):
            raise Refused("ConflictException", "the cluster has a cluster policy already")
        content = {
            "Name": self.params["Name"],
            "ClusterArn": cluster_arn,
            "Tags": self.params.get("Tags") or [],
            **_content(self.params),
        }
        record = configs.create(content, self.caller())
        configs.begin("Create", record, kubernetes, lambda api: _make(api, record, {}))
        return ActionResult(record)

    def update_cluster_scheduler_config(self) -> Any:
        identity = self.params["ClusterSchedulerConfigId"]
        before = configs.get(identity)
        content = _content(self.params)
        record = configs.update(identity, self.params["TargetVersion"], content, self.caller())
        kubernetes = clusters.kubernetes(record["ClusterArn"])
        configs.begin("Update", record, kubernetes, lambda api: _make(api, record, before))
        return ActionResult(record)

    def delete_cluster_scheduler_config(self) -> Any:
        record = configs.get(self.params["ClusterSchedulerConfigId"])
        if record["Status"] == "Deleted":
            raise Refused("ResourceNotFound", f"ClusterSchedulerConfig {record['Name']} is deleted")
        kubernetes = clusters.kubernetes(record["ClusterArn"])
        configs.begin("Delete", record, kubernetes, lambda api: _make(api, {}, record))
        return EmptyResult()

    def describe_cluster_scheduler_config(self) -> Any:
        version = self.params.get("ClusterSchedulerConfigVersion")
        record = configs.get(self.params["ClusterSchedulerConfigId"], version)
        details = dict.fromkeys(_COMPONENTS, record["Status"])
        return ActionResult({**record, "StatusDetails": details})

    def list_cluster_scheduler_configs(self) -> Any:
        chosen, token = configs.list(self.params)
        return ActionResult({"ClusterSchedulerConfigSummaries": chosen, "NextToken": token})


def _content(params: Record) -> Record:
    content = {name: params[name] for name in ("Description",) if name in params}
    if "SchedulerConfig" in params:
        content["SchedulerConfig"] = {**_DEFAULTS, **params["SchedulerConfig"]}
    return content


def _classes(config: Record) -> dict[str, Record]:
    classes = config.get("SchedulerConfig", _DEFAULTS)["PriorityClasses"]
    return {
        each["Name"]: {
            "apiVersion": _KUEUE,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": f"{each['Name']}-priority"},
            "value": each["Weight"],
        }
        for each in classes
    }


def _make(kubernetes: Kubernetes, wanted: Record, before: Record) -> bool:
    new, old = _classes(wanted), _classes(before)
    for document in new.values():
        kubernetes.apply(document)
    for name in set(old) - set(new):
        kubernetes.delete(old[name])
    return True
