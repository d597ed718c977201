"""Whether the quotas of a cluster together fit into it; SageMaker itself does not ask."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from commons.domain import instance_types
from commons.domain.quota import Quota

Devices = Mapping[str, Decimal]


def capacity(nodes: Mapping[str, int]) -> dict[str, Decimal]:
    """Devices by instance type, from the number of nodes that the cluster is to have of each."""
    known = {name: instance_types.devices(name) for name in nodes}
    return {
        name: Decimal(nodes[name] * devices)
        for name, devices in known.items()
        if devices is not None
    }


def overcommitted(
    wanted: Devices, own: Quota | None, quotas: Iterable[Quota], nodes: Mapping[str, int]
) -> dict[str, str]:
    """A sentence by each instance type that this quota names and of which too much is promised.

    A type without figures is left alone.
    """
    others = [quota.devices() for quota in quotas if not own or quota.id != own.id]
    there = capacity(nodes)
    found = {}
    for name, devices in sorted(wanted.items()):
        total = devices + sum((each.get(name, Decimal(0)) for each in others), Decimal(0))
        enough = there.get(name, Decimal(0))
        if total > enough:
            found[name] = f"{name}: {_plain(total)} of {_plain(enough)} devices are promised"
    return found


def growing(wanted: Devices, own: Quota | None) -> set[str]:
    """Types of which the quota takes more than now: who takes no more is never refused."""
    before = own.devices() if own else {}
    return {name for name, devices in wanted.items() if devices > before.get(name, Decimal(0))}


def _plain(devices: Decimal) -> str:
    return f"{devices.normalize():f}"
