"""HyperPod clusters as the API describes them: groups of instances and an orchestrator."""

import secrets
import string
from datetime import UTC, datetime
from typing import Any

from local import nodes as machines
from local.services import clock, fixtures
from local.services.errors import Refused
from local.services.kubernetes_api import Kubernetes
from local.services.later import steps
from local.settings import ACCOUNT, REGION

Record = dict[str, Any]

_ALPHABET = string.ascii_lowercase + string.digits
_OPENED = datetime(2026, 1, 5, 9, tzinfo=UTC)
_FAILED = {"Status": "Failure", "Message": "Instance failed a health check"}
_GIVEN = ("VpcConfig", "Orchestrator", "NodeRecovery", "NodeProvisioningMode", "ClusterRole")


class Clusters:
    """All clusters by ARN; one is there from the start."""

    def __init__(self) -> None:
        self._clusters: dict[str, Record] = {}
        self._failed: set[str] = set()
        self._tags: dict[str, list[Record]] = {}
        shared = _described(fixtures.CLUSTER_ID, _shared_cluster(), _OPENED)
        self._clusters[shared["ClusterArn"]] = {**shared, "ClusterStatus": "InService"}

    def create(self, params: Record) -> Record:
        """Begin a cluster; raises Refused (ResourceInUse) for a name in use."""
        if any(c["ClusterName"] == params["ClusterName"] for c in self._clusters.values()):
            raise Refused("ResourceInUse", f"cluster {params['ClusterName']} already exists")
        identity = "".join(secrets.choice(_ALPHABET) for _ in range(12))
        cluster = _described(identity, params, clock.now())
        self._clusters[cluster["ClusterArn"]] = cluster
        self.tags(cluster["ClusterArn"]).extend(params.get("Tags") or [])
        name = f"create cluster {cluster['ClusterName']}"
        steps.after(name, lambda: cluster.update(ClusterStatus="InService"))
        return cluster

    def get(self, name_or_arn: str) -> Record:
        """A cluster by name or ARN; raises Refused (ResourceNotFound)."""
        for cluster in self._clusters.values():
            if name_or_arn in (cluster["ClusterArn"], cluster["ClusterName"]):
                return cluster
        raise Refused("ResourceNotFound", f"Cluster {name_or_arn} not found.")

    def governed(self, arn: str) -> Record:
        """A cluster that can have quotas; raises Refused where task governance is impossible."""
        cluster = self.get(arn)
        if "Eks" not in (cluster.get("Orchestrator") or {}):
            raise Refused("ValidationException", "task governance needs a cluster on Amazon EKS")
        return cluster

    def kubernetes(self, arn: str) -> Kubernetes:
        """The Kubernetes API of a cluster; raises Refused as `governed` does."""
        eks_arn: str = self.governed(arn)["Orchestrator"]["Eks"]["ClusterArn"]
        return Kubernetes(eks_arn.rpartition("/")[2])

    def delete(self, name_or_arn: str) -> Record:
        """Remove a cluster; raises Refused (ResourceNotFound)."""
        return self._clusters.pop(self.get(name_or_arn)["ClusterArn"])

    def all(self) -> list[Record]:
        """Every cluster."""
        return list(self._clusters.values())

    def describe(self, name_or_arn: str) -> Record:
        """As `get`; what has failed is not counted as there, and its group is degraded."""
        cluster = self.get(name_or_arn)
        groups = [self._group(cluster, group) for group in cluster["InstanceGroups"]]
        return {**cluster, "InstanceGroups": groups}

    def _group(self, cluster: Record, group: Record) -> Record:
        name = group["InstanceGroupName"]
        lost = [
            each["InstanceId"]
            for each in self.nodes(cluster)
            if each["InstanceGroupName"] == name and each["InstanceId"] in self._failed
        ]
        if not lost:
            return group
        return {**group, "CurrentCount": group["CurrentCount"] - len(lost), "Status": "Degraded"}

    def nodes(self, cluster: Record) -> list[Record]:
        """The instances of a cluster; the same ids each time."""
        return [
            {**each, "InstanceStatus": _FAILED} if each["InstanceId"] in self._failed else each
            for each in _nodes(cluster)
        ]

    def mark(self, instance: str, *, failed: bool) -> None:
        """An instance fails or is well again; raises Refused (ResourceNotFound)."""
        known = {each["InstanceId"] for cluster in self.all() for each in _nodes(cluster)}
        if instance not in known:
            raise Refused("ResourceNotFound", f"there is no instance {instance}")
        (self._failed.add if failed else self._failed.discard)(instance)

    def tags(self, arn: str) -> list[Record]:
        """The tags of a cluster, to read or to change."""
        return self._tags.setdefault(arn, [])


def _nodes(cluster: Record) -> list[Record]:
    return [
        {
            "InstanceGroupName": group["InstanceGroupName"],
            "InstanceId": machines.instance_id(
                cluster["ClusterArn"], group["InstanceGroupName"], number
            ),
            "InstanceType": group["InstanceType"],
            "LaunchTime": cluster["CreationTime"],
            "InstanceStatus": {"Status": "Running", "Message": ""},
        }
        for group in cluster["InstanceGroups"]
        for number in range(group["CurrentCount"])
    ]


def _described(identity: str, params: Record, at: datetime) -> Record:
    groups = [
        {
            **{name: value for name, value in group.items() if name != "InstanceCount"},
            "CurrentCount": group["InstanceCount"],
            "TargetCount": group["InstanceCount"],
            "Status": "InService",
        }
        for group in params.get("InstanceGroups") or []
    ]
    return {
        "ClusterArn": f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/{identity}",
        "ClusterName": params["ClusterName"],
        "ClusterStatus": "Creating",
        "CreationTime": at,
        "InstanceGroups": groups,
        **{name: params[name] for name in _GIVEN if name in params},
    }


def _shared_cluster() -> Record:
    return {
        "ClusterName": fixtures.CLUSTER_NAME,
        "Orchestrator": {"Eks": {"ClusterArn": fixtures.EKS_CLUSTER_ARN}},
        "NodeRecovery": "Automatic",
        "InstanceGroups": [
            {
                "InstanceGroupName": name,
                "InstanceType": instance_type,
                "InstanceCount": count,
                "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/hyperpod-nodes",
                "ThreadsPerCore": 2,
            }
            for name, instance_type, count in machines.wanted()
        ],
    }


clusters = Clusters()
