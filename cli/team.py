"""`commons team`."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from cli import output, stack, team_kubeconfig, team_view, team_whoami, uploads
from cli.errors import Failure
from commons.adapters.executions import Executions
from commons.adapters.runner import Runner
from commons.domain.documents import TeamDocument
from commons.domain.status import iso

app = typer.Typer(no_args_is_help=True, help="Teams: their documents, and how they are.")
Files = Annotated[list[Path], typer.Argument(help="Team documents, YAML or JSON.")]
Wait = Annotated[
    bool, typer.Option("--wait", help="Until the team is reconciled; fails if it is not well.")
]
Timeout = Annotated[float, typer.Option(help="Seconds to wait at most.")]
Team = Annotated[str, typer.Argument(help="Id of the team.")]
GOOD = {"Ready", "Frozen", "Leaving"}
app.command()(team_kubeconfig.kubeconfig)
app.command()(team_whoami.whoami)


@app.command("list")
def list_(as_json: output.AsJson = False) -> None:
    """Every team and its phase."""
    table = team_view.team_table()
    teams = [team_view.summary(table, accepted) for accepted in table.teams()]
    if as_json:
        output.print_json(teams)
        return
    columns = ["team", "title", "state", "phase", "namespaces"]
    rows = [[team[column] for column in columns] for team in teams]
    output.print_table("Teams", columns, rows, right=["namespaces"])


@app.command()
def show(team: Team, as_json: output.AsJson = False) -> None:
    """Who may do what where in a team, and why."""
    table = team_view.team_table()
    view = team_view.whole(table, team_view.known_team(table, team))
    if as_json:
        output.print_json(view)
    else:
        team_view.show(view)


@app.command()
def validate(files: Files, as_json: output.AsJson = False) -> None:
    """Check documents without uploading them; every fault is told with its line."""
    documents = uploads.read_files(files)
    found = [uploads.said(d, file=str(f), result="valid") for f, d in documents.items()]
    if as_json:
        output.print_json(found)
        return
    rows = [[each["kind"], list(each.values())[1], each["file"]] for each in found]
    output.print_table("Valid", ["kind", "of", "file"], rows)


@app.command()
def apply(
    files: Files, wait: Wait = False, timeout: Timeout = 600, as_json: output.AsJson = False
) -> None:
    """Upload team documents and wait until each is accepted."""
    documents = uploads.read_files(files)
    for file, document in documents.items():
        uploads.of_kind(file, document, TeamDocument)
    table = team_view.team_table()
    started = iso(datetime.now(UTC))
    sent = {file: uploads.upload(file, document) for file, document in documents.items()}
    told = []
    for file, document in documents.items():
        uploads.await_answer(table, document, *sent[file])
        told.append(uploads.said(document, key=sent[file][0], result="accepted"))
    if wait:
        for each in told:
            each["phase"] = _await_well(each["team"], started, timeout)
    _tell("Accepted", told, as_json)


@app.command()
def reconcile(
    team: Team, wait: Wait = False, timeout: Timeout = 600, as_json: output.AsJson = False
) -> None:
    """Have a team compared with the directory and the clusters now."""
    table = team_view.team_table()
    team_view.known_team(table, team)
    now = datetime.now(UTC)
    executions = Executions(stack.client("stepfunctions"), stack.output("ReconcileTeam"))
    Runner(table, executions).request(team, now)
    told: dict[str, Any] = {"team": team, "result": "requested"}
    if wait:
        told["phase"] = _await_well(team, iso(now), timeout)
    _tell("Requested", [told], as_json)


def _await_well(team: str, since: str, seconds: float) -> str:
    """The phase; raises Failure with the conditions that say what is wrong."""
    status = uploads.await_reconciled(team_view.team_table(), team, since, seconds)
    if status.phase in GOOD:
        return str(status.phase)
    bad = [f"{c.type}: {c.reason}: {c.message}" for c in status.conditions if c.status != "True"]
    raise Failure("\n".join([f"team {team} is {status.phase}", *bad]))


def _tell(title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        output.print_json(rows)
        return
    output.print_table(title, list(rows[0]) if rows else [], [list(row.values()) for row in rows])
