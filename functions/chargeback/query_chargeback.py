"""Answers what finance asks by HTTP: months, runs, sums, lines and files. It changes nothing."""

from datetime import timedelta
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters import http_api
from commons.domain import api_answers as api
from commons.domain import chargeback_answers as answers
from commons.domain.api_questions import PERIOD_PATTERN, Paged, RunId, SummaryQuestion
from commons.domain.chargeback_query import question, summarise
from commons.domain.chargeback_run import RunRef
from commons.domain.errors import NotFound
from commons.domain.export_names import FORMATS
from commons.domain.pages import read_cursor
from commons.domain.status import iso

# long enough to begin a download, short enough to be worth nothing in a mailbox
LINK_SECONDS = 300

app = http_api.resolver()

Period = Annotated[str, Path(description="Month, YYYY-MM.", pattern=PERIOD_PATTERN)]
Format = Annotated[str, Path(description=f"One of {', '.join(FORMATS)}.")]
Run = Annotated[RunId | None, Query(description="A published run. Default: the current one.")]


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    return app.resolve(event, context)


@app.get("/periods", operation_id="listPeriods", summary="The months that have a chargeback")
def periods() -> list[api.PeriodEntry]:
    return [answers.period_entry(run) for run in bootstrap.chargeback_reading().current_runs()]


@app.get("/periods/<period>", operation_id="readPeriod", summary="The control totals of a month")
def period(period: Period, run_id: Run = None) -> api.Period:
    return answers.period(bootstrap.chargeback_reading().run(period, run_id))


@app.get(
    "/periods/<period>/summary", operation_id="summarisePeriod", summary="Sums by any dimensions"
)
def summary(period: Period, asked: Annotated[SummaryQuestion, Query()]) -> api.Summary:
    reading, wanted = bootstrap.chargeback_reading(), question(asked.by, asked.chosen())
    cursor = read_cursor(asked.cursor, len(wanted.by)) if asked.cursor else None
    run = reading.run(period, cursor.run_id if cursor else asked.run_id)
    groups = summarise(wanted, reading.records(run, wanted))
    return answers.summary(run, wanted, groups, cursor, asked.limit)


@app.get("/periods/<period>/lines", operation_id="listLines", summary="The lines, page by page")
def lines(period: Period, asked: Annotated[Paged, Query()]) -> api.Lines:
    reading, wanted = bootstrap.chargeback_reading(), question("", asked.chosen())
    cursor = read_cursor(asked.cursor, 1) if asked.cursor else None
    run = reading.run(period, cursor.run_id if cursor else asked.run_id)
    ref = RunRef(period=period, run_id=run["run_id"])
    after = (cursor and cursor.after[0]) or ""
    return answers.lines(ref, reading.lines(ref, wanted, after, asked.limit + 1), asked.limit)


@app.get(
    "/periods/<period>/exports/<format>",
    operation_id="linkExport",
    summary="Where a file of the month is fetched",
)
def export(period: Period, format: Format, run_id: Run = None) -> api.ExportLink:
    if format not in FORMATS:
        raise NotFound(f"There is no format {format}; there are: {', '.join(FORMATS)}")
    run = bootstrap.chargeback_reading().run(period, run_id)
    ref, store = RunRef(period=period, run_id=run["run_id"]), bootstrap.chargeback_store()
    if not store.has_export(ref, FORMATS[format]):
        raise NotFound(f"Run {ref.run_id} of {period} has no file {FORMATS[format]}")
    return api.ExportLink(
        **ref.model_dump(),
        format=format,
        file=FORMATS[format],
        url=store.export_link(ref, FORMATS[format], LINK_SECONDS),
        expires_at=iso(bootstrap.now() + timedelta(seconds=LINK_SECONDS)),
    )


@app.get("/runs", operation_id="listRuns", summary="Every run there was")
def runs() -> list[api.Run]:
    reading = bootstrap.chargeback_reading()
    current = reading.current_ids()
    return [answers.run(each, current) for each in reading.runs()]
