"""`make demo`: one morning of a company, played on the local cloud and shown as tables.

Everything goes the way it goes in AWS: documents by upload, people by the directory, tasks by the
cluster, money by a cost report. On the embedded cluster the days of usage lie in the past:
workloads and quotas carry the times of a finished month, because a bill comes after the use. On the
real one it is Kueue that admits and preempts, so the month is the one in progress.
"""

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime

from cli import demo_real, demo_reports, demo_tasks, errors, output
from cli.demo_words import chapter, commons, quietly, settle
from local import cluster, deploy, settings, state, supervisor, tasks
from local.controlplane.binaries import BinariesMissing

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


def play(kubernetes: cluster.Startable) -> None:
    began = time.monotonic()
    now = datetime.now(UTC)
    with local_cloud(kubernetes):
        if kubernetes is cluster.Startable.REAL:
            of_today(now)
        else:
            of_a_finished_month(month_before(now))
    output.console.print(f"\n[dim]{time.monotonic() - began:.0f} s in all.[/]")
    closing()


def of_a_finished_month(month: datetime) -> None:
    demo_tasks.set_calendar(month.replace(day=9, hour=8))
    documents_arrive()
    people_come_and_go()
    demo_tasks.set_calendar(None)
    tasks_run(month)
    reports_arrive(month.replace(day=10), 2)
    show(month.replace(day=10), month.replace(day=11))


def of_today(now: datetime) -> None:
    documents_arrive()
    people_come_and_go()
    demo_real.the_cluster_answers()
    demo_real.kueue_decides()
    reports_arrive(now.replace(hour=0, minute=0, second=0, microsecond=0), 1)
    show(now, now)


@contextlib.contextmanager
def local_cloud(kubernetes: cluster.Startable) -> Iterator[None]:
    """A new local cloud with the product on it, and an environment that leads there."""
    folder = settings.home()
    if supervisor.down(folder):
        output.console.print("[dim]Ended the local cloud that ran: the morning begins anew.[/]")
    chosen = cluster.choose(kubernetes, None, None)
    with output.progress(f"Starting the local cloud, Kubernetes {kubernetes}"):
        supervisor.up(folder, cluster=chosen)
        running = state.running(folder)
    with output.progress("Deploying template.yaml with the SAM CLI (a minute the first time)"):
        deploy.deploy(running, folder)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ.update(settings.client_environment(running.ports))
    yield


def documents_arrive() -> None:
    chapter("A cluster and two teams are described")
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


def tasks_run(month: datetime) -> None:
    chapter("Tasks run, one of them on borrowed GPUs")
    output.print_table(
        "Played on the cluster",
        ["namespace", "task", "GPUs", "from", "to"],
        demo_tasks.run(month),
        right=["GPUs"],
    )
    settle()


def reports_arrive(first: datetime, count: int) -> None:
    chapter("The cost report arrives" + (", and a newer one the day after" if count > 1 else ""))
    for number in range(1, count + 1):
        told = demo_reports.deliver(CLUSTER, first, number)
        output.console.print(f"[dim]Report {number}: {told}[/]", highlight=False)
        settle()
    commons("chargeback", "runs")
    if count > 1:
        told = f"Period {first:%Y-%m}: the newer report replaced the older."
    else:
        told = f"Period {first:%Y-%m} is in progress: each newer report will replace this one."
    output.console.print(f"[dim]{told}[/]")


def show(first: datetime, last: datetime) -> None:
    chapter("Who may do what, where, and why")
    who_may_do_what()
    chapter("Quota against use")
    commons("usage", "show", "--from", f"{first:%Y-%m-%d}", "--to", f"{last:%Y-%m-%d}")
    chapter("What it costs")
    commons("chargeback", "show", "--period", f"{first:%Y-%m}")


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
    parser = argparse.ArgumentParser(prog="make demo KUBERNETES=…", description=__doc__)
    choices = [each.value for each in cluster.Startable]
    parser.add_argument("kubernetes", nargs="?", choices=choices, default="embedded")
    kubernetes = cluster.Startable(parser.parse_args().kubernetes)
    try:
        play(kubernetes)
    except (BinariesMissing, tasks.TaskFailed) as error:
        return errors.report(errors.Failure(str(error)))
    except Exception as error:  # noqa: BLE001 - report() raises again what it does not know
        return errors.report(error)
    return 0


if __name__ == "__main__":
    sys.exit(run())
