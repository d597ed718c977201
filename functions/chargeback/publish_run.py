"""Last step of publish_chargeback: records, then one pointer, then everybody is told."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_records import combine, prove_records
from commons.domain.chargeback_run import ReportRef, RunRef, expiry, published, status_at


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    # as in bootstrap: what loads DuckDB is loaded with the first report, not at start-up
    from commons.adapters.line_files import read_lines

    ref, run = ReportRef.model_validate(event["report"]), RunRef.model_validate(event["run"])
    store, table, now = bootstrap.chargeback_store(), bootstrap.chargeback_table(), bootstrap.now()
    outcome, status = store.outcome(run), status_at(run.period, now)
    with TemporaryDirectory() as name:
        records = combine(read_lines(store.lines(run, Path(name)), Path(name)))
    prove_records(run.run_id, records, outcome.source_total)
    table.put_records(run, records)
    flip = table.make_current(run, store.report(ref).order, outcome, status, now)
    if flip.superseded:
        table.supersede(flip.superseded, expiry(now))
    if flip.current:
        previous = flip.superseded.run_id if flip.superseded else None
        bootstrap.event_bus().publish([published(run, outcome, status, previous)])
    table.release(ref, event["execution"], "published")
    bootstrap.logger.info("run published", run_id=run.run_id, current=flip.current)
    return {"current": flip.current}
