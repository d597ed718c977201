"""Step of publish_chargeback: all that a run reads beside its report, which names the run."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_run import ReportRef, RunRef
from commons.domain.errors import RefusedInput


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    ref, owner = ReportRef.model_validate(event["report"]), event["execution"]
    store, table, now = bootstrap.chargeback_store(), bootstrap.chargeback_table(), bootstrap.now()
    if table.report(ref) is None:
        raise RefusedInput(f"report {ref.report_id}", [f"none of that id came for {ref.period}"])
    # in this order: of two runs of a report, the one whose inputs were taken later counts
    report, inputs = store.report(ref), bootstrap.chargeback_inputs().take(ref.period)
    run = RunRef(period=ref.period, run_id=inputs.run_id(ref.report_id))
    decision = bootstrap.chargeback_claims().take_run(run, report, owner, now)
    if decision.work:
        store.save_inputs(run, inputs)
    else:
        table.release(ref, owner, "published")
    bootstrap.logger.info(decision.reason, period=run.period, run_id=run.run_id)
    return {"run": run.model_dump(), "work": decision.work, "reason": decision.reason}
