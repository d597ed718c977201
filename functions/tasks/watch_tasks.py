"""Looks at every registered cluster and tells what changed about its tasks and queues."""

from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters.task_watch import TaskWatch
from commons.adapters.workloads import observe
from commons.bootstrap import logger
from commons.domain.documents import ClusterDocument


@logger.inject_lambda_context
def handler(_event: dict[str, Any], _context: LambdaContext) -> None:
    """Raises at the end, with the names of the clusters that could not be read."""
    failed: dict[str, Exception] = {}
    for accepted in bootstrap.team_table().clusters():
        name = accepted.document.name
        try:
            _look(accepted.document)
        except Exception as error:  # noqa: BLE001 - raised below; the other clusters go on
            logger.exception("a cluster was not watched", cluster=name)
            failed[name] = error
    if failed:
        said = "; ".join(f"{name}: {error}" for name, error in failed.items())
        raise ExceptionGroup(f"not every cluster was watched ({said})", list(failed.values()))


def _look(document: ClusterDocument) -> None:
    cluster, now = document.cluster, bootstrap.now()

    @cache
    def team_of(namespace: str) -> str | None:
        holder = bootstrap.team_table().holder(cluster, namespace)
        return holder[0] if holder else None

    seen = bootstrap.watch_table().seen(cluster)
    observed = observe(bootstrap.cluster_reader(document, "watch-tasks"))
    for uid, reason in observed.unreadable.items():
        logger.warning("an object cannot be read", cluster=cluster, uid=uid, reason=reason)
    watch = TaskWatch(bootstrap.watch_table(), bootstrap.event_bus(), cluster, team_of)
    told = watch.tell(seen, observed, now)
    logger.info("cluster watched", cluster=cluster, events=told, tasks=len(observed.workloads))
