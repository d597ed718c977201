"""Step of reconcile_team: give a namespace its compute quota, and wait until it can be used."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap, settings
from commons.adapters.patience import unless_asked_again
from commons.domain.documents import ClusterDocument, NamespaceSpec
from commons.domain.facets import NamespaceStep, Outcome, spec_of
from commons.domain.quota import Quota, ended, record_of, version_of
from commons.domain.quota_outcome import leaving, left_alone, outcome
from commons.domain.team import QuotaRecord


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    step = NamespaceStep.model_validate(event)
    table = bootstrap.team_table()
    document = table.get_team_document(step.team)
    spec = spec_of(step, document)
    if spec is None:
        return left_alone(step).payload()
    cluster = table.registered_cluster(step.cluster)
    take = _leave if document.state == "leaving" else _reach
    with unless_asked_again(table, step):
        answer = take(step, spec, cluster)
    bootstrap.logger.info("quota is set", team=step.team, actions=answer.actions)
    return answer.payload()


def _reach(step: NamespaceStep, spec: NamespaceSpec, cluster: ClusterDocument) -> Outcome:
    facet = bootstrap.namespace_quota(cluster)
    quota = facet.reach(step.team, spec, cluster)
    if quota and cluster.mode == "enforce":
        facet.wait_for_namespace(step.team, step.project)
        _remember(step, quota)
    return outcome(quota, facet.actions, facet.warnings, cluster.mode == "observe")


def _leave(step: NamespaceStep, spec: NamespaceSpec, cluster: ClusterDocument) -> Outcome:
    observing = cluster.mode == "observe"
    delete = settings.Deletion.read().allow_data_deletion and not observing
    facet = bootstrap.namespace_quota(cluster)
    quota = facet.leave(step.team, spec, delete)
    if quota is None:
        _forget(step)
    return leaving(step.team, step.namespace, quota, observing)


def _remember(step: NamespaceStep, quota: Quota) -> None:
    """The history first, because the record says that this version is in it."""
    record = record_of(quota)
    if _recorded(step) != record:
        bootstrap.usage_table().record_quota(step.cluster, step.namespace, version_of(quota))
        bootstrap.team_table().note_quota(step.team, step.cluster, step.namespace, record)


def _forget(step: NamespaceStep) -> None:
    """From now on the namespace pays for no share of the cluster."""
    if record := _recorded(step):
        end = ended(record, bootstrap.now())
        bootstrap.usage_table().record_quota(step.cluster, step.namespace, end)
        bootstrap.team_table().note_quota(step.team, step.cluster, step.namespace, None)


def _recorded(step: NamespaceStep) -> QuotaRecord | None:
    known = bootstrap.team_table().namespaces(step.team)
    places = {(each.cluster, each.namespace): each.quota for each in known}
    return places.get((step.cluster, step.namespace))
