"""`commons usage`: what namespaces may use beside what they did use."""

from datetime import UTC, date, datetime
from typing import Annotated

import typer

from cli import output, usage_view
from cli.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Quota against use, in device-hours by UTC day.")


@app.callback()
def _group() -> None:
    """Keeps `show` a command of its own while it is the only one."""


@app.command()
def show(
    cluster: Annotated[str | None, typer.Option(help="Only this one, by name or ARN.")] = None,
    team: Annotated[str | None, typer.Option(help="Only this team.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Only this namespace.")] = None,
    first: Annotated[
        str | None,
        typer.Option("--from", metavar="DAY", help="First UTC day; default: of this month."),
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", metavar="DAY", help="Last UTC day; default: today.")
    ] = None,
    add_up: Annotated[bool, typer.Option("--sum", help="One row for all days together.")] = False,
    as_json: output.AsJson = False,
) -> None:
    """Quota, own, borrowed and idle device-hours by namespace, instance type and day."""
    now = datetime.now(UTC)
    until = _day(last) or now.date()
    since = _day(first) or until.replace(day=1)
    if since > until:
        raise BadInput(f"--from {since} is after --to {until}; exchange them")
    with output.progress("Reading quotas and use"):
        places = usage_view.places(cluster, team, namespace)
        rows = [row for each in places for row in usage_view.rows(each, since, until, now)]
    rows = usage_view.added_up(rows) if add_up else rows
    if as_json:
        entries = [usage_view.entry(row) for row in rows]
        output.print_json({"from": since.isoformat(), "to": until.isoformat(), "usage": entries})
    else:
        usage_view.show(rows, since, until)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BadInput(f"{text} is no day; give it as YYYY-MM-DD") from None
