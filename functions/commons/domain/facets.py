"""What a facet of `reconcile_team` answers: its conditions, and what it did or would do."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from commons.domain.documents import NamespaceSpec, TeamDocument
from commons.domain.status import Condition


class TeamStep(BaseModel):
    """What the state machine hands to a facet of the whole team.

    `requested`: how many requests the run answers; None for a facet that never waits.
    """

    model_config = ConfigDict(frozen=True)

    team: str
    requested: int | None = None


class NamespaceStep(TeamStep):
    """What it hands to a facet of one namespace."""

    cluster: str
    namespace: str
    project: str | None = None


class Outcome(BaseModel):
    """Goes through the state machine: ids and counts, never names of people."""

    model_config = ConfigDict(frozen=True)

    conditions: list[Condition]
    actions: list[str] = []

    def also(self, conditions: list[Condition]) -> "Outcome":
        return self.model_copy(update={"conditions": [*self.conditions, *conditions]})

    def payload(self) -> dict[str, Any]:
        return self.model_dump()


def reached(type_: str, actions: list[str], message: str, observing: bool = False) -> Outcome:
    """The facet is where it should be; while observing, it says what it would have done."""
    if observing and actions:
        text = f"the cluster is observed only; would: {'; '.join(actions)}"
        return Outcome(
            conditions=[Condition(type=type_, status="True", reason="Observing", message=text)],
            actions=actions,
        )
    # the same reason whether or not something was done: `since` then says since when it is well
    condition = Condition(type=type_, status="True", reason="UpToDate", message=message)
    return Outcome(conditions=[condition], actions=actions)


def spec_of(step: NamespaceStep, document: TeamDocument) -> NamespaceSpec | None:
    """The document's entry for a namespace; None if it lists it no longer."""
    for spec in document.namespaces:
        if (spec.cluster, spec.project) == (step.cluster, step.project):
            return spec
    return None
