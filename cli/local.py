"""`commons local`: the whole product on this machine, without an AWS account."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from cli import local_sign_in, output
from cli.errors import BadInput, Failure
from local import cluster, kubeconfig, nodes, quiescence, settings, state, supervisor
from local import deploy as deployment
from local import logs as supervised_logs
from local.controlplane.binaries import BinariesMissing
from local.delivery import deliver_file
from local.fixtures import FixtureFailed

app = typer.Typer(no_args_is_help=True, help="The local cloud: start, look at, feed and end it.")
app.command(hidden=True)(local_sign_in.token)
app.command()(local_sign_in.credentials)


@contextmanager
def _told() -> Iterator[None]:
    """Failures of the local cloud, in the words of the command."""
    try:
        yield
    except (supervisor.PartFailed, FixtureFailed, deployment.DeployFailed) as error:
        raise Failure(str(error)) from error
    except (state.NotRunning, quiescence.StillBusy, quiescence.WatchFailed) as error:
        raise Failure(str(error)) from error
    except BinariesMissing as error:
        raise Failure(str(error)) from error
    except (settings.PortTaken, nodes.BadNodes, cluster.BadChoice) as error:
        raise BadInput(str(error)) from error


@app.command()
def up(
    port_base: Annotated[
        int | None, typer.Option(help="First of four ports in a row; free ones otherwise.")
    ] = None,
    kubernetes: Annotated[
        cluster.Startable | None,
        typer.Option(help="Ours in memory, or the real one: make kubernetes."),
    ] = None,
    nodes: Annotated[
        str | None, typer.Option(help="Machines: ml.p5.48xlarge=4,ml.g5.8xlarge=2")
    ] = None,
    kubeconfig_file: Annotated[
        Path | None, typer.Option("--kubeconfig", help="A cluster that you bring.")
    ] = None,
    as_json: output.AsJson = False,
) -> None:
    """Start the local cloud; does nothing if it runs."""
    with _told(), output.progress("starting the local cloud") as spinner:
        chosen = cluster.choose(kubernetes, nodes, kubeconfig_file)
        started = supervisor.up(settings.home(), port_base, spinner.update, chosen)
    if started is None and (kubernetes or nodes is not None or kubeconfig_file):
        _check_same(chosen, state.running())
    if as_json:
        output.print_json({"started": started is not None})
        return
    if started is None:
        output.console.print("The local cloud runs already: commons local status")
        return
    _print_parts()
    output.console.print("Next: commons local deploy, then eval $(commons local env)")


def _check_same(chosen: cluster.Cluster, running: state.State) -> None:
    """Raises Failure where something else runs than what was asked for."""
    if (chosen.kubernetes, chosen.nodes) != (running.kubernetes, running.nodes):
        raise Failure("a local cloud with another Kubernetes runs: commons local down, then again")


@app.command()
def down(as_json: output.AsJson = False) -> None:
    """End what `up` started, and nothing else."""
    with output.progress("ending the local cloud"):
        ended = supervisor.down(settings.home())
    if as_json:
        output.print_json({"ended": ended})
        return
    said = f"Ended: {', '.join(ended)}" if ended else "No local cloud runs here."
    output.console.print(said)


@app.command()
def status(as_json: output.AsJson = False) -> None:
    """The parts, their ports and logs; exit code 1 unless all run."""
    parts = supervisor.status(settings.home())
    ended = [part for part in parts if part.state != "running"]
    if as_json:
        recorded = state.read(settings.home())
        output.print_json(
            {
                "running": bool(parts) and not ended,
                "kubernetes": recorded.kubernetes if recorded else None,
                "nodes": recorded.nodes if recorded else {},
                "parts": [{**part._asdict(), "log": str(part.log)} for part in parts],
                "fixtures": recorded.fixtures if recorded else {},
            }
        )
    elif parts:
        _print_parts()
    if not parts:
        raise Failure("no local cloud runs here: commons local up")
    if ended:
        told = "\n".join(f"{p.part} ended by itself:\n{supervised_logs.tail(p.log)}" for p in ended)
        raise Failure(told)


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
def env(as_json: output.AsJson = False) -> None:
    """Shell exports with which aws, boto3 and kubectl reach the local cloud."""
    with _told():
        running = state.running()
    home = settings.home()
    config = home / "kubeconfig"
    endpoint = settings.kubernetes_endpoint(running.ports, running.kubernetes, settings.EKS_CLUSTER)
    kubeconfig.write(config, endpoint, home / "kubernetes" / "ca.crt")
    variables = _environment(running, config)
    if as_json:
        output.print_json(variables)
        return
    lines = [f"export {name}={value}" for name, value in variables.items()]
    # one statement a line and one ; each, so that eval $(…) works with and without quotes
    output.console.print(
        "\n".join(f"{line};" for line in ["unset AWS_PROFILE AWS_SESSION_TOKEN", *lines]),
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


@app.command()
def event(files: list[Path], as_json: output.AsJson = False) -> None:
    """Deliver EventBridge events, as they are in the files, to the default bus."""
    with _told():
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
    with _told(), output.progress("looking at what is under way") as spinner:
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
    with _told(), output.progress("building and deploying template.yaml"):
        deployment.deploy(state.running(), settings.home())
    if as_json:
        output.print_json({"stack": settings.STACK})
        return
    output.console.print(f"Deployed {settings.STACK}.")


def _print_parts() -> None:
    parts = supervisor.status(settings.home())
    recorded = state.read(settings.home())
    which = f", Kubernetes {recorded.kubernetes}" if recorded else ""
    rows = [(p.part, p.state, p.port, p.pid, p.log) for p in parts]
    headings = ["part", "state", "port", "pid", "log"]
    output.print_table(f"Local cloud{which}", headings, rows, ["port", "pid"])


def _environment(running: state.State, config: Path) -> dict[str, Any]:
    return {**settings.client_environment(running.ports), "KUBECONFIG": config}
