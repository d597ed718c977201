"""`commons local`: the whole product on this machine, without an AWS account."""

import time
from pathlib import Path
from typing import Annotated

import typer

from cli import local_job, local_node, local_parts, local_sign_in, output
from cli.errors import BadInput, Failure
from cli.local_parts import told
from local import deploy as deployment
from local import logs as supervised_logs
from local import quiescence, settings, state
from local.delivery import deliver_file

app = typer.Typer(no_args_is_help=True, help="The local cloud: start, look at, feed and end it.")
app.add_typer(local_job.app, name="job")
app.add_typer(local_node.app, name="node")
app.command()(local_parts.up)
app.command()(local_parts.down)
app.command()(local_parts.status)
app.command()(local_parts.env)
app.command(hidden=True)(local_sign_in.token)
app.command()(local_sign_in.credentials)


@app.command()
def logs(
    name: Annotated[str, typer.Argument(help="A part, or a function such as watch_tasks.")] = "",
    lines: Annotated[int, typer.Option(help="How many of the last lines.")] = 40,
    follow: Annotated[bool, typer.Option("--follow", help="Go on until interrupted.")] = False,
    as_json: output.AsJson = False,
) -> None:
    """What a part or a function said; without a name, what there is."""
    files = supervised_logs.known(settings.home())
    if not name and as_json:
        output.print_json({n: str(f) for n, f in sorted(files.items())})
        return
    if not name:
        output.print_table("Logs", ["name", "file"], sorted((n, str(f)) for n, f in files.items()))
        return
    log = supervised_logs.named(name, files)
    if log is None:
        raise BadInput(f"no one log is called {name}; there are: {', '.join(sorted(files))}")
    if as_json:
        told = supervised_logs.tail(log, lines).splitlines()
        output.print_json({"file": str(log), "lines": told})
        return
    output.console.print(supervised_logs.tail(log, lines), markup=False, highlight=False)
    for text in supervised_logs.follow(log) if follow else []:
        output.console.print(text, end="", markup=False, highlight=False)


@app.command()
def event(files: list[Path], as_json: output.AsJson = False) -> None:
    """Deliver EventBridge events, as they are in the files, to the default bus."""
    with told():
        ports = state.running().ports
    delivered = [one for path in files for one in deliver_file(path, ports)]
    if as_json:
        output.print_json([one.model_dump() for one in delivered])
    else:
        rows = [
            (Path(one.file).name, one.detail_type, one.outcome, "\n".join(one.rules) or one.reason)
            for one in delivered
        ]
        output.print_table("Events", ["file", "detail-type", "outcome", "rules"], rows)
    refused = [f"{one.file}: {one.reason}" for one in delivered if one.outcome == "refused"]
    if refused:
        raise BadInput("refused:\n" + "\n".join(refused))


@app.command()
def wait(
    timeout: Annotated[float, typer.Option(help="Seconds until it fails.")] = 120,
    as_json: output.AsJson = False,
) -> None:
    """Return when nothing is under way and the watch has made one full pass."""
    began = time.monotonic()
    with told(), output.progress("looking at what is under way") as spinner:
        ports = state.running().ports
        if not quiescence.is_deployed(ports):
            raise Failure("nothing is deployed to the local cloud: commons local deploy")
        quiescence.Quiescence(ports).wait(timeout, spinner.update)
    waited = round(time.monotonic() - began, 1)
    if as_json:
        output.print_json({"waited_seconds": waited})
    else:
        output.console.print(f"Nothing is under way (waited {waited} s).")


@app.command()
def deploy(as_json: output.AsJson = False) -> None:
    """Build template.yaml with the SAM CLI and deploy it to the local cloud."""
    with told(), output.progress("building and deploying template.yaml"):
        deployment.deploy(state.running(), settings.home())
    if as_json:
        output.print_json({"stack": settings.STACK})
        return
    output.console.print(f"Deployed {settings.STACK}.")
