"""What a queue says about the tasks in it, read the same way on both clusters."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from lightkube import Client
from pydantic import BaseModel, ConfigDict

from commons.domain import instance_types
from commons.domain.kueue import Workload
from commons.domain.quantities import quantity
from local.kubernetes.play import WORKLOAD, Task, document

_COUNTED = (instance_types.NVIDIA, instance_types.NEURON_DEVICE, "cpu")


class Seen(BaseModel):
    """One task. `devices` of `instance_type` is what it has, or asks for while it has nothing."""

    model_config = ConfigDict(frozen=True)

    namespace: str
    name: str
    kind: str
    state: str
    since: datetime
    reason: str
    message: str
    devices: Decimal
    instance_type: str
    priority_class: str
    pods: int
    workload: str


def look(client: Client, namespace: str | None = None) -> list[Seen]:
    """The tasks of a namespace, or of all, oldest first."""
    found = map(document, client.list(WORKLOAD, namespace=namespace or "*"))
    return sorted(map(_seen, found), key=lambda seen: (seen.namespace, seen.since, seen.name))


def find(client: Client, task: Task) -> Seen | None:
    """The task; None where no queue knows it."""
    known = look(client, task.namespace)
    same = (each for each in known if (each.kind, each.name) == (task.owner_kind, task.name))
    return next(same, None)


def _seen(found: dict[str, Any]) -> Seen:
    workload = Workload.model_validate(found)
    state, since, reason, message = _state(workload)
    instance_type, devices = _devices(workload, found)
    owner, meta = workload.owner, workload.metadata
    return Seen(
        namespace=meta.namespace,
        name=owner.name or meta.name,
        kind=owner.kind,
        state=state,
        since=since,
        reason=reason,
        message=message,
        devices=devices,
        instance_type=instance_type,
        priority_class=workload.priority_class,
        pods=workload.pods,
        workload=meta.name,
    )


def _state(workload: Workload) -> tuple[str, datetime, str, str]:
    """The state that counts, since when, and why."""
    for kind, state in (("Finished", "Finished"), ("Admitted", "Admitted"), ("Evicted", "Evicted")):
        condition = workload.condition(kind)
        if condition and condition.status == "True":
            since = condition.last_transition_time
            return state, since, condition.reason, condition.message
    waiting = workload.condition("QuotaReserved")
    created = workload.metadata.creation_timestamp
    if created is None:
        raise ValueError(f"{workload.metadata.name} has no time of creation")
    if waiting is None:
        return "Pending", created, "", ""
    return "Pending", created, waiting.reason, waiting.message


def _devices(workload: Workload, found: dict[str, Any]) -> tuple[str, Decimal]:
    if has := workload.devices():
        name = max(has, key=lambda each: (has[each], each))
        return name, has[name]
    return "", sum(map(_asked, found["spec"].get("podSets") or []), Decimal(0))


def _asked(pod_set: dict[str, Any]) -> Decimal:
    """Accelerators; vCPUs of a task that asks for none."""
    total: dict[str, Decimal] = {}
    for container in pod_set["template"]["spec"].get("containers") or []:
        for name, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            total[name] = total.get(name, Decimal(0)) + quantity(amount)
    found = [total[name] for name in _COUNTED if name in total]
    return (found[0] if found else Decimal(0)) * int(pod_set.get("count") or 1)
