"""Carries what still runs on to now, so that today and the days before it are counted whole."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters.ledger_items import Place
from commons.bootstrap import logger


@logger.inject_lambda_context
def handler(_event: dict[str, Any], _context: LambdaContext) -> None:
    """Only namespaces are touched in which something runs, or ran on a day that is over now."""
    ledger, now = bootstrap.ledger_table(), bootstrap.now()
    for accepted in bootstrap.team_table().clusters():
        cluster = accepted.document.cluster
        in_use = ledger.namespaces_in_use(cluster)
        for namespace, keys in in_use.items():
            ledger.refresh(Place(cluster, namespace), keys, now)
        over = ledger.unfinished(cluster, now)
        for place, day in over:
            ledger.finish(place, day, now)
        logger.info("usage carried on", cluster=cluster, namespaces=len(in_use), days=len(over))
