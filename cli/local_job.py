"""`commons local job`: tasks of teams, played on the local cluster."""

from typing import Annotated, Any

import typer
from lightkube import ApiError

from cli import output
from cli.errors import BadInput, Failure
from commons.domain import instance_types
from local import settings, state
from local.kubernetes import play
from local.kubernetes.play import Task
from local.task_view import Seen
from local.tasks import TaskFailed, Tasks, tasks

app = typer.Typer(no_args_is_help=True, help="Tasks of teams: submit them, end them.")
_PREFIX = "hyperpod-ns-"
_TAKES_SECONDS = 5
_COLUMNS = ["namespace", "task", "kind", "state", "since", "devices", "because"]
Namespace = Annotated[str, typer.Argument(help="hyperpod-ns-vision, or vision for short.")]
Name = Annotated[str, typer.Argument(help="What the task is called.")]


@app.command()
def submit(
    namespace: Namespace,
    name: Name,
    instance_type: Annotated[str, typer.Option(help="Of the nodes.")] = "ml.p5.48xlarge",
    pods: Annotated[int, typer.Option(min=1, help="How many pods.")] = 1,
    devices: Annotated[int, typer.Option(min=1, help="Accelerators of each pod.")] = 8,
    priority: Annotated[str, typer.Option(help="training-priority, …; none without.")] = "",
    kind: Annotated[str, typer.Option(help=" | ".join(play.KINDS))] = "Job",
    as_json: output.AsJson = False,
) -> None:
    """Submit a task to the queue of a namespace; says whether it was admitted, or why not yet."""
    if kind not in play.KINDS:
        raise BadInput(f"--kind is one of {', '.join(play.KINDS)}, not {kind}")
    if instance_types.find(instance_type) is None:
        raise BadInput(f"{instance_type} is not a known HyperPod instance type")
    task = Task(_whole(namespace), name, instance_type, pods, devices, priority, kind)
    seen = _submit(_tasks(), task)
    _tell("Submitted", [seen], as_json)
    if not as_json and seen.state == "Admitted":
        _next(f"commons local job finish {namespace} {name}    or fail it")
    elif not as_json:
        _next("commons local job list    tells when it is admitted, and why not before")


@app.command("list")
def list_(
    namespace: Annotated[str, typer.Argument(help="One namespace only.")] = "",
    as_json: output.AsJson = False,
) -> None:
    """Every task, what state it is in, since when and why."""
    found = _tasks().all(_whole(namespace) if namespace else None)
    _tell("Tasks", found, as_json)


@app.command()
def finish(namespace: Namespace, name: Name, as_json: output.AsJson = False) -> None:
    """Let a task's work be done: its pods succeed."""
    _end(namespace, name, "finish", as_json)


@app.command()
def fail(namespace: Namespace, name: Name, as_json: output.AsJson = False) -> None:
    """Let a task's work end with an error: its pods fail."""
    _end(namespace, name, "fail", as_json)


def _submit(player: Tasks, task: Task) -> Seen:
    try:
        player.submit(task)
    except ApiError as error:
        raise BadInput(f"the cluster refuses {task.namespace}/{task.name}: {error}") from error
    except TaskFailed as error:
        hint = (
            "is its namespace a team's? commons team show tells"
            if not task.priority_class
            else (f"is there a queue {task.queue}, and a priority class {task.priority_class}?")
        )
        raise Failure(f"{error}; {hint}") from error
    try:
        player.await_admitted(task, _TAKES_SECONDS)
    except TaskFailed:
        return player.seen(task)  # it waits, and says why
    return player.seen(task)


def _end(namespace: str, name: str, how: str, as_json: bool) -> None:
    player = _tasks()
    seen = _known(player, _whole(namespace), name)
    if seen.state != "Admitted":
        raise BadInput(
            f"{seen.namespace}/{name} is {seen.state}, so nothing of it runs: {seen.message}"
        )
    task = Task(seen.namespace, name, seen.instance_type, seen.pods, 1, owner_kind=seen.kind)
    try:
        player.finish(task) if how == "finish" else player.fail(task)
    except TaskFailed as error:
        raise Failure(f"{error}; commons local node list tells whether its machines run") from error
    _tell("Ended", [player.seen(task)], as_json)
    if not as_json:
        _next("commons local wait, then commons usage show    has its device-hours")


def _known(player: Tasks, namespace: str, name: str) -> Seen:
    """The newest of that name; raises BadInput."""
    found = [seen for seen in player.all(namespace) if seen.name == name]
    if not found:
        raise BadInput(f"no task {name} is in {namespace}; commons local job list has all")
    return found[-1]


def _tasks() -> Tasks:
    try:
        return tasks(settings.home(), state.running())
    except state.NotRunning as error:
        raise Failure(str(error)) from error


def _whole(namespace: str) -> str:
    return namespace if namespace.startswith(_PREFIX) else _PREFIX + namespace


def _tell(title: str, found: list[Seen], as_json: bool) -> None:
    if as_json:
        output.print_json([seen.model_dump() for seen in found])
        return
    output.print_table(title, _COLUMNS, map(_row, found))


def _row(seen: Seen) -> list[Any]:
    devices = format(seen.devices.normalize(), "f")
    well = seen.state == "Admitted" or seen.reason == "Succeeded"
    return [
        seen.namespace,
        seen.name,
        seen.kind,
        f"{seen.state}: {seen.reason}" if seen.state == "Finished" else seen.state,
        f"{seen.since:%m-%d %H:%M:%S}",
        f"{devices} of {seen.instance_type}" if seen.instance_type else devices,
        "" if well else seen.message,
    ]


def _next(words: str) -> None:
    output.console.print(f"Next: {words}", highlight=False)
