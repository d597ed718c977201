"""What a reconcile of a team sets out to do: its namespaces, and those that cannot be had yet."""

from collections.abc import Collection
from typing import Any

from pydantic import BaseModel, ConfigDict

from commons.domain.documents import NamespaceSpec, TeamDocument
from commons.domain.names import cluster_id, namespace_name


class ReconcilePlan(BaseModel):
    """Goes through the state machine: ids only. `requested`: how many requests it answers."""

    model_config = ConfigDict(frozen=True)

    team: str
    requested: int
    accounts: list[str]
    namespaces: list[dict[str, Any]]
    blocked: list[dict[str, Any]]


def reconcile_plan(
    document: TeamDocument, requested: int, registered: Collection[str]
) -> ReconcilePlan:
    """An unregistered cluster blocks the namespaces on it, and no others."""
    ready = [spec for spec in document.namespaces if spec.cluster in registered]
    waiting = [spec for spec in document.namespaces if spec.cluster not in registered]
    return ReconcilePlan(
        team=document.team,
        requested=requested,
        accounts=sorted({spec.cluster.split(":")[4] for spec in ready}),
        namespaces=[_ids(document.team, spec) for spec in ready],
        blocked=[
            {**_ids(document.team, spec), "message": how_to_register(spec.cluster)}
            for spec in waiting
        ],
    )


def how_to_register(cluster_arn: str) -> str:
    return (
        f"The cluster {cluster_arn} is not registered; write its document and run: "
        f"commons cluster register {cluster_id(cluster_arn)}.yaml"
    )


def _ids(team: str, spec: NamespaceSpec) -> dict[str, Any]:
    name = namespace_name(team, spec.project)
    return {"cluster": spec.cluster, "namespace": name, "project": spec.project}
