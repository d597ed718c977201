"""Step of publish_chargeback: once all listed files are there, which are read together."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_run import RunRef
from commons.domain.cost_plan import plan


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    run = RunRef.model_validate(event["run"])
    report = bootstrap.chargeback_store().report(run)
    planned = plan(report, bootstrap.cost_reports().files(report))
    bootstrap.chargeback_store().save_plan(run, planned)
    return {"batches": list(range(len(planned.batches)))}
