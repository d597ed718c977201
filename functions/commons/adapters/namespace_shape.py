"""Applies what `domain.namespace_plan` plans in one namespace; nothing where nothing differs."""

from typing import Any, NamedTuple

from commons.adapters.kubernetes import Kubernetes
from commons.domain import queue_hold
from commons.domain.admission_parameters import of_document, of_namespace
from commons.domain.documents import NamespaceSpec
from commons.domain.membership import Member
from commons.domain.names import local_queue_name
from commons.domain.namespace_objects import (
    KINDS,
    check_namespace,
    namespace_labels,
    wanted_objects,
)
from commons.domain.namespace_plan import plan
from commons.domain.queue_hold import Load, State
from commons.domain.status import Condition


class Shaped(NamedTuple):
    """What was done, or would be; and what is to be said of the namespace's queue."""

    actions: list[str]
    conditions: list[Condition]


class NamespaceShape:
    def __init__(self, kubernetes: Kubernetes) -> None:
        self._kubernetes = kubernetes

    def reach(
        self,
        team: str,
        project: str | None,
        namespace: str,
        members: list[Member],
        act: bool,
        state: State = "active",
        spec: NamespaceSpec | None = None,
    ) -> Shaped:
        """The queue first: nothing starts in a team that leaves while its people are sorted.

        `spec`: the document's entry; none, if it lists the namespace no longer. Raises Blocked and
        Conflict.
        """
        found = self._kubernetes.get("Namespace", namespace)
        if found is None and state == "leaving":
            # its quota has taken it along
            return Shaped([], [])
        observed = {**check_namespace(found, namespace, team), "kind": "Namespace"}
        queue = self._kubernetes.get("LocalQueue", local_queue_name(namespace), namespace)
        actions = self._hold(namespace, queue, state, act)
        tasks = Load(0, 0)
        if state != "active":
            tasks = queue_hold.load(self._kubernetes.list("Workload", namespace))
        parameters = of_document(spec) if spec else of_namespace(observed)
        people = members if queue_hold.lets_people_in(state, tasks) else []
        wanted = [
            namespace_labels(team, project, namespace, parameters),
            *wanted_objects(team, namespace, people),
        ]
        actions += self._shape(namespace, wanted, observed, act)
        said = queue_hold.conditions(state, namespace, queue, tasks) if act else []
        return Shaped(actions, said)

    def _hold(self, namespace: str, queue: Any, state: State, act: bool) -> list[str]:
        change = queue_hold.change(state, namespace, queue)
        if change and act:
            self._kubernetes.apply(change)
        return [f"set stopPolicy {change['spec']['stopPolicy']} of its queue"] if change else []

    def _shape(self, namespace: str, wanted: list[Any], observed: Any, act: bool) -> list[str]:
        there = [observed]
        for kind in KINDS:
            there += self._kubernetes.list(kind, namespace)
        planned = plan(wanted, there)
        if act:
            for each in planned.delete:
                self._kubernetes.delete(each)
            for each in planned.apply:
                self._kubernetes.apply(each)
        return planned.actions()
