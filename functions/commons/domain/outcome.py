"""What a reconcile came to: conditions of the team and of each namespace, and the phases."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from commons.domain.documents import TeamDocument
from commons.domain.events import OutgoingEvent
from commons.domain.names import namespace_name
from commons.domain.status import (
    Condition,
    Phase,
    changed,
    conditions_of,
    phase_of,
    with_since,
)
from commons.domain.team import NamespaceRecord, TeamStatus


class NamespaceOutcome(BaseModel):
    """What the facets of one namespace answered."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    cluster: str
    namespace: str
    quota: dict[str, Any] = {}
    shape: dict[str, Any] = {}
    verify: dict[str, Any] = {}

    def conditions(self) -> list[Condition]:
        return [
            *conditions_of("QuotaReady", self.quota),
            *conditions_of("NamespaceReady", self.shape),
            *conditions_of("AccessVerified", self.verify),
        ]


class BlockedNamespace(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    cluster: str
    namespace: str
    message: str


class Outcome(BaseModel):
    """The input of the last step. A facet is {"conditions": …} or {"error": …, "cause": …}.

    `execution`: ARN of the execution. `requested`: how many requests it has seen.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    team: str
    execution: str
    requested: int
    blocked: list[BlockedNamespace] = []
    read: dict[str, Any] = {}
    members: dict[str, Any] = {}
    access: dict[str, Any] = {}
    namespaces: list[NamespaceOutcome] = []

    @property
    def failed(self) -> bool:
        facets = [self.read, self.members, self.access]
        facets += [
            facet for each in self.namespaces for facet in (each.quota, each.shape, each.verify)
        ]
        return any("error" in facet for facet in facets)


class NamespaceResult(BaseModel):
    model_config = ConfigDict(frozen=True)

    cluster: str
    namespace: str
    project: str | None
    phase: Phase
    conditions: list[Condition]


class Result(BaseModel):
    """What is recorded and told. `news`: conditions whose status or reason has changed."""

    model_config = ConfigDict(frozen=True)

    team: str
    phase: Phase
    conditions: list[Condition]
    news: list[Condition]
    namespaces: list[NamespaceResult]


def result_of(
    outcome: Outcome,
    document: TeamDocument | None,
    status: TeamStatus,
    before: list[NamespaceRecord],
    now: datetime,
) -> Result:
    """Compare what came out with what was recorded; `document` is None for an unknown team."""
    namespaces = _namespaces(outcome, document, before, now)
    own = conditions_of("DocumentReady", outcome.read)
    own += conditions_of("MembersReady", outcome.members)
    own += conditions_of("AccessReady", outcome.access)
    own += _in_short(namespaces)
    conditions = with_since(own, status.conditions, now)
    every = conditions + [condition for each in namespaces for condition in each.conditions]
    return Result(
        team=outcome.team,
        phase=phase_of(every, document.state if document else "active"),
        conditions=conditions,
        news=changed(conditions, status.conditions),
        namespaces=namespaces,
    )


def reconciled_event(result: Result) -> OutgoingEvent:
    """TeamReconciled: ids, phases and what has changed, nothing about people."""
    told = {"type", "status", "reason", "message"}
    return OutgoingEvent(
        detail_type="TeamReconciled",
        detail={
            "schemaVersion": "1",
            "team": result.team,
            "phase": result.phase,
            "changed": [condition.model_dump(include=told) for condition in result.news],
            "namespaces": [
                each.model_dump(include={"cluster", "namespace", "phase"})
                for each in result.namespaces
            ],
        },
    )


def _namespaces(
    outcome: Outcome,
    document: TeamDocument | None,
    before: list[NamespaceRecord],
    now: datetime,
) -> list[NamespaceResult]:
    found = _found(outcome)
    former = {(each.cluster, each.namespace): each for each in before}
    results = []
    for spec in document.namespaces if document else []:
        name = namespace_name(outcome.team, spec.project)
        if (key := (spec.cluster, name)) not in found:
            continue
        old = former[key].conditions if key in former else []
        conditions = with_since(found[key], old, now)
        results.append(
            NamespaceResult(
                cluster=spec.cluster,
                namespace=name,
                project=spec.project,
                phase=phase_of(conditions, document.state if document else "active"),
                conditions=conditions,
            )
        )
    return results


def _found(outcome: Outcome) -> dict[tuple[str, str], list[Condition]]:
    """Conditions by cluster and namespace, reached or not."""
    found = {(each.cluster, each.namespace): each.conditions() for each in outcome.namespaces}
    for each in outcome.blocked:
        blocked = Condition(
            type="ClusterRegistered", status="False", reason="Blocked", message=each.message
        )
        found[each.cluster, each.namespace] = [blocked]
    return found


def _in_short(namespaces: list[NamespaceResult]) -> list[Condition]:
    """One condition of the team about all of its namespaces; none if it has none."""
    if not namespaces:
        return []
    bad = [c for each in namespaces for c in each.conditions if c.status != "True"]
    if not bad:
        text = f"all {len(namespaces)} namespaces are as the document says"
        return [Condition(type="NamespacesReady", status="True", reason="UpToDate", message=text)]
    ready = sum(all(c.status == "True" for c in each.conditions) for each in namespaces)
    text = f"{ready} of {len(namespaces)} are ready; the first fault: {bad[0].message}"
    return [Condition(type="NamespacesReady", status="False", reason=bad[0].reason, message=text)]
