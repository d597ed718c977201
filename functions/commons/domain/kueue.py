"""Kueue's Workloads as v1beta1 and v1beta2 write them, in one form; queues are in `queues`.

Only what the ledger needs is read, and unknown fields are ignored, so that a newer Kueue is no
reason to stop. What is needed and missing is a ValidationError of that one object.
"""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from commons.domain import instance_types
from commons.domain.quantities import quantity

GROUP = "kueue.x-k8s.io"

Quantity = Annotated[Decimal, BeforeValidator(quantity)]


class Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )


def orelse(default: Any) -> BeforeValidator:
    # Kubernetes leaves empty fields out, and some clients write null
    return BeforeValidator(lambda value: default if value is None else value)


class Condition(Part):
    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition_time: AwareDatetime


class OwnerReference(Part):
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class Metadata(Part):
    name: str
    namespace: str = ""
    uid: Annotated[str, Field(min_length=1)]
    resource_version: str = ""
    creation_timestamp: AwareDatetime | None = None
    owner_references: Annotated[list[OwnerReference], orelse([])] = []


class _PriorityClassRef(Part):
    name: str = ""


class PodSet(Part):
    count: int = 1


class WorkloadSpec(Part):
    queue_name: str = ""
    priority_class_name: str = ""
    priority_class_ref: _PriorityClassRef | None = None
    pod_sets: Annotated[list[PodSet], orelse([])] = []


class Assignment(Part):
    count: int | None = None
    flavors: Annotated[dict[str, str], orelse({})] = {}
    resource_usage: Annotated[dict[str, Quantity], orelse({})] = {}


class Admission(Part):
    cluster_queue: str = ""
    pod_set_assignments: Annotated[list[Assignment], orelse([])] = []


class WorkloadStatus(Part):
    conditions: Annotated[list[Condition], orelse([])] = []
    admission: Admission | None = None


class Workload(Part):
    """One task as the queue sees it; `uid` names it, its name may come again."""

    metadata: Metadata
    spec: Annotated[WorkloadSpec, orelse({})] = WorkloadSpec()
    status: Annotated[WorkloadStatus, orelse({})] = WorkloadStatus()

    @property
    def priority_class(self) -> str:
        reference = self.spec.priority_class_ref
        return reference.name if reference else self.spec.priority_class_name

    @property
    def owner(self) -> OwnerReference:
        """The controlling owner, else the first; an empty one if nobody owns it."""
        owners = sorted(self.metadata.owner_references, key=lambda each: not each.controller)
        return owners[0] if owners else OwnerReference()

    @property
    def pods(self) -> int:
        return sum(each.count for each in self.spec.pod_sets)

    def condition(self, kind: str) -> Condition | None:
        return next((each for each in self.status.conditions if each.type == kind), None)

    def since(self, kind: str) -> datetime | None:
        """Since when a condition is true; None if it is not."""
        found = self.condition(kind)
        return found.last_transition_time if found and found.status == "True" else None

    def usage(self) -> dict[str, dict[str, Decimal]]:
        """What it was given, of all its pods together: flavor -> resource -> amount."""
        found: dict[str, dict[str, Decimal]] = {}
        for each in self.status.admission.pod_set_assignments if self.status.admission else []:
            for resource, amount in each.resource_usage.items():
                if flavor := each.flavors.get(resource):
                    amounts = found.setdefault(flavor, {})
                    amounts[resource] = amounts.get(resource, Decimal(0)) + amount
        return found

    def devices(self) -> dict[str, Decimal]:
        """Units of the dominant resource by flavor; HyperPod names a flavor by instance type."""
        return {
            flavor: instance_types.devices_in(flavor, amounts)
            for flavor, amounts in self.usage().items()
        }
