"""A task changes state: `watch_tasks` tells it, `on_task_state` counts it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from local import settings
from local.kubernetes import play
from local.kubernetes.play import Task
from local.tasks import Tasks, tasks
from tests.stories.company import ANVIL, BELLOWS, CLUSTER, kubernetes, make_lenders
from tests.stories.conftest import Cloud

TYPE = "ml.p5.48xlarge"
EVENTS = settings.CHECKOUT / "events"


@pytest.fixture(scope="module")
def forge(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    make_lenders(cloud, tmp_path_factory.mktemp("documents"))
    return cloud


@pytest.fixture
def player(forge: Cloud) -> Tasks:
    return tasks(forge.home, forge.state)


def attempts(cloud: Cloud, namespace: str, name: str) -> list[tuple[datetime, datetime, str]]:
    """Start, end and the reason of the end of each attempt of a task in the ledger."""
    items = cloud.items("UsageTable", f"NS#{CLUSTER}#{namespace}")
    found = [i for i in items if i["sk"].startswith("ATTEMPT#") and i["owner_name"] == name]
    spans = [
        (datetime.fromisoformat(i["start"]), datetime.fromisoformat(i["end"]), str(i["reason"]))
        for i in found
    ]
    return sorted(spans)


def test_ts_02_a_task_is_counted_as_its_queue_tells_through_preemption_and_failure(
    forge: Cloud, player: Tasks
) -> None:
    task = Task(ANVIL, "training", TYPE, 1, 6, "")
    owner = Task(BELLOWS, "serving", TYPE, 1, 4, "")
    player.submit(task)
    began = player.await_admitted(task)
    forge.wait()
    evicted = player.preempt(task, owner)
    served = player.seen(owner).since
    forge.wait()
    done = player.finish(owner)
    again = player.await_admitted(task)
    failed = player.fail(task)
    forge.wait()
    first, second = attempts(forge, ANVIL, task.name)
    assert first == (began, evicted, "InCohortReclamation")
    assert second == (again, failed, "Failed")
    assert attempts(forge, BELLOWS, owner.name) == [(served, done, "Succeeded")]
    player.remove(task)
    player.remove(owner)


# a month ago would make the cloud count thirty days while the task seems to run
FIRST = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=2)


def at(hours: float) -> datetime:
    return FIRST + timedelta(hours=hours)


def shown(cloud: Cloud) -> list[tuple[str, str, str]]:
    """(held, own, borrowed) of the two days."""
    days = ("--from", f"{at(0):%Y-%m-%d}", "--to", f"{at(24):%Y-%m-%d}")
    found = cloud.commons("usage", "show", *days, "--namespace", ANVIL)
    return [(row["held"], row["own"], row["borrowed"]) for row in found["usage"]]


def test_ts_02_a_task_is_counted_through_eviction_midnight_and_repeated_events(
    forge: Cloud, tmp_path: Path
) -> None:
    if forge.state.kubernetes != "embedded":
        pytest.skip("past times can be played only where no Kueue writes the present ones")
    client = kubernetes(forge)
    # four GPUs are the team's own; the task holds six
    task = Task(ANVIL, "yesterday", TYPE, 1, 6)
    play.admit(client, task, at(10))
    forge.wait()
    play.evict(client, task, at(10.5))
    forge.wait()
    play.admit(client, task, at(23))
    play.finish(client, task, at(25))
    forge.wait()
    expected = [("9", "6", "3"), ("6", "4", "2")]
    assert shown(forge) == expected

    again = _again(forge, tmp_path, task)
    forge.deliver(again, again)
    play.remove(client, task)
    forge.wait()
    assert shown(forge) == expected


def _again(cloud: Cloud, folder: Path, task: Task) -> Path:
    """The end of the task as its event, once more."""
    (attempt,) = [
        item
        for item in cloud.items("UsageTable", f"NS#{CLUSTER}#{ANVIL}")
        if item["sk"].startswith("ATTEMPT#") and item["end"] == at(25).isoformat()
    ]
    detail = {
        "clusterArn": CLUSTER,
        "namespace": ANVIL,
        "team": "anvil",
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
