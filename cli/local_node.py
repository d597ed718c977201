"""`commons local node`: the machines of the local cluster, and their failures."""

from typing import Annotated, Any

import typer

from cli import output
from cli.errors import BadInput, Failure
from local import settings, state
from local.machines import Machine, Machines, NoSuchMachine

app = typer.Typer(no_args_is_help=True, help="Machines of the cluster: let them fail and recover.")
_COLUMNS = ["node", "instance type", "group", "HyperPod", "Kubernetes", "pods"]
Node = Annotated[str, typer.Argument(help="Name of the node, or id of the instance.")]


@app.command("list")
def list_(as_json: output.AsJson = False) -> None:
    """Every machine, as HyperPod and Kubernetes tell."""
    found = _machines().all()
    if as_json:
        output.print_json([machine.model_dump() for machine in found])
        return
    output.print_table("Machines", _COLUMNS, map(_row, found), right=["pods"])


@app.command()
def fail(node: Node, as_json: output.AsJson = False) -> None:
    """Let a machine fail: it is reported, takes nothing new, and what ran there is lost."""
    try:
        lost = _machines().fail(node)
    except NoSuchMachine as error:
        raise BadInput(str(error)) from error
    if as_json:
        output.print_json({"node": node, "lost_pods": lost})
        return
    told = f" Lost: {', '.join(lost)}." if lost else " Nothing ran there."
    output.console.print(f"{node} failed.{told}", highlight=False)
    output.console.print(
        "A task goes on elsewhere if a machine is free, else its pods wait.\n"
        f"Next: commons local job list, then commons local node recover {node}",
        highlight=False,
    )


@app.command()
def recover(node: Node, as_json: output.AsJson = False) -> None:
    """A new machine takes the place of one that failed, under the same name."""
    try:
        _machines().recover(node)
    except NoSuchMachine as error:
        raise BadInput(str(error)) from error
    if as_json:
        output.print_json({"node": node, "recovered": True})
        return
    output.console.print(f"{node} is back. Next: commons local node list", highlight=False)


def _machines() -> Machines:
    try:
        return Machines(settings.home(), state.running())
    except state.NotRunning as error:
        raise Failure(str(error)) from error


def _row(machine: Machine) -> list[Any]:
    ready = {True: "Ready", False: "NotReady", None: "has no nodes"}[machine.ready]
    return [
        machine.node,
        machine.instance_type,
        machine.group,
        machine.status,
        ready,
        machine.pods,
    ]
