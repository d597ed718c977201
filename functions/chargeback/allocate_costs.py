"""Step of publish_chargeback: hands the bill out, proves the parts, writes the lines."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_bill import Bill
from commons.domain.chargeback_lines import RunContext
from commons.domain.chargeback_run import ReportRef, RunRef


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    # as in bootstrap: what loads DuckDB is loaded with the first report, not at start-up
    from commons.adapters.cost_files import read_partials
    from commons.adapters.line_files import write_lines

    ref, run = ReportRef.model_validate(event["report"]), RunRef.model_validate(event["run"])
    store = bootstrap.chargeback_store()
    plan, inputs = store.plan(ref), store.inputs(run)
    with TemporaryDirectory() as name:
        folder = Path(name)
        sums = read_partials(store.partials(ref, plan, folder), folder)
        bill = Bill(sums, inputs.scope(), inputs.rules)
        context = RunContext(
            run.run_id, bill.rules.version, run.period, bill.currency(), plan.report.delivery.uri
        )
        lines, outcome = bill.allocate(context, inputs.history())
        store.save_lines(run, write_lines(lines, folder))
    store.save_outcome(run, outcome)
    return {}
