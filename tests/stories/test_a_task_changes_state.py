"""A task changes state: `watch_tasks` tells it, `on_task_state` counts it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from local import settings
from local.kubernetes import play
from local.kubernetes.play import Task
from tests.stories.company import CLUSTER, kubernetes, make_team, register_cluster
from tests.stories.conftest import Cloud

NAMESPACE = "hyperpod-ns-speech"
TYPE = "ml.c5.4xlarge"
EVENTS = settings.CHECKOUT / "events"


# a month ago would make the cloud count thirty days while the task seems to run
FIRST = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=2)


def at(hours: float) -> datetime:
    return FIRST + timedelta(hours=hours)


def shown(cloud: Cloud) -> list[tuple[str, str, str]]:
    """(held, own, borrowed) of the two days."""
    days = ("--from", f"{at(0):%Y-%m-%d}", "--to", f"{at(24):%Y-%m-%d}")
    found = cloud.commons("usage", "show", *days, "--namespace", NAMESPACE)
    return [(row["held"], row["own"], row["borrowed"]) for row in found["usage"]]


def test_ts_02_a_task_is_counted_through_eviction_midnight_and_repeated_events(
    cloud: Cloud, tmp_path: Path
) -> None:
    register_cluster(cloud)
    make_team(cloud, tmp_path, "speech")
    cloud.wait()
    client = kubernetes(cloud)
    # one vCPU is the team's own; the task holds three
    task = Task(NAMESPACE, "training", TYPE, 1, 3)
    play.admit(client, task, at(10))
    cloud.wait()
    play.evict(client, task, at(10.5))
    cloud.wait()
    play.admit(client, task, at(23))
    play.finish(client, task, at(25))
    cloud.wait()
    expected = [("4.5", "1.5", "3"), ("3", "1", "2")]
    assert shown(cloud) == expected

    again = _again(cloud, tmp_path, task)
    cloud.deliver(again, again)
    play.remove(client, task)
    cloud.wait()
    assert shown(cloud) == expected


def _again(cloud: Cloud, folder: Path, task: Task) -> Path:
    """The end of the task as its event, once more."""
    (attempt,) = [
        item
        for item in cloud.items("UsageTable", f"NS#{CLUSTER}#{NAMESPACE}")
        if item["sk"].startswith("ATTEMPT#") and item["sk"].endswith("#2")
    ]
    detail = {
        "clusterArn": CLUSTER,
        "namespace": NAMESPACE,
        "team": "speech",
        "workload": {"name": task.workload, "uid": attempt["uid"]},
        "state": "Finished",
        "reason": attempt["reason"],
        "attempt": 2,
        "transitionTime": attempt["end"],
    }
    path = folder / "again.json"
    sample = json.loads((EVENTS / "task_finished.json").read_text())
    path.write_text(json.dumps({**sample, "detail": detail}))
    return path
