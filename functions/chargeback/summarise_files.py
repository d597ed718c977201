"""Step of publish_chargeback, for each batch: exact partial sums of its files."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.chargeback_run import ReportRef


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    # as in bootstrap: what loads DuckDB is loaded with the first report, not at start-up
    from commons.adapters.cost_files import summarise

    ref, batch = ReportRef.model_validate(event["report"]), int(event["batch"])
    plan = bootstrap.chargeback_store().plan(ref)
    bucket, files = plan.report.delivery.bucket, plan.batches[batch]
    # a warm worker keeps its disk: what was downloaded must not stay
    with TemporaryDirectory() as folder:
        paths = bootstrap.cost_reports().download(bucket, files, Path(folder))
        names = [f"s3://{bucket}/{file.key}" for file in files]
        partial = Path(folder) / "partial.parquet"
        summarise(list(zip(names, paths, strict=True)), partial, ref.period)
        bootstrap.chargeback_store().save_partial(ref, plan, batch, partial)
    return {}
