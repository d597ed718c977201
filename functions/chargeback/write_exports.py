"""Step of publish_chargeback: every file that finance opens, all from the same lines."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_run import RunRef, status_at


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    # as in bootstrap: what loads DuckDB is loaded with the first report, not at start-up
    from commons.adapters import export_files
    from commons.adapters.line_files import read_lines

    run = RunRef.model_validate(event["run"])
    store, status = bootstrap.chargeback_store(), status_at(run.period, bootstrap.now())
    outcome = store.outcome(run)
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = store.lines(run, folder)
        lines = list(read_lines(files, folder))
        written = [export_files.write_csv(lines, folder), export_files.write_parquet(files, folder)]
        written += export_files.write_focus(run, lines, folder)
        written += export_files.write_statements(run, outcome, status, lines, folder)
        for path in written:
            store.save_export(run, path)
    return {}
