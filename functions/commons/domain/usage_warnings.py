"""What AWS's usage report leaves in doubt: told beside the figures, never counted as nothing."""

from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal

from commons.domain import instance_types
from commons.domain.usage_report import PodRun, Quantities, QueueRun

_KNOWN = {
    instance_types.CPU,
    instance_types.NVIDIA,
    instance_types.NEURON,
    instance_types.NEURON_DEVICE,
    instance_types.NEURON_CORE,
}
_NAMED = 10


def doubts(queues: Collection[QueueRun], pods: Collection[PodRun]) -> tuple[str, ...]:
    """One sentence per instance type or resource that a person should look at, in order."""
    told = [*_unknown_types(queues, pods), *_unknown_resources(queues, pods)]
    return tuple(sorted({*told, *_without_accelerators(queues), *_beside_the_queue(queues, pods)}))


def _unknown_types(queues: Iterable[QueueRun], pods: Iterable[PodRun]) -> Iterator[str]:
    held = [(run.instance_type, run.total) for run in queues]
    held += [(run.instance_type, run.held) for run in pods]
    names = {name for name, amounts in held if _some(amounts)}
    for name in sorted(names):
        if not name:
            yield "tasks ran on nodes of no known instance type, and are not charged"
        elif instance_types.find(name) is None:
            yield (
                f"{name}: the product has no figures of this type; it is counted by its "
                "accelerators if the report shows any, else by its vCPUs"
            )


def _unknown_resources(queues: Iterable[QueueRun], pods: Iterable[PodRun]) -> Iterator[str]:
    amounts = [run.total for run in queues] + [run.held for run in pods]
    for name in sorted({name for each in amounts for name, amount in each if amount}):
        if name not in _KNOWN and not name.startswith(instance_types.MIG_PREFIX):
            yield f"{name}: the report counts something of this name, and the product does not"


def _without_accelerators(queues: Iterable[QueueRun]) -> Iterator[str]:
    """AWS's report counts whole GPUs: slices of them look like this."""
    by_type: dict[str, set[str]] = {}
    for run in queues:
        found = instance_types.find(run.instance_type)
        accelerated = found is not None and found.accelerators > 0
        if accelerated and _some(run.total) and not _devices(run.instance_type, run.total):
            by_type.setdefault(run.instance_type, set()).add(run.namespace)
    for name, namespaces in by_type.items():
        yield (
            f"{name}: {_list(namespaces)} held vCPUs and no accelerator, and is not charged for "
            "them; if they used partitions of GPUs, take the ledger as source, which counts them"
        )


def _beside_the_queue(queues: Collection[QueueRun], pods: Iterable[PodRun]) -> Iterator[str]:
    queued = {(run.namespace, run.instance_type) for run in queues}
    namespaces = {namespace for namespace, _ in queued}
    beside = {
        (run.namespace, run.instance_type)
        for run in pods
        if run.namespace in namespaces
        and instance_types.devices_in(run.instance_type, dict(run.held))
    }
    for namespace, name in sorted(beside - queued):
        yield (
            f"{namespace}: its queue has no {name or 'instance type'}, and its pods there are not "
            "charged beside the queue"
        )


def _devices(instance_type: str, amounts: Quantities) -> Decimal:
    return instance_types.devices_in(instance_type, dict(amounts))


def _some(amounts: Quantities) -> bool:
    return any(amount for _, amount in amounts)


def _list(names: Collection[str]) -> str:
    shown = ", ".join(sorted(names)[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"
