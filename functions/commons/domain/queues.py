"""Kueue's ClusterQueues and LocalQueues: what a namespace has as its own, by instance type."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from commons.domain import instance_types
from commons.domain.kueue import Metadata, Part, Quantity, orelse
from commons.domain.task_events import Queue


class _NominalQuota(Part):
    name: str
    nominal_quota: Quantity = Decimal(0)


class _FlavorQuota(Part):
    name: str
    resources: Annotated[list[_NominalQuota], orelse([])] = Field(default_factory=list)


class _ResourceGroup(Part):
    flavors: Annotated[list[_FlavorQuota], orelse([])] = Field(default_factory=list)


class _QueueSpec(Part):
    resource_groups: Annotated[list[_ResourceGroup], orelse([])] = Field(default_factory=list)


class _Used(Part):
    name: str
    total: Quantity = Decimal(0)
    borrowed: Quantity = Decimal(0)


class _FlavorUsage(Part):
    name: str
    resources: Annotated[list[_Used], orelse([])] = Field(default_factory=list)


class _QueueStatus(Part):
    flavors_usage: Annotated[list[_FlavorUsage], orelse([])] = Field(default_factory=list)


class ClusterQueue(Part):
    metadata: Metadata
    spec: Annotated[_QueueSpec, orelse({})] = _QueueSpec()
    status: Annotated[_QueueStatus, orelse({})] = _QueueStatus()

    def ceilings(self) -> dict[str, Decimal]:
        """What the queue has as its own, in devices by flavor.

        Where it borrows it says so itself: own is then the total without what is borrowed. Else
        own is the nominal quota.
        """
        amounts: dict[str, dict[str, Decimal]] = {}
        for group in self.spec.resource_groups:
            for flavor in group.flavors:
                own = {each.name: each.nominal_quota for each in flavor.resources}
                amounts.setdefault(flavor.name, {}).update(own)
        for used in self.status.flavors_usage:
            for each in used.resources:
                if each.borrowed > 0:
                    amounts.setdefault(used.name, {})[each.name] = max(
                        each.total - each.borrowed, Decimal(0)
                    )
        return {name: instance_types.devices_in(name, own) for name, own in amounts.items()}


class _LocalQueueSpec(Part):
    cluster_queue: Annotated[str, Field(min_length=1)]


class LocalQueue(Part):
    metadata: Metadata
    spec: _LocalQueueSpec


def ceilings_by_namespace(
    cluster_queues: Iterable[ClusterQueue], local_queues: Iterable[LocalQueue]
) -> Mapping[str, tuple[str, dict[str, Decimal]]]:
    """Names of the queues of each namespace and what they have as their own, taken together."""
    queues = {each.metadata.name: each.ceilings() for each in cluster_queues}
    names: dict[str, set[str]] = {}
    for local in local_queues:
        if local.spec.cluster_queue in queues:
            names.setdefault(local.metadata.namespace, set()).add(local.spec.cluster_queue)
    found = {}
    for namespace, members in sorted(names.items()):
        total: dict[str, Decimal] = {}
        for name in members:
            for flavor, own in queues[name].items():
                total[flavor] = total.get(flavor, Decimal(0)) + own
        found[namespace] = (",".join(sorted(members)), total)
    return found


def changed_queues(
    seen: Mapping[str, Queue],
    observed: Mapping[str, tuple[str, Mapping[str, Decimal]]],
    now: datetime,
    complete: bool,
) -> dict[str, Queue]:
    """Ceilings by namespace that are others than those that were told.

    A type that a queue no longer has, and a queue that is gone, have nothing as their own; unless
    the look was not `complete`, which proves no absence.
    """
    found = {}
    for namespace in sorted({*observed, *seen} if complete else observed):
        known = seen.get(namespace, Queue())
        name, ceilings = observed.get(namespace, (known.name, {}))
        own = {**dict.fromkeys(known.ceilings if complete else (), Decimal(0)), **ceilings}
        if namespace not in seen or (name, own) != (known.name, known.ceilings):
            found[namespace] = Queue(name=name, ceilings=own, since=now)
    return found
