"""Failure step of publish_chargeback: the run ends with its reasons, the former one stays."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_run import Failed


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    failed, table = Failed.model_validate(event), bootstrap.chargeback_table()
    reason, status = failed.error.sentence, failed.error.status
    bootstrap.logger.error("no chargeback from a report", status=status, reason=reason)
    # the first reason is the cause: what fails after it only says that something failed
    if failed.ref is None or table.is_running(failed.ref):
        now = bootstrap.now()
        bootstrap.refusals().record("cost report", failed.name, [reason], now, failed.source)
    if failed.ref:
        table.end(failed.ref, status, [reason])
    elif failed.report_ref:
        table.end_nameless(failed.report_ref, status, [reason])
    if failed.report_ref:
        table.release(failed.report_ref, failed.execution, status)
    return {}
