"""The tasks of the demo: two days of a finished month, played on the local cluster."""

import json
import urllib.request
from collections.abc import Iterator
from datetime import datetime, timedelta

from local import settings, state
from local.kubernetes import play
from local.kubernetes.play import Task

P5 = "ml.p5.48xlarge"
# task, its first hour, its last hour; hours count from the tenth of the month, 00:00 UTC.
# vision has eight GPUs of its own: from hour 12 to 18 it holds sixteen, so eight are borrowed
PLAYED = (
    (Task("hyperpod-ns-vision", "segmentation", P5, 1, 8), 8, 20),
    (Task("hyperpod-ns-vision", "pretraining", P5, 1, 8), 12, 18),
    (Task("hyperpod-ns-language", "finetuning", P5, 1, 4), 10, 28),
    (Task("hyperpod-ns-vision-detection", "nightly", P5, 1, 8), 30, 33),
)


def set_calendar(moment: datetime | None) -> None:
    """What time the local cloud's quotas carry; None lets its clock run again."""
    url = settings.urls(state.running().ports)["COMMONS_LOCAL_DIRECTORY_URL"]
    body = json.dumps({"now": moment.isoformat() if moment else None}).encode()
    request = urllib.request.Request(  # noqa: S310 - the local cloud's own address
        f"{url}/_local/calendar", data=body, method="PUT"
    )
    with urllib.request.urlopen(request, timeout=10):  # noqa: S310 - as above
        pass


def run(month: datetime) -> Iterator[tuple[str, str, int, str, str]]:
    """Play every task and say of each where, what, how many GPUs, from when, to when."""
    running = state.running()
    endpoint = settings.kubernetes_endpoint(running.ports, running.kubernetes, settings.EKS_CLUSTER)
    client = play.administrator(settings.home(), endpoint)
    first = month.replace(day=10)
    for task, start, end in PLAYED:
        began, ended = first + timedelta(hours=start), first + timedelta(hours=end)
        play.admit(client, task, began)
        play.finish(client, task, ended)
        devices = task.pods * task.devices_per_pod
        yield task.namespace, task.name, devices, f"{began:%d %H:%M}", f"{ended:%d %H:%M}"
