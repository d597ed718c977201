"""Fills in the amounts of a quota's resources as SageMaker does and Describe returns them."""

from decimal import Decimal
from typing import Any

from commons.domain import instance_types
from commons.domain.instance_types import InstanceType
from local.services.errors import Refused

Record = dict[str, Any]

_MIG_SLICES = 7


def filled(entry: Record) -> Record:
    """One entry with accelerators, vCPUs and memory; what was given stays.

    Accelerators, a partition or a count decide by ratio over vCPUs and memory; vCPUs or memory
    alone decide over each other and leave the accelerators at 0.
    Raises Refused (ValidationException) for a type without figures or a ratio it cannot have.
    """
    kind = _facts(entry["InstanceType"])
    share = _share(entry, kind)
    accelerators = share * kind.accelerators if _by_accelerators(entry) else Decimal(0)
    if "AcceleratorPartition" in entry:
        accelerators = Decimal(0)  # a partition is counted under its own name
    amounts = {
        "Accelerators": int(accelerators),
        "VCpu": float(share * kind.vcpu),
        "MemoryInGiB": float(share * kind.memory_gib),
    }
    return {**amounts, **entry}


def _facts(name: str) -> InstanceType:
    kind = instance_types.find(name)
    if kind is None:
        raise Refused("ValidationException", f"this local cloud has no figures for {name}")
    return kind


def _by_accelerators(entry: Record) -> bool:
    return "Count" in entry or "Accelerators" in entry


def _share(entry: Record, kind: InstanceType) -> Decimal:
    """How much of one node the entry is, by what it names first."""
    if "Accelerators" in entry:
        return Decimal(entry["Accelerators"]) / _accelerators(kind)
    if partition := entry.get("AcceleratorPartition"):
        slices = int(partition["Type"].removeprefix("mig-").partition("g.")[0])
        return Decimal(partition["Count"] * slices) / _MIG_SLICES / _accelerators(kind)
    if "Count" in entry:
        return Decimal(entry["Count"])
    if "VCpu" in entry:
        return Decimal(str(entry["VCpu"])) / kind.vcpu
    return Decimal(str(entry.get("MemoryInGiB", 0))) / kind.memory_gib


def _accelerators(kind: InstanceType) -> int:
    if not kind.accelerators:
        raise Refused("ValidationException", f"{kind.name} has no accelerators")
    return kind.accelerators
