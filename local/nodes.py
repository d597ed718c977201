"""The machines of the shared cluster: which there are, and what each is called.

The directory part answers them as instance groups, the real cluster shows them as nodes; both ask
here, so that they cannot differ.
"""

import hashlib
import os
from collections.abc import Mapping
from typing import NamedTuple

from commons.domain import instance_types
from local.services.fixtures import INSTANCE_GROUPS

VARIABLE = "COMMONS_LOCAL_NODES"


class BadNodes(Exception):
    """The text does not say how many of which instance types."""


class Group(NamedTuple):
    """An instance group: machines of one type."""

    name: str
    instance_type: str
    machines: int


def default() -> dict[str, int]:
    """How many of each instance type, where nobody says."""
    return {instance_type: count for _, instance_type, count in INSTANCE_GROUPS}


def parse(text: str) -> dict[str, int]:
    """`ml.p5.48xlarge=4,ml.g5.8xlarge=2` as counts by instance type; raises BadNodes."""
    counts: dict[str, int] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        instance_type, equals, count = entry.partition("=")
        if not equals or not instance_type.startswith("ml.") or not count.isdecimal():
            raise BadNodes(f"{entry!r} is not INSTANCE_TYPE=COUNT, such as ml.p5.48xlarge=4")
        if instance_types.find(instance_type) is None:
            raise BadNodes(f"{instance_type} is not a known HyperPod instance type")
        if instance_type in counts:
            raise BadNodes(f"{instance_type} is given twice")
        counts[instance_type] = int(count)
    return counts


def render(counts: Mapping[str, int]) -> str:
    """Counts as `parse` reads them."""
    return ",".join(f"{instance_type}={count}" for instance_type, count in counts.items())


def groups(counts: Mapping[str, int]) -> list[Group]:
    """One instance group for each type, called as it always is, or after its type."""
    known = {instance_type: name for name, instance_type, _ in INSTANCE_GROUPS}
    return [
        Group(known.get(type_) or type_.removeprefix("ml.").replace(".", "-"), type_, count)
        for type_, count in counts.items()
    ]


def wanted() -> list[Group]:
    """The instance groups that this local cloud was started with."""
    told = os.environ.get(VARIABLE)
    return groups(default() if told is None else parse(told))


def instance_id(cluster_arn: str, group: str, number: int) -> str:
    """The id of the machine of that number in its group; the same each time."""
    return f"i-{hashlib.sha256(f'{cluster_arn}/{group}/{number}'.encode()).hexdigest()[:17]}"


def node_name(instance: str) -> str:
    """What the Kubernetes node of an instance is called."""
    return f"hyperpod-{instance}"
