"""Step of reconcile_team: labels, roles, people and isolation of one namespace."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.facets import NamespaceStep, reached, spec_of


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    step = NamespaceStep.model_validate(event)
    table = bootstrap.team_table()
    cluster = table.registered_cluster(step.cluster)
    act = cluster.mode == "enforce"
    document = table.get_team_document(step.team)
    spec = spec_of(step, document)
    # the people as they were last read whole: a directory that does not answer takes from nobody
    members = bootstrap.member_table().members(step.team).values() if spec else ()
    shape = bootstrap.namespace_shape(cluster)
    shaped = shape.reach(
        step.team, step.project, step.namespace, list(members), act, document.state, spec
    )
    text = "labels, limits, roles, people, isolation and object counts are as they should be"
    answer = reached("NamespaceReady", shaped.actions, text, observing=not act).also(
        shaped.conditions
    )
    bootstrap.logger.info("namespace is shaped", team=step.team, actions=answer.actions)
    return answer.payload()
