"""What runs and waits on a cluster: Kueue's Workloads, the queues, and what runs past them."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from lightkube.operators import not_exists
from pydantic import BaseModel, ValidationError

from commons.domain import unqueued
from commons.domain.kueue import Workload
from commons.domain.queues import ClusterQueue, LocalQueue, ceilings_by_namespace
from commons.domain.task_events import refused_because
from commons.domain.unqueued import Node, Pod

# most pods of a busy cluster are the queue's, and need not come over the wire
_UNMARKED = {unqueued.QUEUE_LABEL: not_exists(), unqueued.POD_SET_LABEL: not_exists()}


class Lister(Protocol):
    """A Kubernetes API."""

    def list(
        self, kind: str, namespace: str | None = None, labels: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]: ...


class Observed(NamedTuple):
    # pods that run past the queue are among them, as `unqueued` makes them
    workloads: list[Workload]
    # names of a namespace's queues and the devices they have as their own, by instance type
    queues: Mapping[str, tuple[str, dict[str, Decimal]]]
    # uids of Workloads that are there but cannot be read, with the reasons
    unreadable: Mapping[str, str]


def observe(kubernetes: Lister) -> Observed:
    """Read the cluster. An object that is not what it must be is named, and the others count."""
    unreadable: dict[str, str] = {}

    def read[Kind: BaseModel](
        kind: str, model: Callable[[Any], Kind], labels: Mapping[str, Any] | None = None
    ) -> list[Kind]:
        found = []
        for raw in kubernetes.list(kind, labels=labels):
            try:
                found.append(model(raw))
            except ValidationError as error:
                name = raw.get("metadata", {}).get("uid", kind)
                unreadable[name] = f"{kind}: {'; '.join(refused_because(error))}"
        return found

    workloads = read("Workload", Workload.model_validate)
    queues = read("ClusterQueue", ClusterQueue.model_validate)
    local = read("LocalQueue", LocalQueue.model_validate)
    past = unqueued.find(read("Pod", Pod.model_validate, _UNMARKED), workloads)
    # the machines are asked for only when there is somebody on them to count
    machines = read("Node", Node.model_validate) if past else []
    types = {node.metadata.name: node.instance_type for node in machines}
    counted = [task for pod in past if (task := unqueued.as_workload(pod, types))]
    return Observed([*workloads, *counted], ceilings_by_namespace(queues, local), unreadable)
