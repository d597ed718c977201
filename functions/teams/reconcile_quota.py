"""Step of reconcile_team: give a namespace its compute quota, and wait until it can be used."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters.patience import unless_asked_again
from commons.domain.facets import NamespaceStep, spec_of
from commons.domain.quota import Quota, record_of, version_of
from commons.domain.quota_outcome import left_alone, outcome


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    step = NamespaceStep.model_validate(event)
    table = bootstrap.team_table()
    spec = spec_of(step, table.get_team_document(step.team))
    if spec is None:
        return left_alone(step).payload()
    cluster = table.registered_cluster(step.cluster)
    facet = bootstrap.namespace_quota(cluster)
    with unless_asked_again(table, step):
        quota = facet.reach(step.team, spec, cluster)
        if quota and cluster.mode == "enforce":
            facet.wait_for_namespace(step.team, step.project)
            _remember(step, quota)
    answer = outcome(quota, facet.actions, facet.warnings, cluster.mode == "observe")
    bootstrap.logger.info("quota is set", team=step.team, actions=answer.actions)
    return answer.payload()


def _remember(step: NamespaceStep, quota: Quota) -> None:
    """The history first, because the record says that this version is in it."""
    table = bootstrap.team_table()
    known = {(each.cluster, each.namespace): each.quota for each in table.namespaces(step.team)}
    record = record_of(quota)
    if known.get((step.cluster, step.namespace)) != record:
        bootstrap.usage_table().record_quota(step.cluster, step.namespace, version_of(quota))
        table.note_quota(step.team, step.cluster, step.namespace, record)
