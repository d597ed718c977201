"""`commons local up`, `status`, `env` and `down`: the local cloud as processes."""

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from cli import output
from cli.errors import BadInput, Failure
from local import cluster, deploy, kubeconfig, logs, nodes, quiescence, settings, state, supervisor
from local.controlplane import binaries
from local.fixtures import FixtureFailed


@contextmanager
def told() -> Iterator[None]:
    """Failures of the local cloud, in the words of the command."""
    try:
        yield
    except (supervisor.PartFailed, FixtureFailed, deploy.DeployFailed) as error:
        raise Failure(str(error)) from error
    except (state.NotRunning, quiescence.StillBusy, quiescence.WatchFailed) as error:
        raise Failure(str(error)) from error
    except binaries.BinariesMissing as error:
        raise Failure(str(error)) from error
    except (settings.PortTaken, nodes.BadNodes, cluster.BadChoice) as error:
        raise BadInput(str(error)) from error


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
    with told(), output.progress("starting the local cloud") as spinner:
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


def down(as_json: output.AsJson = False) -> None:
    """End what `up` started, and nothing else."""
    with output.progress("ending the local cloud"):
        ended = supervisor.down(settings.home())
    if as_json:
        output.print_json({"ended": ended})
        return
    said = f"Ended: {', '.join(ended)}" if ended else "No local cloud runs here."
    output.console.print(said)


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
        raise Failure("\n".join(f"{p.part} ended by itself:\n{logs.tail(p.log)}" for p in ended))


def env(as_json: output.AsJson = False) -> None:
    """Shell exports with which aws, boto3 and kubectl reach the local cloud."""
    with told():
        running = state.running()
    home = settings.home()
    config = home / "kubeconfig"
    endpoint = settings.kubernetes_endpoint(running.ports, running.kubernetes, settings.EKS_CLUSTER)
    kubeconfig.write(config, endpoint, home / "kubernetes" / "ca.crt")
    variables = _environment(running, config)
    if as_json:
        output.print_json(variables)
        return
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    # one statement a line and one ; each, so that eval $(…) works with and without quotes
    output.console.print(
        "\n".join(f"{line};" for line in ["unset AWS_PROFILE AWS_SESSION_TOKEN", *lines]),
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def _print_parts() -> None:
    parts = supervisor.status(settings.home())
    recorded = state.read(settings.home())
    which = f", Kubernetes {recorded.kubernetes}" if recorded else ""
    rows = [(p.part, p.state, p.port, p.pid, p.log) for p in parts]
    headings = ["part", "state", "port", "pid", "log"]
    output.print_table(f"Local cloud{which}", headings, rows, ["port", "pid"])


def _environment(running: state.State, config: Path) -> dict[str, str]:
    variables = {**settings.client_environment(running.ports), "KUBECONFIG": str(config)}
    if shutil.which(binaries.KUBECTL) is None and (built := _built()):
        variables["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), str(built)])
    return variables


def _built() -> Path | None:
    """The folder with the kubectl that `make kubernetes` built where there was none."""
    try:
        return Path(binaries.kubectl()).parent
    except binaries.BinariesMissing:
        return None
