"""The Kubernetes objects of a compute quota, as documents for server-side apply."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from commons.domain import instance_types

Record = dict[str, Any]
Amounts = dict[str, Decimal]

_KUEUE = "kueue.x-k8s.io/v1beta2"
_LABELS = "sagemaker.amazonaws.com"
_COHORT = "shared-pool"
_DEFAULT_BORROW_PERCENT = 50
_MEMORY = "memory"


def namespace_of(quota: Record) -> str:
    """The namespace of a quota's team."""
    return f"hyperpod-ns-{quota['ComputeQuotaTarget']['TeamName']}"


def objects(quota: Record) -> list[Record]:
    """All objects of a quota, in the order in which they can be made."""
    return [*_flavors(quota), namespace(quota), cluster_queue(quota), local_queue(quota)]


def namespace(quota: Record) -> Record:
    """The namespace with the labels that switch governance on."""
    labels = {
        f"{_LABELS}/sagemaker-managed-queue": "true",
        f"{_LABELS}/quota-allocation-id": quota["ComputeQuotaTarget"]["TeamName"],
        f"{_LABELS}/activate-quota": quota["ActivationState"],
    }
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": namespace_of(quota), "labels": labels},
    }


def local_queue(quota: Record) -> Record:
    """The queue that the team's tasks name."""
    name = namespace_of(quota)
    return {
        "apiVersion": _KUEUE,
        "kind": "LocalQueue",
        "metadata": {"name": f"{name}-localqueue", "namespace": name},
        "spec": {"clusterQueue": f"{name}-clusterqueue"},
    }


def cluster_queue(quota: Record) -> Record:
    """The queue that holds the team's quota and its part in the cohort."""
    config, target = quota["ComputeQuotaConfig"], quota["ComputeQuotaTarget"]
    name = namespace_of(quota)
    spec = {
        "cohortName": _COHORT,
        "queueingStrategy": "BestEffortFIFO",
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}},
        "preemption": {
            "reclaimWithinCohort": "Any",
            "withinClusterQueue": config["PreemptTeamTasks"],
        },
        "fairSharing": {"weight": str(target["FairShareWeight"])},
        "resourceGroups": _resource_groups(config),
    }
    return {
        "apiVersion": _KUEUE,
        "kind": "ClusterQueue",
        "metadata": {"name": f"{name}-clusterqueue"},
        "spec": spec,
    }


def _flavors(quota: Record) -> Iterable[Record]:
    for instance_type in _types(quota["ComputeQuotaConfig"]):
        yield {
            "apiVersion": _KUEUE,
            "kind": "ResourceFlavor",
            "metadata": {"name": instance_type},
            "spec": {"nodeLabels": {"node.kubernetes.io/instance-type": instance_type}},
        }


def _types(config: Record) -> list[str]:
    limits = config["ResourceSharingConfig"].get("AbsoluteBorrowLimits") or []
    entries = [*config["ComputeQuotaResources"], *limits]
    return sorted({entry["InstanceType"] for entry in entries})


def _resource_groups(config: Record) -> list[Record]:
    types = _types(config)
    if not types:
        return []
    nominal = _by_type(config["ComputeQuotaResources"])
    absolute = _by_type(config["ResourceSharingConfig"].get("AbsoluteBorrowLimits") or [])
    # Kueue wants every flavor of a group to cover the same resources
    covered = sorted({r for amounts in [*nominal.values(), *absolute.values()] for r in amounts})
    flavors = [
        {
            "name": name,
            "resources": [
                _resource(resource, nominal.get(name, {}), absolute.get(name), config)
                for resource in covered
            ],
        }
        for name in types
    ]
    return [{"coveredResources": covered, "flavors": flavors}]


def _by_type(entries: Iterable[Record]) -> dict[str, Amounts]:
    totals: dict[str, Amounts] = {}
    for entry in entries:
        total = totals.setdefault(entry["InstanceType"], {})
        for resource, amount in _amounts(entry).items():
            total[resource] = total.get(resource, Decimal(0)) + amount
    return totals


def _amounts(entry: Record) -> Amounts:
    kind = instance_types.find(entry["InstanceType"])
    amounts = {
        "cpu": Decimal(str(entry["VCpu"])),
        _MEMORY: Decimal(str(entry["MemoryInGiB"])),
    }
    if kind and kind.accelerators:
        amounts[kind.resource] = Decimal(entry["Accelerators"])
    if partition := entry.get("AcceleratorPartition"):
        amounts[f"nvidia.com/{partition['Type']}"] = Decimal(partition["Count"])
    return amounts


def _resource(resource: str, nominal: Amounts, absolute: Amounts | None, config: Record) -> Record:
    own = nominal.get(resource, Decimal(0))
    quota = {"name": resource, "nominalQuota": _quantity(resource, own)}
    strategy = config["ResourceSharingConfig"]["Strategy"]
    if strategy == "LendAndBorrow":
        limit = _borrowing(resource, own, absolute, config["ResourceSharingConfig"])
        return {**quota, "borrowingLimit": _quantity(resource, limit)}
    none = _quantity(resource, Decimal(0))
    lending = {"lendingLimit": none} if strategy == "DontLend" else {}
    return {**quota, "borrowingLimit": none, **lending}


def _borrowing(resource: str, own: Decimal, absolute: Amounts | None, sharing: Record) -> Decimal:
    if absolute is not None:
        return absolute.get(resource, Decimal(0))
    limit = own * sharing.get("BorrowLimit", _DEFAULT_BORROW_PERCENT) / 100
    return limit if resource in {"cpu", _MEMORY} else Decimal(int(limit))


def _quantity(resource: str, amount: Decimal) -> str:
    if resource == _MEMORY:
        mebibytes = int(amount * 1024)
        return f"{mebibytes // 1024}Gi" if mebibytes % 1024 == 0 else f"{mebibytes}Mi"
    thousandths = int(amount * 1000)
    return f"{thousandths // 1000}" if thousandths % 1000 == 0 else f"{thousandths}m"
