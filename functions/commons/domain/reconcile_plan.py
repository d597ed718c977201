"""What a reconcile of a team sets out to do: its namespaces, and those that cannot be had yet."""

from collections.abc import Collection, Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict

from commons.domain.documents import NamespaceSpec, TeamDocument
from commons.domain.names import cluster_id, namespace_name
from commons.domain.team import NamespaceRecord


class ReconcilePlan(BaseModel):
    """Goes through the state machine: ids only. `requested`: how many requests it answers."""

    model_config = ConfigDict(frozen=True)

    team: str
    requested: int
    accounts: list[str]
    namespaces: list[dict[str, Any]]
    blocked: list[dict[str, Any]]


def reconcile_plan(
    document: TeamDocument,
    requested: int,
    registered: Collection[str],
    known: Iterable[NamespaceRecord] = (),
) -> ReconcilePlan:
    """An unregistered cluster blocks the namespaces on it, and no others.

    Namespaces that were made and are no longer in the document come too: nobody may stay in them.
    """
    ready = [spec for spec in document.namespaces if spec.cluster in registered]
    waiting = [spec for spec in document.namespaces if spec.cluster not in registered]
    wanted = [_ids(document.team, spec) for spec in ready]
    return ReconcilePlan(
        team=document.team,
        requested=requested,
        accounts=sorted({spec.cluster.split(":")[4] for spec in ready}),
        namespaces=wanted + _former(wanted, registered, known),
        blocked=[
            {**_ids(document.team, spec), "message": how_to_register(spec.cluster)}
            for spec in waiting
        ],
    )


def _former(
    wanted: list[dict[str, Any]], registered: Collection[str], known: Iterable[NamespaceRecord]
) -> list[dict[str, Any]]:
    names = {(each["cluster"], each["namespace"]) for each in wanted}
    return [
        each.model_dump(include={"cluster", "namespace", "project"})
        for each in known
        if each.cluster in registered and (each.cluster, each.namespace) not in names
    ]


def how_to_register(cluster_arn: str) -> str:
    return (
        f"The cluster {cluster_arn} is not registered; write its document and run: "
        f"commons cluster register {cluster_id(cluster_arn)}.yaml"
    )


def _ids(team: str, spec: NamespaceSpec) -> dict[str, Any]:
    name = namespace_name(team, spec.project)
    return {"cluster": spec.cluster, "namespace": name, "project": spec.project}
