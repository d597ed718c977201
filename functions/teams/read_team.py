"""Step of reconcile_team: which namespaces the team wants, and which of them cannot be had yet."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.bootstrap import logger
from commons.domain.reconcile_plan import reconcile_plan


@logger.inject_lambda_context
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    table = bootstrap.team_table()
    # counted before anything is read: a request that comes later starts the next execution
    requested = table.status(event["team"]).requested
    document = table.team(event["team"]).document
    known = list(table.namespaces(event["team"]))
    clusters = {*document.clusters(), *(each.cluster for each in known)}
    registered = [arn for arn in clusters if table.find_cluster(arn)]
    return reconcile_plan(document, requested, registered, known).model_dump()
