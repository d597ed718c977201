"""Which lines of a report concern our clusters, and what each of them pays for.

In scope are HyperPod lines (nodes and volumes), whatever carries a namespace tag of AWS, the fee of
the EKS clusters of registered HyperPod clusters and the split costs of their pods, and, in an
account that has one of these: FSx, support, the fees of machine learning savings plans, and tax,
credits, refunds and discounts of these products. Everything else is outside, and is one control
total.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from commons.domain.cost_lines import CostLine

_CLUSTER_ARN = re.compile(r"arn:aws[a-z-]*:sagemaker:([a-z0-9-]+):\d{12}:cluster/[A-Za-z0-9-]+")
_EKS_ARN = re.compile(r"arn:aws[a-z-]*:eks:([a-z0-9-]+):(\d{12}):cluster/(.+)")
_PLANS = "MachineLearningSavingsPlans"
_OURS = {"AmazonSageMaker", "AmazonEKS", "AmazonFSx", _PLANS}
# labels by which tools say "none"
_NO_NAMESPACE = {"", "__no_namespace__", "__unallocated__", "__platform__"}


class Kind(Enum):
    POOL = "pool"  # nodes: allocated by quota and use
    DIRECT = "direct"  # names its namespace
    SHARED = "shared"  # spread over the namespaces of a cluster or account
    APART = "apart"  # names nobody: a record of its own
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A registered HyperPod cluster."""

    arn: str
    eks_cluster: str

    @property
    def account(self) -> str:
        return self.arn.split(":")[4]

    @property
    def region(self) -> str:
        return self.arn.split(":")[3]


@dataclass(frozen=True, slots=True)
class Placed:
    """A line and where its money goes. `cluster` is an ARN, or `account/…` where none is named."""

    line: CostLine
    kind: Kind
    component: str = ""
    cluster: str = ""
    region: str = ""
    namespace: str = ""


class Scope:
    def __init__(self, lines: Iterable[CostLine], clusters: Sequence[Cluster]) -> None:
        self._lines = list(lines)
        self._clusters = clusters
        self._accounts = {cluster.account for cluster in clusters} | {
            line.account
            for line in self._lines
            if line.instance_type or (_namespace(line) and not line.split)
        }

    def place(self) -> list[Placed]:
        """Every line, once."""
        return [self._place(line) for line in self._lines]

    def _place(self, line: CostLine) -> Placed:
        if not line.candidate:
            return Placed(line, Kind.OUTSIDE)
        cluster, region = self._cluster(line)
        if line.split and not cluster:
            # of a cluster that is none of ours: its money stays where its instance has it
            return Placed(line, Kind.OUTSIDE)
        if namespace := _namespace(line):
            component = line.adjustment or "direct"
            at = cluster or f"{line.account}/{line.eks_cluster or region or '-'}"
            return Placed(line, Kind.DIRECT, component, at, region, namespace)
        if line.adjustment:
            return self._place_adjustment(line, cluster, region)
        if line.instance_type:
            at = cluster or f"{line.account}/{region or '-'}"
            return Placed(line, Kind.POOL, "", at, region)
        return self._place_shared(line, cluster, region)

    def _place_adjustment(self, line: CostLine, cluster: str, region: str) -> Placed:
        named = bool(_CLUSTER_ARN.fullmatch(line.resource)) or (
            bool(cluster) and bool(_EKS_ARN.fullmatch(line.resource))
        )
        if named:
            return Placed(line, Kind.SHARED, line.adjustment or "", cluster, region)
        ours = line.product in _OURS or "Support" in line.product
        if line.account in self._accounts and ours:
            return Placed(line, Kind.APART, line.adjustment or "", line.account, region)
        return Placed(line, Kind.OUTSIDE)

    def _place_shared(self, line: CostLine, cluster: str, region: str) -> Placed:
        match line.product:
            case "AmazonSageMaker" if cluster and "Cluster:" in line.usage_type:
                return Placed(line, Kind.SHARED, "storage", cluster, region)
            case "AmazonEKS" if cluster:
                return Placed(line, Kind.SHARED, "shared", cluster, region)
            case "AmazonFSx" if line.account in self._accounts:
                return Placed(line, Kind.SHARED, "storage", f"{line.account}/{region}", region)
            case "MachineLearningSavingsPlans" if line.account in self._accounts:
                return Placed(line, Kind.SHARED, "shared", f"{line.account}/", region)
        return Placed(line, Kind.OUTSIDE)

    def _cluster(self, line: CostLine) -> tuple[str, str]:
        """ARN of the cluster that a line names, or that alone can be meant, and the Region."""
        if hyperpod := _CLUSTER_ARN.fullmatch(line.resource):
            return line.resource, hyperpod[1]
        eks = _EKS_ARN.fullmatch(line.resource)
        region = eks[1] if eks else line.region
        name = eks[3] if eks else line.eks_cluster
        here = [
            cluster
            for cluster in self._clusters
            if cluster.account == line.account and region in ("", cluster.region)
        ]
        if name:
            here = [cluster for cluster in here if cluster.eks_cluster == name]
        elif line.product != "AmazonSageMaker" and not _namespace(line):
            return "", region
        return (here[0].arn, here[0].region) if len(here) == 1 else ("", region)


def _namespace(line: CostLine) -> str:
    name = line.namespace.strip()
    return "" if name in _NO_NAMESPACE else name
