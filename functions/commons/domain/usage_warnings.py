"""What AWS's usage report leaves in doubt: told beside the figures, never counted as nothing."""

from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from commons.domain import instance_types
from commons.domain.usage_report import Quantities

_KNOWN = {
    instance_types.CPU,
    instance_types.NVIDIA,
    instance_types.NEURON,
    instance_types.NEURON_DEVICE,
    instance_types.NEURON_CORE,
}
_NAMED = 10


class Held(NamedTuple):
    """What a namespace held of a type, at some time or over some hours."""

    namespace: str
    instance_type: str
    amounts: Quantities

    @property
    def devices(self) -> Decimal:
        return instance_types.devices_in(self.instance_type, dict(self.amounts))


def doubts(queued: Iterable[Held], loose: Iterable[Held]) -> tuple[str, ...]:
    """One sentence for each thing that a person should look at, in order.

    `queued` was held through queues, `loose` is what pods held, whether through a queue or not.
    """
    queues = set(queued)
    pods = {held for held in loose if _some(held)}
    told = {*_unknown_types(queues | pods), *_unknown_resources(queues | pods)}
    told |= {*_without_accelerators(queues), *_beside_the_queue(queues, pods)}
    return tuple(sorted(told | {*_of_nobody(queues)}))


def _unknown_types(found: Iterable[Held]) -> Iterator[str]:
    for name in {held.instance_type for held in found if _some(held)}:
        if not name:
            yield "tasks ran on nodes of no known instance type, and are not charged"
        elif instance_types.find(name) is None:
            yield (
                f"{name}: the product has no figures of this type; it is counted by its "
                "accelerators if the report shows any, else by its vCPUs"
            )


def _unknown_resources(found: Iterable[Held]) -> Iterator[str]:
    for name in {name for held in found for name, amount in held.amounts if amount}:
        if name not in _KNOWN and not name.startswith(instance_types.MIG_PREFIX):
            yield f"{name}: the report counts something of this name, and the product does not"


def _without_accelerators(queues: Iterable[Held]) -> Iterator[str]:
    """AWS's report counts whole GPUs: slices of them look like this."""
    by_type: dict[str, set[str]] = {}
    for held in queues:
        found = instance_types.find(held.instance_type)
        if found and found.accelerators and _some(held) and not held.devices:
            by_type.setdefault(held.instance_type, set()).add(held.namespace)
    for name, namespaces in by_type.items():
        yield (
            f"{name}: {_list(namespaces)} held vCPUs and no accelerator, and is not charged for "
            "them; if they used partitions of GPUs, take the ledger as source, which counts them"
        )


def _beside_the_queue(queues: Iterable[Held], pods: Iterable[Held]) -> Iterator[str]:
    queued = {held[:2] for held in queues}
    namespaces = {namespace for namespace, _ in queued}
    beside = {held[:2] for held in pods if held.namespace in namespaces and held.devices}
    for namespace, name in beside - queued:
        yield (
            f"{namespace}: its queue has no {name or 'such instance type'}, and its pods there are "
            "not charged beside the queue"
        )


def _of_nobody(queues: Iterable[Held]) -> Iterator[str]:
    for name in {held.instance_type for held in queues if not held.namespace and held.devices}:
        yield f"{name}: a queue of no namespace held devices, which are charged to nobody"


def _some(held: Held) -> bool:
    return any(amount for _, amount in held.amounts)


def _list(names: Collection[str]) -> str:
    shown = ", ".join(sorted(names)[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"
