"""Step of publish_chargeback: once all listed files are there, which are read together.

A report that was summed up before, for a run with other inputs, has no file that is read again.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_run import ReportRef
from commons.domain.cost_plan import plan


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    ref, store = ReportRef.model_validate(event["report"]), bootstrap.chargeback_store()
    if store.is_summed_up(ref):
        return {"batches": []}
    report = store.report(ref)
    planned = plan(report, bootstrap.cost_reports().files(report))
    store.save_plan(ref, planned)
    return {"batches": store.missing_partials(ref, planned)}
