"""`commons chargeback`."""

from pathlib import Path
from typing import Annotated

import typer

from cli import chargeback_rules, chargeback_view, output
from cli.errors import BadInput
from commons.domain.chargeback_run import RunRef
from commons.domain.export_names import FORMATS

app = typer.Typer(no_args_is_help=True, help="What each namespace, team and cost center pays.")
_FORMATS = ", ".join(FORMATS)
Period = Annotated[str, typer.Option(help="Month, as YYYY-MM.")]
app.command()(chargeback_rules.apply)


@app.command()
def runs(as_json: output.AsJson = False) -> None:
    """Every run there was, and which of them is current."""
    table = chargeback_view.table()
    found = table.runs()
    pointers = [table.current(period) for period in sorted({run["period"] for run in found})]
    current = [str(pointer["run_id"]) for pointer in pointers if pointer]
    entries = [chargeback_view.run_entry(run, current) for run in found]
    if as_json:
        output.print_json(entries)
        return
    columns = ["period", "run_id", "status", "current", "total", "reasons"]
    rows = [
        [
            *(each[column] for column in columns[:3]),
            "yes" if each["current"] else "",
            each["total"],
            "; ".join([*each["reasons"], *each["warnings"]]),
        ]
        for each in entries
    ]
    output.print_table("Chargeback runs", columns, rows, right=["total"])


@app.command()
def show(
    period: Period,
    namespace: Annotated[str | None, typer.Option(help="Only this namespace.")] = None,
    team: Annotated[str | None, typer.Option(help="Only this team.")] = None,
    as_json: output.AsJson = False,
) -> None:
    """The chargeback of a month, its consumption beside it, its sum beside the bill's."""
    run = chargeback_view.known_run(period)
    shown = chargeback_view.view(run, namespace, team)
    if as_json:
        output.print_json(shown)
    else:
        chargeback_view.show(shown, run)


@app.command()
def export(
    period: Period,
    format_: Annotated[str, typer.Option("--format", help=f"One of {_FORMATS}.")] = "csv",
    target: Annotated[Path | None, typer.Option("--output", help="File to write.")] = None,
    as_json: output.AsJson = False,
) -> None:
    """Download the lines of the current run."""
    if format_ not in FORMATS:
        raise BadInput(f"{format_} is no format; give one of {_FORMATS}")
    run = chargeback_view.known_run(period)
    ref = RunRef(period=run["period"], run_id=run["run_id"])
    name, store = FORMATS[format_], chargeback_view.store()
    path = target or Path(f"{Path(name).stem}-{period}{Path(name).suffix}")
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {path.parent}; make it, or give another --output")
    with output.progress(f"Downloading {name} of run {ref.run_id}"):
        store.download_export(ref, name, path)
    if as_json:
        uri = store.export_uri(ref, name)
        output.print_json({**ref.model_dump(), "format": format_, "file": str(path), "source": uri})
    else:
        output.console.print(f"{path}: run {ref.run_id} of {period}", highlight=False)
