"""Applies what `domain.namespace_plan` plans in one namespace; nothing where nothing differs."""

from commons.adapters.kubernetes import Kubernetes
from commons.domain.membership import Member
from commons.domain.namespace_objects import (
    KINDS,
    check_namespace,
    namespace_labels,
    wanted_objects,
)
from commons.domain.namespace_plan import plan


class NamespaceShape:
    def __init__(self, kubernetes: Kubernetes) -> None:
        self._kubernetes = kubernetes

    def reach(
        self, team: str, project: str | None, namespace: str, members: list[Member], act: bool
    ) -> list[str]:
        """What was done, or would be. Raises Blocked and Conflict."""
        found = self._kubernetes.get("Namespace", namespace)
        observed = [{**check_namespace(found, namespace, team), "kind": "Namespace"}]
        for kind in KINDS:
            observed += self._kubernetes.list(kind, namespace)
        wanted = [namespace_labels(team, project, namespace)]
        planned = plan([*wanted, *wanted_objects(team, namespace, members)], observed)
        if act:
            for each in planned.delete:
                self._kubernetes.delete(each)
            for each in planned.apply:
                self._kubernetes.apply(each)
        return planned.actions()
