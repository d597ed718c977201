"""The chapters that only the real cluster can tell."""

import tempfile
from pathlib import Path

from cli import demo_can_i, demo_kueue, output
from cli.demo_words import chapter, settle, watched
from local import clients, priorities, settings, state, tasks


def the_cluster_answers() -> None:
    chapter("People ask the cluster what they may do: kubectl auth can-i")
    people = [f"{person.partition('@')[0]} ({team})" for person, team in demo_can_i.PEOPLE]
    with tempfile.TemporaryDirectory() as folder:
        rows = list(demo_can_i.answers(Path(folder)))
    output.print_table("Answered by the API server", ["", "in", *people], rows)


def kueue_decides() -> None:
    chapter("Tasks run, and Kueue takes borrowed GPUs back for their owners")
    running = state.running()
    sagemaker = clients.client("sagemaker", running.ports)
    priorities.set_up(sagemaker, priorities.USUAL)
    player = tasks.tasks(settings.home(), running)
    with output.progress("Tasks are submitted, preempted, admitted again"):
        seen = list(demo_kueue.moments(player, watched))
    columns = ["at", "namespace", "task", "GPUs", "what", "why"]
    output.print_table("Seen on the cluster", columns, seen, right=["GPUs"])
    settle()
