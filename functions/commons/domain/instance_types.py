"""What one HyperPod node of each type has, and the one resource by which it is counted.

A node is counted by its accelerators if it has any, else by its vCPUs: never by both, since that
would charge the same node twice. An accelerator is a GPU or a Neuron device (not a core).
AWS has no API for these figures; a test compares them with the public EC2 data.
"""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache

from pydantic import BaseModel, ConfigDict

from commons.domain import instance_type_table as table

NVIDIA = "nvidia.com/gpu"
NEURON = "aws.amazon.com/neuron"
# the same devices under the older name; task governance writes this one into its queues
NEURON_DEVICE = "aws.amazon.com/neurondevice"
NEURON_CORE = "aws.amazon.com/neuroncore"
CPU = "cpu"
MIG_PREFIX = "nvidia.com/mig-"
MIG_SLICES = 7
# an A30 has four; no other GPU has partitions of these names
_A30 = {"1g.6gb", "2g.12gb", "4g.24gb"}
_A30_SLICES = 4
PLACES = Decimal("1e-10")


class InstanceType(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    vcpu: int
    memory_gib: Decimal
    accelerators: int = 0
    # 0 for types without Neuron devices
    neuron_cores_a_device: int = 0

    @property
    def devices(self) -> int:
        """Units of the dominant resource on one node."""
        return self.accelerators or self.vcpu

    @property
    def resource(self) -> str:
        """The dominant resource as pods ask for it."""
        if not self.accelerators:
            return CPU
        return NEURON_DEVICE if self.neuron_cores_a_device else NVIDIA


def _vcpu(size: str) -> int:
    small = {"medium": 1, "large": 2, "xlarge": 4}
    return small.get(size) or 4 * int(size.removesuffix("xlarge"))


def _build(
    name: str, vcpu: int, memory: int | str, accelerators: int = 0, cores: int = 0
) -> InstanceType:
    return InstanceType(
        name=f"ml.{name}",
        vcpu=vcpu,
        memory_gib=Decimal(memory),
        accelerators=accelerators,
        neuron_cores_a_device=cores,
    )


@cache
def known() -> Mapping[str, InstanceType]:
    """Every type we have figures for, by its `ml.` name."""
    types = [_build(name, vcpu, memory) for name, (vcpu, memory) in table.ODD.items()]
    for family, sizes in table.GPU.items():
        types += [_build(f"{family}.{s}", cpu, gib, n) for s, (n, cpu, gib) in sizes.items()]
    for family, (gib, gpus) in table.G.items():
        types += [_build(f"{family}.{s}", _vcpu(s), gib * _vcpu(s), n) for s, n in gpus.items()]
    for family, (cores, sizes) in table.NEURON.items():
        types += [_build(f"{family}.{s}", cpu, gib, n, cores) for s, (n, cpu, gib) in sizes.items()]
    for family, (gib, names) in table.CPU.items():
        types += [_build(f"{family}.{s}", _vcpu(s), gib * _vcpu(s)) for s in names.split()]
    return {each.name: each for each in types}


def find(instance_type: str) -> InstanceType | None:
    """None for a type that we have no figures for; such a type is flagged, never refused."""
    return known().get(instance_type)


def devices(instance_type: str) -> int | None:
    """Units of the dominant resource on one node; None for an unknown type."""
    found = find(instance_type)
    return found.devices if found else None


def devices_in(instance_type: str, quantities: Mapping[str, Decimal]) -> Decimal:
    """How many units of the type's dominant resource are in these Kubernetes quantities.

    For an unknown type the accelerators that are named decide, else the CPUs.
    """
    found = find(instance_type)
    cores = found.neuron_cores_a_device if found else 0
    accelerators = _accelerators(quantities, cores)
    accelerated = found.accelerators > 0 if found else accelerators > 0
    return accelerators if accelerated else quantities.get(CPU, Decimal(0))


def _accelerators(quantities: Mapping[str, Decimal], cores_a_device: int) -> Decimal:
    nothing = Decimal(0)
    whole = quantities.get(NVIDIA, nothing)
    parts = sum(
        (
            amount * _part(name)
            for name, amount in quantities.items()
            if name.startswith(MIG_PREFIX)
        ),
        nothing,
    )
    # both names stand for the same devices: a pod that names both does not take them twice
    neuron = max(quantities.get(NEURON, nothing), quantities.get(NEURON_DEVICE, nothing))
    if not neuron and cores_a_device:
        neuron = quantities.get(NEURON_CORE, nothing) / cores_a_device
    return whole + (parts.quantize(PLACES) if parts else nothing) + neuron


def _part(resource: str) -> Decimal:
    """`nvidia.com/mig-3g.40gb` is three of the seven slices of a GPU."""
    profile = resource.removeprefix(MIG_PREFIX)
    digits = profile.partition("g.")[0]
    if not digits.isdecimal():
        return Decimal(1)
    return Decimal(int(digits)) / (_A30_SLICES if profile in _A30 else MIG_SLICES)


def quota_devices(
    instance_type: str,
    count: Decimal | int | None = None,
    accelerators: Decimal | int | None = None,
    vcpu: Decimal | int | None = None,
    memory_gib: Decimal | int | None = None,
) -> Decimal | None:
    """Units of the dominant resource that one entry of a compute quota grants.

    As AWS fills it: vCPU or memory alone grant no accelerators, memory alone grants vCPUs by the
    type's ratio. None for a count or a ratio of an unknown type.
    """
    found = find(instance_type)
    if accelerators is not None and (found is None or found.accelerators):
        return Decimal(accelerators)
    if count is not None:
        return Decimal(count) * found.devices if found else None
    if found is None or found.accelerators:
        return Decimal(0) if found else None
    if vcpu is not None:
        return Decimal(vcpu)
    return (Decimal(memory_gib or 0) * found.vcpu / found.memory_gib).quantize(PLACES)
