"""Asks the authorizer of one cluster who may do what, and reads who is listed where."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from commons.adapters.kubernetes import Kubernetes, Object
from commons.domain.access_questions import Question
from commons.domain.namespace_objects import TEAM_LABEL
from commons.domain.queue_hold import Load, load
from commons.domain.trespass import trespassing
from commons.domain.verification import People, Places, listed_users

_AT_ONCE = 16
# an authorizer learns of a binding a moment after it was written, each API server by itself
_PAUSES = (0.5, 1.0, 2.0)


class AccessReviews:
    def __init__(self, kubernetes: Kubernetes, sleep: Callable[[float], None] = time.sleep) -> None:
        self._kubernetes = kubernetes
        self._sleep = sleep

    def places(self, team: str, namespace: str, people: People) -> Places | None:
        """Where the team has business and where it has none; None if the namespace is not there."""
        teams = self._owners()
        if namespace not in teams:
            return None
        own = {name for name, owner in teams.items() if owner == team} | {namespace}
        return Places(
            here=namespace,
            others=tuple(sorted(name for name in teams if teams[name] and name not in own)),
            listed=listed_users(self._bindings(), people, own),
        )

    def trespassing(self) -> frozenset[str]:
        """Teams of whom somebody is listed where the team has no business."""
        return trespassing(self._bindings(), self._owners())

    def tasks(self, namespace: str) -> Load:
        """What runs and waits in a namespace."""
        return load(self._kubernetes.list("Workload", namespace))

    def wrong(self, questions: list[Question]) -> list[Question]:
        """Those whose answer is not the expected one, also when they are asked again."""
        left = self._ask(questions)
        for pause in _PAUSES:
            if not left:
                break
            self._sleep(pause)
            left = self._ask(left)
        return left

    def _owners(self) -> dict[str, str | None]:
        """The team of each namespace; None where it is nobody's."""
        return {
            each["metadata"]["name"]: (each["metadata"].get("labels") or {}).get(TEAM_LABEL)
            for each in self._kubernetes.list("Namespace")
        }

    def _bindings(self) -> list[Object]:
        return [
            *self._kubernetes.list("RoleBinding"),
            *self._kubernetes.list("ClusterRoleBinding"),
        ]

    def _ask(self, questions: list[Question]) -> list[Question]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = pool.map(lambda each: self._kubernetes.allows(each.review()), questions)
            return [
                q for q, allowed in zip(questions, answers, strict=True) if allowed != q.expected
            ]
