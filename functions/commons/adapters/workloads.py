"""What runs and waits on a cluster: Kueue's Workloads and the queues of each namespace."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel, ValidationError

from commons.domain.kueue import Workload
from commons.domain.queues import ClusterQueue, LocalQueue, ceilings_by_namespace
from commons.domain.task_events import refused_because


class Lister(Protocol):
    """A Kubernetes API."""

    def list(self, kind: str) -> list[dict[str, Any]]: ...


class Observed(NamedTuple):
    workloads: list[Workload]
    # names of a namespace's queues and the devices they have as their own, by instance type
    queues: Mapping[str, tuple[str, dict[str, Decimal]]]
    # uids of Workloads that are there but cannot be read, with the reasons
    unreadable: Mapping[str, str]


def observe(kubernetes: Lister) -> Observed:
    """Read the cluster. An object that is not what it must be is named, and the others count."""
    unreadable: dict[str, str] = {}

    def read[Kind: BaseModel](kind: str, model: Callable[[Any], Kind]) -> list[Kind]:
        found = []
        for raw in kubernetes.list(kind):
            try:
                found.append(model(raw))
            except ValidationError as error:
                name = raw.get("metadata", {}).get("uid", kind)
                unreadable[name] = f"{kind}: {'; '.join(refused_because(error))}"
        return found

    workloads = read("Workload", Workload.model_validate)
    queues = read("ClusterQueue", ClusterQueue.model_validate)
    local = read("LocalQueue", LocalQueue.model_validate)
    return Observed(workloads, ceilings_by_namespace(queues, local), unreadable)
