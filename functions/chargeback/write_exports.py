"""Step of publish_chargeback: every file that finance opens, all from the same lines."""

from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_run import RunRef, status_at
from commons.domain.consumption import Place
from commons.domain.export_names import HTML
from commons.domain.money import total
from commons.domain.report_page import Circumstances, page
from commons.domain.usage import month_before


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    # as in bootstrap: what loads DuckDB is loaded with the first report, not at start-up
    from commons.adapters import export_files
    from commons.adapters.line_files import read_lines
    from commons.adapters.report_file import write_report

    run = RunRef.model_validate(event["run"])
    store, now = bootstrap.chargeback_store(), bootstrap.now()
    outcome, status = store.outcome(run), status_at(run.period, now)
    around = Circumstances(status, now, _amounts_before(run.period))
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = store.lines(run, folder)
        lines = list(read_lines(files, folder))
        written = [export_files.write_csv(lines, folder), export_files.write_parquet(files, folder)]
        written += export_files.write_focus(run, lines, folder)
        written += export_files.write_statements(run, outcome, status, lines, folder)
        written.append(write_report(page(run, outcome, lines, around), folder, HTML))
        for path in written:
            store.save_export(run, path)
    return {}


def _amounts_before(period: str) -> dict[Place, Decimal] | None:
    """What each namespace paid in the month before, by its current run; None: there is none."""
    table = bootstrap.chargeback_table()
    pointer = table.current(month_before(period))
    if pointer is None:
        return None
    amounts: dict[Place, list[Decimal]] = {}
    for record in table.records(str(pointer["run_id"])):
        place = (record.key.cluster, record.key.namespace)
        amounts.setdefault(place, []).append(record.amount)
    return {place: total(found) for place, found in amounts.items()}
