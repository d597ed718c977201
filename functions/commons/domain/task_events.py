"""`TaskStateChanged` and `QueueCeilingChanged`: what the watch publishes and the ledger reads.

Field names of the detail are camelCase, as in the events of AWS. Unknown fields are ignored, so
that a newer sender does not stop an older reader; what is needed and wrong is refused by name.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from commons.domain import instance_types
from commons.domain.errors import RefusedInput
from commons.domain.incoming import read_json
from commons.domain.quantities import quantity

TASK_STATE_CHANGED = "TaskStateChanged"
QUEUE_CEILING_CHANGED = "QueueCeilingChanged"
# clocks differ a little; a transition further ahead than this is a wrong one
AHEAD = timedelta(days=1)


class State(StrEnum):
    """In the order in which a task passes through them; only `Admitted` holds devices."""

    PENDING = "Pending"
    QUOTA_RESERVED = "QuotaReserved"
    ADMITTED = "Admitted"
    EVICTED = "Evicted"
    FINISHED = "Finished"


# they become parts of keys, which are separated by #
Text = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[^#\s]+$")]
OptionalText = Annotated[
    str, Field(max_length=1024), BeforeValidator(lambda value: "" if value is None else value)
]
# more devices than any cluster has are a fault of the sender
Amount = Annotated[Decimal, Field(ge=0, le=10_000_000, decimal_places=10)]
Devices = dict[Text, Amount]


class Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )


class Workload(Part):
    name: OptionalText = ""
    uid: Text
    resource_version: OptionalText = ""


class Owner(Part):
    """The object that people made: a job, a Space, an endpoint."""

    api_version: OptionalText = ""
    kind: OptionalText = ""
    name: OptionalText = ""
    uid: OptionalText = ""


class Resources(Part):
    """Quantities as Kubernetes writes them, of all pods together, on one instance type."""

    instance_type: OptionalText = ""
    pod_count: int | None = None
    requests: dict[str, Annotated[Decimal, BeforeValidator(quantity)]] = {}

    def devices(self) -> dict[str, Decimal]:
        """Units of the dominant resource by instance type; empty if the type is not named."""
        if not self.instance_type or not self.requests:
            return {}
        return {self.instance_type: instance_types.devices_in(self.instance_type, self.requests)}


class Queue(Part):
    """What the task's ClusterQueue may use as its own since `since`, in devices."""

    name: OptionalText = ""
    ceilings: Devices = {}
    since: AwareDatetime | None = None


class QueueCeilingChanged(Part):
    """Detail of an event: a queue's own ceiling is another than before."""

    schema_version: str = "1"
    cluster_arn: Text
    namespace: Text
    queue: Queue


class TaskStateChanged(Part):
    """Detail of an event: a task has reached a state at `transition_time`."""

    schema_version: str = "1"
    cluster_arn: Text
    namespace: Text
    # empty: whoever has the namespace
    team: OptionalText = ""
    workload: Workload
    owner: Annotated[Owner, BeforeValidator(lambda value: value or {})] = Owner()
    queue_name: OptionalText = ""
    priority_class: OptionalText = ""
    previous_state: OptionalText = ""
    state: State
    reason: OptionalText = ""
    preemption_reason: OptionalText = ""
    attempt: Annotated[
        int, Field(ge=1, le=1_000_000), BeforeValidator(lambda value: 1 if value is None else value)
    ] = 1
    transition_time: AwareDatetime
    # the time is not Kubernetes' own but what the watch could know
    estimated: bool = False
    resources: Annotated[Resources, BeforeValidator(lambda value: value or {})] = Resources()
    # by instance type; a task whose pods are spread over several has more than one
    devices: Devices = {}
    queue: Annotated[Queue, BeforeValidator(lambda value: value or {})] = Queue()

    @property
    def held(self) -> dict[str, Decimal]:
        """Devices by instance type that the task has while it is admitted."""
        return self.devices or self.resources.devices()

    @model_validator(mode="after")
    def _within_reason(self) -> Self:
        _DEVICES.validate_python(self.held)
        return self


_DEVICES: TypeAdapter[Devices] = TypeAdapter(Devices)
# what reads each of our detail types
_MODELS: Mapping[str, type[TaskStateChanged] | type[QueueCeilingChanged]] = {
    TASK_STATE_CHANGED: TaskStateChanged,
    QUEUE_CEILING_CHANGED: QueueCeilingChanged,
}


def refused_because(error: ValidationError) -> list[str]:
    """One sentence per fault, with the path of the field."""
    return [
        f"{'.'.join(map(str, fault['loc'])) or 'detail'}: {fault['msg']}"
        for fault in error.errors(include_url=False)
    ]


def read(name: str, body: str, now: datetime) -> TaskStateChanged | QueueCeilingChanged:
    """The event in a message that holds an EventBridge envelope.

    Raises RefusedInput with every fault; `name` names the message.
    """
    try:
        envelope = _object(read_json(body))
        kind = str(envelope.get("detail-type"))
        model = _MODELS.get(kind)
        if model is None:
            raise RefusedInput(name, [f"detail-type: {kind:.40} is not for us"])
        event = model.model_validate(_object(envelope.get("detail")))
    except ValidationError as error:
        raise RefusedInput(name, refused_because(error)) from error
    except ValueError as error:
        raise RefusedInput(name, [str(error)]) from error
    if isinstance(event, TaskStateChanged) and event.transition_time > now + AHEAD:
        raise RefusedInput(name, ["transitionTime: lies more than a day ahead"])
    return event


def _object(value: Any) -> dict[str, Any]:
    # some senders put the detail in as text
    found = read_json(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        raise ValueError(f"{str(found)[:40]} is no JSON object")
    return found
