"""Plays of the functions that watch tasks and count device-hours."""

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from local.kubernetes import play as cluster
from local.kubernetes.play import Task
from tests.least_privilege.play import play
from tests.least_privilege.world import NAMESPACE, TEAM, World
from tests.sample_events import batch, nonsense, sample
from tests.stories.company import CLUSTER, kubernetes

WATCH, ON_TASK, TOTAL = "WatchTasksFunction", "OnTaskStateFunction", "TotalUsageFunction"
TYPE = "ml.c5.4xlarge"
_numbers = itertools.count(1)


def hours_ago(hours: float) -> datetime:
    return datetime.now(UTC) - timedelta(hours=hours)


@play(WATCH, cold=True)
def a_task_that_was_admitted(world: World) -> dict[str, Any]:
    task = Task(NAMESPACE, f"seen{next(_numbers)}", TYPE, 1, 1)
    cluster.admit(kubernetes(world.cloud), task, hours_ago(1))
    return {}


def told(state: str, number: int, at: datetime, **more: Any) -> dict[str, Any]:
    """A TaskStateChanged of the team's namespace."""
    event = sample({"Admitted": "task_admitted", "Finished": "task_finished"}[state])
    detail = event["detail"]
    detail |= {"clusterArn": CLUSTER, "namespace": NAMESPACE, "team": TEAM, **more}
    detail["transitionTime"] = f"{at:%Y-%m-%dT%H:%M:%SZ}"
    detail["workload"]["uid"] = f"00000000-0000-4000-8000-{number:012}"
    detail["devices"] = {TYPE: "1"}
    detail["resources"]["instanceType"] = TYPE
    queue = {"name": f"{NAMESPACE}-clusterqueue", "ceilings": {TYPE: "1"}}
    detail["queue"] = {**queue, "since": f"{hours_ago(48 + number):%Y-%m-%dT%H:%M:%SZ}"}
    return event


@play(ON_TASK)
def a_task_that_began(_: World) -> dict[str, Any]:
    return batch(told("Admitted", next(_numbers), hours_ago(2)))


@play(ON_TASK)
def a_task_that_began_and_ended(_: World) -> dict[str, Any]:
    number = next(_numbers)
    begun, ended = told("Admitted", number, hours_ago(30)), told("Finished", number, hours_ago(1))
    return batch(begun, ended)


@play(ON_TASK)
def a_message_about_no_task(_: World) -> dict[str, Any]:
    return nonsense()


@play(TOTAL)
def a_task_that_still_runs(world: World) -> dict[str, Any]:
    world.ask(ON_TASK, batch(told("Admitted", next(_numbers), hours_ago(2))))
    return {}


@play(TOTAL)
def a_task_that_runs_over_midnight(world: World) -> dict[str, Any]:
    number = next(_numbers)
    world.ask(ON_TASK, batch(told("Admitted", number, hours_ago(30))))
    partition, uid = f"NS#{CLUSTER}#{NAMESPACE}", f"00000000-0000-4000-8000-{number:012}"
    (attempt,) = world.drop(partition, f"ATTEMPT#{uid}", "UsageTable")
    days = [f"{hours_ago(hours):%Y-%m-%d}" for hours in (30, 24)]
    world.table("UsageTable").put_item(Item={**attempt, "covered": days})
    return {}


@play(TOTAL)
def a_day_that_is_over(world: World) -> dict[str, Any]:
    yesterday = f"{hours_ago(24):%Y-%m-%d}"
    key = {"pk": f"UNFINISHED#{CLUSTER}", "sk": f"{yesterday}#{NAMESPACE}"}
    world.table("UsageTable").put_item(Item=key)
    return {}
