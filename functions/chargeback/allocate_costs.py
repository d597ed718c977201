"""Step of publish_chargeback: hands the bill out, proves the parts, writes the lines."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_bill import Bill
from commons.domain.chargeback_lines import RunContext
from commons.domain.chargeback_rules import DEFAULT
from commons.domain.chargeback_run import RunRef


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    # as in bootstrap: what loads DuckDB is loaded with the first report, not at start-up
    from commons.adapters.cost_files import read_partials
    from commons.adapters.line_files import write_lines

    run = RunRef.model_validate(event["run"])
    store, history = bootstrap.chargeback_store(), bootstrap.chargeback_history()
    plan = store.plan(run)
    with TemporaryDirectory() as name:
        folder = Path(name)
        partials = store.partials(run, len(plan.batches), folder)
        bill = Bill(read_partials(partials, folder), history.clusters(), DEFAULT)
        context = RunContext(
            run.run_id, DEFAULT.version, run.period, bill.currency(), plan.report.delivery.uri
        )
        clusters = [cluster.arn for cluster in bill.clusters]
        lines, outcome = bill.allocate(context, history.read(run.period, clusters, ()))
        store.save_lines(run, write_lines(lines, folder))
    store.save_outcome(run, outcome)
    return {}
