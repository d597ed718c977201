"""Pods that run past the queue: what a namespace uses without a Workload.

The admission policies refuse them to people. What got in nevertheless, by an administrator or
before there were policies, holds devices as any task does: it is told and counted as a task of one
pod, from the moment it was put on a node, with the reason `Unqueued` and no queue.

A pod that carries a mark of Kueue, or whose owner has a Workload, is counted by that Workload.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Annotated

from pydantic import AwareDatetime, Field

from commons.domain import instance_types, kueue
from commons.domain.kueue import Part, Quantity, Workload, orelse
from commons.domain.names import NAMESPACE_PREFIX

REASON = "Unqueued"
QUEUE_LABEL = f"{kueue.GROUP}/queue-name"
POD_SET_LABEL = f"{kueue.GROUP}/podset"
_WORKLOAD = f"{kueue.GROUP}/workload"
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_ENDED = ("Succeeded", "Failed")

Amounts = Annotated[dict[str, Quantity], orelse({})]


class _Marked(kueue.Metadata):
    labels: Annotated[dict[str, str], orelse({})] = Field(default_factory=dict)
    annotations: Annotated[dict[str, str], orelse({})] = Field(default_factory=dict)


class _Resources(Part):
    requests: Amounts = Field(default_factory=dict)
    limits: Amounts = Field(default_factory=dict)


class _Container(Part):
    resources: Annotated[_Resources, orelse({})] = _Resources()
    restart_policy: str = ""


class _PodSpec(Part):
    node_name: str = ""
    containers: Annotated[list[_Container], orelse([])] = Field(default_factory=list)
    init_containers: Annotated[list[_Container], orelse([])] = Field(default_factory=list)


class _Condition(Part):
    type: str
    status: str = ""
    last_transition_time: AwareDatetime | None = None


class _Terminated(Part):
    finished_at: AwareDatetime | None = None


class _State(Part):
    terminated: _Terminated | None = None


class _ContainerStatus(Part):
    state: Annotated[_State, orelse({})] = _State()


class _PodStatus(Part):
    phase: str = ""
    conditions: Annotated[list[_Condition], orelse([])] = Field(default_factory=list)
    container_statuses: Annotated[list[_ContainerStatus], orelse([])] = Field(default_factory=list)


class Pod(Part):
    metadata: _Marked
    spec: Annotated[_PodSpec, orelse({})] = _PodSpec()
    status: Annotated[_PodStatus, orelse({})] = _PodStatus()

    @property
    def placed_at(self) -> datetime | None:
        """When it was put on a node, from where on it holds devices; None: it waits."""
        times = {
            c.type: c.last_transition_time for c in self.status.conditions if c.status == "True"
        }
        return times.get("PodScheduled") or self.metadata.creation_timestamp

    @property
    def ended_at(self) -> datetime | None:
        """When the last of its containers ended; None where nobody wrote it down."""
        ends = [each.state.terminated for each in self.status.container_statuses]
        return max((end.finished_at for end in ends if end and end.finished_at), default=None)

    def requests(self) -> dict[str, Decimal]:
        """What the scheduler sets aside for it: its containers together, or one of the initial."""
        total = _sum(self.spec.containers)
        aside = [each for each in self.spec.init_containers if each.restart_policy == "Always"]
        for name, amount in _sum(aside).items():
            total[name] = total.get(name, Decimal(0)) + amount
        for first in self.spec.init_containers:
            for name, amount in _sum([first]).items():
                total[name] = max(total.get(name, Decimal(0)), amount)
        return total


class Node(Part):
    metadata: _Marked

    @property
    def instance_type(self) -> str:
        return self.metadata.labels.get(_INSTANCE_TYPE, "")


def find(pods: Iterable[Pod], workloads: Iterable[Workload]) -> list[Pod]:
    """Those of the pods on a node in a team's namespace that no Workload accounts for."""
    known = {each.metadata.uid for each in workloads}
    for workload in workloads:
        known |= {owner.uid for owner in workload.metadata.owner_references}
    return [pod for pod in pods if _holds(pod) and not _accounted(pod, known)]


def as_workload(pod: Pod, nodes: Mapping[str, str]) -> Workload | None:
    """The pod as a task of its own; None if it holds nothing. `nodes`: instance types by name."""
    instance_type = nodes.get(pod.spec.node_name) or "unknown"
    asked, placed = pod.requests(), pod.placed_at
    if placed is None or not instance_types.devices_in(instance_type, asked):
        return None
    conditions = [_condition("Admitted", REASON, placed)]
    if pod.status.phase in _ENDED and pod.ended_at:
        conditions.append(_condition("Finished", pod.status.phase, pod.ended_at))
    flavors = dict.fromkeys(asked, instance_type)
    assignment = kueue.Assignment(count=1, flavors=flavors, resource_usage=asked)
    status = kueue.WorkloadStatus(
        conditions=conditions, admission=kueue.Admission(pod_set_assignments=[assignment])
    )
    spec = kueue.WorkloadSpec(pod_sets=[kueue.PodSet(count=1)])
    return Workload(metadata=_owned(pod), spec=spec, status=status)


def _holds(pod: Pod) -> bool:
    """An end that nobody dated is told as one that nobody saw."""
    ended = pod.status.phase in _ENDED and pod.ended_at is None
    ours = pod.metadata.namespace.startswith(NAMESPACE_PREFIX)
    return ours and bool(pod.spec.node_name) and not ended


def _accounted(pod: Pod, known: set[str]) -> bool:
    meta = pod.metadata
    marked = {QUEUE_LABEL, POD_SET_LABEL} & set(meta.labels) or _WORKLOAD in meta.annotations
    owners = {owner.uid for owner in meta.owner_references}
    return bool(marked) or meta.uid in known or bool(owners & known)


def _owned(pod: Pod) -> kueue.Metadata:
    """Without an owner, the pod is its own."""
    meta = kueue.Metadata.model_validate(pod.metadata.model_dump())
    if meta.owner_references:
        return meta
    own = kueue.OwnerReference(api_version="v1", kind="Pod", name=meta.name, uid=meta.uid)
    return meta.model_copy(update={"owner_references": [own]})


def _condition(kind: str, reason: str, at: datetime) -> kueue.Condition:
    return kueue.Condition(type=kind, status="True", reason=reason, last_transition_time=at)


def _sum(containers: Iterable[_Container]) -> dict[str, Decimal]:
    total: dict[str, Decimal] = {}
    for container in containers:
        # a limit alone is a request as well
        for name, amount in {**container.resources.limits, **container.resources.requests}.items():
            total[name] = total.get(name, Decimal(0)) + amount
    return total
