"""A quota is there before its namespace and queue are: the team is ready when all three are."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from lightkube.resources.core_v1 import Namespace

from local import settings
from local.kubernetes.play import Task
from local.tasks import tasks
from tests.stories.company import kubernetes, make_team, register_cluster
from tests.stories.conftest import Cloud

NAMESPACE = "hyperpod-ns-anchor"


@pytest.fixture
def late(cloud: Cloud) -> Iterator[Cloud]:
    """What the quota of team anchor makes in the cluster does not come until it is let."""
    _hold(cloud, late=True)
    yield cloud
    _hold(cloud, late=False)
    cloud.wait()


def _hold(cloud: Cloud, *, late: bool) -> None:
    url = settings.urls(cloud.state.ports)["COMMONS_LOCAL_DIRECTORY_URL"]
    httpx2.put(f"{url}/_local/quotas/anchor", json={"late": late}).raise_for_status()


def _quota(cloud: Cloud) -> str | None:
    known = cloud.client("sagemaker").list_compute_quotas(NameContains="anchor")
    return next((each["Status"] for each in known["ComputeQuotaSummaries"]), None)


def test_qu_10_a_team_is_ready_only_when_its_namespace_and_queue_are_seen(
    late: Cloud, tmp_path: Path
) -> None:
    register_cluster(late)
    make_team(late, tmp_path, "anchor")
    late.eventually(lambda: _quota(late) == "Created", 90)

    assert late.commons("team", "show", "anchor")["phase"] != "Ready"
    there = {each.metadata.name for each in kubernetes(late).list(Namespace)}
    assert NAMESPACE not in there
    refused = late.run("local", "job", "submit", "anchor", "early")
    assert f'namespaces "{NAMESPACE}" not found' in refused.stderr

    _hold(late, late=False)
    late.wait()
    assert late.commons("team", "show", "anchor")["phase"] == "Ready"
    player = tasks(late.home, late.state)
    task = Task(NAMESPACE, "first", "ml.c5.4xlarge", 1, 1)
    player.submit(task)
    player.await_admitted(task)
    player.finish(task)
    player.remove(task)


def test_qu_10_asking_for_a_namespace_that_nobody_has_is_an_error_and_not_nothing(
    cloud: Cloud,
) -> None:
    answer = cloud.run("usage", "show", "--namespace", "hyperpod-ns-nowhere")
    assert answer.returncode == 2
    assert "hyperpod-ns-nowhere" in answer.stderr
