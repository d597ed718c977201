"""The machines of the shared cluster: how they are, and one that fails or is well again.

A failure goes the way it goes with HyperPod: the instance is reported, the node is not ready, it
takes nothing new, and what ran on it is lost. Where no node objects are (the embedded cluster),
only the instance is reported.
"""

import json
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lightkube import ApiError, Client
from lightkube.resources.core_v1 import Node, Pod
from lightkube.types import PatchType
from pydantic import BaseModel, ConfigDict

from local import clients, nodes, settings
from local.controlplane.machines import PLAYED
from local.kubernetes import play
from local.services.fixtures import CLUSTER_NAME
from local.state import State

_HEALTH = "sagemaker.amazonaws.com/node-health-status"
_LOST = "UnschedulablePendingReplacement"
_ENDED = ("Succeeded", "Failed")


class NoSuchMachine(Exception):
    """There is no machine of that name."""


class Machine(BaseModel):
    """One machine. `ready`: what Kubernetes says, None where it has no node of it."""

    model_config = ConfigDict(frozen=True)

    node: str
    instance: str
    instance_type: str
    group: str
    status: str
    ready: bool | None
    pods: int


class Machines:
    """Those of a local cloud that runs."""

    def __init__(self, home: Path, state: State) -> None:
        endpoint = settings.kubernetes_endpoint(state.ports, state.kubernetes, settings.EKS_CLUSTER)
        self._client: Client = play.administrator(home, endpoint)
        self._ports = state.ports

    def all(self) -> list[Machine]:
        """As HyperPod and Kubernetes tell."""
        sagemaker = clients.client("sagemaker", self._ports)
        pages = sagemaker.get_paginator("list_cluster_nodes").paginate(ClusterName=CLUSTER_NAME)
        told = [each for page in pages for each in page["ClusterNodeSummaries"]]
        known = {
            str(node.metadata and node.metadata.name): node for node in self._client.list(Node)
        }
        busy = [_place(pod) for pod in self._client.list(Pod, namespace="*") if _runs(pod)]
        return [_machine(each, known, busy) for each in told]

    def fail(self, name: str) -> list[str]:
        """The machine is lost; the pods that ran there, as namespace/name. Raises NoSuchMachine."""
        machine = self._named(name)
        self._report(machine.instance, failed=True)
        return [] if machine.ready is None else self._lose(machine.node)

    def recover(self, name: str) -> None:
        """The machine is replaced, under the same name. Raises NoSuchMachine."""
        machine = self._named(name)
        self._report(machine.instance, failed=False)
        if machine.ready is not None:
            self._patch(machine.node, _spec({PLAYED: "fake"}, "Schedulable", []))

    def _named(self, name: str) -> Machine:
        for machine in self.all():
            if name in (machine.node, machine.instance):
                return machine
        raise NoSuchMachine(f"no machine is called {name}; commons local node list names them")

    def _lose(self, node: str) -> list[str]:
        # without its annotation nobody plays the node any more, so it stays as we leave it
        taint = {"key": _HEALTH, "value": "Unschedulable", "effect": "NoSchedule"}
        self._patch(node, _spec({PLAYED: None}, _LOST, [taint]))
        now = datetime.now(UTC)
        gone = _condition("Ready", "False", "KubeletNotReady", now)
        self._client.patch(Node.Status, node, {"status": {"conditions": [gone]}})
        there = self._client.list(Pod, namespace="*", fields={"spec.nodeName": node})
        return [self._lose_pod(pod, now) for pod in there if _runs(pod)]

    def _lose_pod(self, pod: Pod, now: datetime) -> str:
        """As the clean-up of lost nodes does it: failed by disruption, then removed."""
        name, namespace = (
            str(pod.metadata and pod.metadata.name),
            str(pod.metadata and pod.metadata.namespace),
        )
        lost = _condition("DisruptionTarget", "True", "DeletionByPodGC", now)
        status = {"phase": "Failed", "reason": "NodeLost", "conditions": [lost]}
        try:
            self._client.patch(Pod.Status, name, {"status": status}, namespace=namespace)
            self._client.delete(Pod, name, namespace=namespace, grace_period=0)
        except ApiError as error:
            if error.status.code != 404:  # its task was ended meanwhile
                raise
        return f"{namespace}/{name}"

    def _patch(self, node: str, change: dict[str, Any]) -> None:
        self._client.patch(Node, node, change, patch_type=PatchType.MERGE)

    def _report(self, instance: str, *, failed: bool) -> None:
        url = settings.urls(self._ports)["COMMONS_LOCAL_DIRECTORY_URL"]
        request = urllib.request.Request(  # noqa: S310 - the local cloud's own address
            f"{url}/_local/instances/{instance}",
            json.dumps({"failed": failed}).encode(),
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=10):  # noqa: S310 - as above
            pass


def _machine(told: dict[str, Any], known: dict[str, Node], busy: list[str]) -> Machine:
    name = nodes.node_name(told["InstanceId"])
    node = known.get(name)
    return Machine(
        node=name,
        instance=told["InstanceId"],
        instance_type=told["InstanceType"],
        group=told["InstanceGroupName"],
        status=told["InstanceStatus"]["Status"],
        ready=None if node is None else _ready(node),
        pods=busy.count(name),
    )


def _ready(node: Node) -> bool:
    conditions = (node.status and node.status.conditions) or []
    return any(each.type == "Ready" and each.status == "True" for each in conditions)


def _runs(pod: Pod) -> bool:
    return bool(_place(pod)) and (pod.status is None or pod.status.phase not in _ENDED)


def _place(pod: Pod) -> str:
    return (pod.spec and pod.spec.nodeName) or ""


def _spec(annotations: dict[str, Any], health: str, taints: list[dict[str, Any]]) -> dict[str, Any]:
    metadata = {"annotations": annotations, "labels": {_HEALTH: health}}
    return {"metadata": metadata, "spec": {"taints": taints}}


def _condition(type_: str, status: str, reason: str, at: datetime) -> dict[str, Any]:
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "message": "The machine failed",
        "lastTransitionTime": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
