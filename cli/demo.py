"""`make demo`: one morning of a company, played on the local cloud and shown as tables.

Everything goes the way it goes in AWS: documents by upload, people by the directory, tasks by the
cluster, money by a cost report. Only the days of usage lie in the past: workloads and quotas carry
the times of a finished month, because a bill comes after the use.
"""

import contextlib
import io
import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import typer

from cli import demo_reports, demo_tasks, errors, main, output
from local import deploy, settings, state, supervisor

CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
GROUPS = ("gpu-vision", "gpu-vision-leads", "gpu-language", "gpu-language-leads")
PEOPLE = {
    "ada@example.com": "gpu-vision-leads",
    "grace@example.com": "gpu-vision",
    "edsger@example.com": "gpu-vision",
    "alan@example.com": "gpu-language-leads",
    "barbara@example.com": "gpu-language",
}
LEAVER = "edsger@example.com"


def month_before(today: datetime) -> datetime:
    """First moment of the last finished month (UTC): its tenth and eleventh day are played."""
    last = today.replace(day=1) - (today.replace(day=2) - today.replace(day=1))
    return last.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def play() -> None:
    began = time.monotonic()
    month = month_before(datetime.now(UTC))
    with local_cloud():
        documents_arrive(month)
        people_come_and_go()
        tasks_run(month)
        reports_arrive(month)
        show(month)
    output.console.print(f"\n[dim]{time.monotonic() - began:.0f} s in all.[/]")
    closing()


@contextlib.contextmanager
def local_cloud() -> Iterator[None]:
    """A new local cloud with the product on it, and an environment that leads there."""
    folder = settings.home()
    if supervisor.down(folder):
        output.console.print("[dim]Ended the local cloud that ran: the morning begins anew.[/]")
    with output.progress("Starting the local cloud"):
        supervisor.up(folder)
        running = state.running(folder)
    with output.progress("Deploying template.yaml with the SAM CLI (a minute the first time)"):
        deploy.deploy(running, folder)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ.update(settings.client_environment(running.ports))
    yield


def documents_arrive(month: datetime) -> None:
    chapter("A cluster and two teams are described")
    demo_tasks.set_calendar(month.replace(day=9, hour=8))
    for group in GROUPS:
        quietly("directory", "create-group", group)
    commons("cluster", "register", "examples/cluster.yaml")
    commons("team", "apply", "examples/vision.yaml")
    commons("team", "apply", "examples/language.yaml")


def people_come_and_go() -> None:
    chapter("The identity team puts people into groups")
    for person, group in PEOPLE.items():
        quietly("directory", "create-user", person)
        quietly("directory", "add-member", group, person)
    quietly("directory", "add-member", "gpu-vision", "ada@example.com")  # ada is in both
    settle()
    output.console.print(f"[dim]… and one leaves: {LEAVER}[/]")
    quietly("directory", "remove-member", PEOPLE[LEAVER], LEAVER)
    settle()
    demo_tasks.set_calendar(None)


def tasks_run(month: datetime) -> None:
    chapter("Tasks run, one of them on borrowed GPUs")
    output.print_table(
        "Played on the cluster",
        ["namespace", "task", "GPUs", "from", "to"],
        demo_tasks.run(month),
        right=["GPUs"],
    )
    settle()


def reports_arrive(month: datetime) -> None:
    chapter("The cost report arrives, and a newer one the day after")
    period = f"{month:%Y-%m}"
    for number in (1, 2):
        told = demo_reports.deliver(CLUSTER, month, number)
        output.console.print(f"[dim]Report {number}: {told}[/]", highlight=False)
        settle()
    commons("chargeback", "runs")
    output.console.print(f"[dim]Period {period}: the newer report replaced the older.[/]")


def show(month: datetime) -> None:
    period = f"{month:%Y-%m}"
    chapter("Who may do what, where, and why")
    who_may_do_what()
    chapter("Quota against use")
    commons("usage", "show", "--from", f"{period}-10", "--to", f"{period}-11")
    chapter("What it costs")
    commons("chargeback", "show", "--period", period)


def who_may_do_what() -> None:
    rows = []
    for team in ("vision", "language"):
        shown = json.loads(quietly("team", "show", team, "--json"))
        places = "\n".join(n["namespace"] for n in shown["namespaces"])
        for member in shown["members"]:
            because = "\n".join(member["groups"])
            sign_in = "\n".join(a["permission_set"] for a in shown["access"])
            rows.append((member["user_name"], team, member["role"], places, because, sign_in))
    columns = ["person", "team", "as", "in", "because of", "signs in with"]
    output.print_table("Access", columns, rows)


def settle() -> None:
    commons("local", "wait", "--timeout", "120")


def chapter(title: str) -> None:
    output.console.print()
    output.console.rule(f"[bold]{title}", align="left")


def commons(*words: str) -> None:
    """Run a command as a user would, and show that it was run."""
    output.console.print(f"[bold]$ commons {' '.join(words)}[/]", highlight=False)
    typer.main.get_command(main.app)(args=list(words), standalone_mode=False)


def quietly(*words: str) -> str:
    """Run a command, show only its line, and return what it printed."""
    output.console.print(f"[dim]$ commons {' '.join(words)}[/]", highlight=False)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        typer.main.get_command(main.app)(args=list(words), standalone_mode=False)
    return printed.getvalue()


def closing() -> None:
    output.console.print(
        "The local cloud keeps running. Look around:\n"
        "  .venv/bin/commons team show vision\n"
        "  .venv/bin/commons doctor\n"
        "  eval $(.venv/bin/commons local env)     then aws and kubectl reach it\n"
        "End it with:\n"
        "  .venv/bin/commons local down",
        highlight=False,
    )


def run() -> int:
    try:
        play()
    except Exception as error:  # noqa: BLE001 - report() raises again what it does not know
        return errors.report(error)
    return 0


if __name__ == "__main__":
    sys.exit(run())
