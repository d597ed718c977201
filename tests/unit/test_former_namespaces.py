"""Namespaces that left a document are still reconciled, so that nobody stays in them."""

from commons.domain.documents import TeamDocument
from commons.domain.reconcile_plan import reconcile_plan
from commons.domain.team import NamespaceRecord

HERE = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
THERE = "arn:aws:sagemaker:us-west-2:111122223333:cluster/zz12cd34ef56"


def record(cluster: str, project: str | None = None) -> NamespaceRecord:
    name = "hyperpod-ns-alpha" + (f"-{project}" if project else "")
    return NamespaceRecord(cluster=cluster, namespace=name, project=project)


def names(known: list[NamespaceRecord], registered: list[str]) -> list[tuple[str, str | None]]:
    document = TeamDocument.model_validate(
        {"kind": "Team", "team": "alpha", "title": "a", "namespaces": [{"cluster": HERE}]}
    )
    plan = reconcile_plan(document, 1, registered, known)
    return [(each["cluster"], each["project"]) for each in plan.namespaces]


def test_what_the_document_lists_comes_once() -> None:
    assert names([record(HERE)], [HERE]) == [(HERE, None)]


def test_a_dropped_project_and_a_dropped_cluster_come_too() -> None:
    known = [record(HERE), record(HERE, "x"), record(THERE)]

    assert names(known, [HERE, THERE]) == [(HERE, None), (HERE, "x"), (THERE, None)]


def test_what_cannot_be_reached_any_more_is_left_out() -> None:
    assert names([record(THERE)], [HERE]) == [(HERE, None)]
