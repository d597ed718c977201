"""Nodes without machines: KWOK plays them, labelled as HyperPod labels its own."""

from pathlib import Path
from typing import Any

from commons.domain import instance_types
from commons.domain.instance_types import InstanceType
from local import nodes
from local.controlplane.loopback import Files, Ports
from local.nodes import Group
from local.services.fixtures import CLUSTER_ARN, CLUSTER_NAME
from local.settings import REGION

Document = dict[str, Any]

PLAYED = "kwok.x-k8s.io/node"
"""Annotation of the nodes that KWOK looks after; without it a node is as a dead one."""
_SAGEMAKER = "sagemaker.amazonaws.com"
_PODS = 250
_STAGES = Path(__file__).with_name("stages")
_ENDS_AT_ONCE = "pod-complete.yaml"  # a Job here runs until somebody says that it has ended


def command(binaries: Path, files: Files, ports: Ports) -> list[str]:
    """How KWOK is called: what its stages say happens to nodes and pods."""
    return [
        str(binaries / "kwok"),
        f"--kubeconfig={files.kubeconfig('kwok')}",
        f"--manage-nodes-with-annotation-selector={PLAYED}=fake",
        f"--server-address=127.0.0.1:{ports.kwok}",
        "--node-ip=127.0.0.1",
        *(f"--config={file}" for file in stages(binaries)),
    ]


def stages(binaries: Path) -> list[Path]:
    """What happens to nodes and pods: KWOK's own stages, and ours in place of its or beside."""
    known = {file.name: file for file in (binaries / "stages").glob("*.yaml")}
    known.pop(_ENDS_AT_ONCE, None)
    known |= {file.name: file for file in _STAGES.glob("*.yaml")}
    return sorted(known.values())


def all_nodes(groups: list[Group]) -> list[Document]:
    """Every machine of the instance groups."""
    return [_node(group, number) for group in groups for number in range(group.machines)]


def _node(group: Group, number: int) -> Document:
    instance = nodes.instance_id(CLUSTER_ARN, group.name, number)
    name = nodes.node_name(instance)
    zone, offered = f"{REGION}a", capacity(group.instance_type)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {PLAYED: "fake"},
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/os": "linux",
                "node.kubernetes.io/instance-type": group.instance_type,
                "topology.kubernetes.io/region": REGION,
                "topology.kubernetes.io/zone": zone,
                f"{_SAGEMAKER}/compute-type": "hyperpod",
                f"{_SAGEMAKER}/cluster-name": CLUSTER_NAME,
                f"{_SAGEMAKER}/instance-group-name": group.name,
                f"{_SAGEMAKER}/node-health-status": "Schedulable",
                f"{_SAGEMAKER}/deep-health-check-status": "Passed",
            },
        },
        "spec": {"providerID": f"aws:///{zone}/{instance}"},
        "status": {"capacity": offered, "allocatable": offered},
    }


def capacity(instance_type: str) -> dict[str, str]:
    """What a machine of that type offers; raises KeyError for an unknown one."""
    kind = instance_types.known()[instance_type]
    offered = {
        "cpu": str(kind.vcpu),
        "memory": f"{kind.memory_gib.normalize():f}Gi",
        "pods": str(_PODS),
    }
    return offered | _devices(kind)


def _devices(kind: InstanceType) -> dict[str, str]:
    if not kind.accelerators:
        return {}
    if not kind.neuron_cores_a_device:
        return {instance_types.NVIDIA: str(kind.accelerators)}
    cores = kind.accelerators * kind.neuron_cores_a_device
    return {
        instance_types.NEURON: str(kind.accelerators),
        instance_types.NEURON_DEVICE: str(kind.accelerators),
        instance_types.NEURON_CORE: str(cores),
    }
