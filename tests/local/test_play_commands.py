"""`commons local job` and `commons local node`, as somebody at a terminal uses them."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lightkube.generic_resource import create_namespaced_resource

from local import clients, settings, supervisor
from local.cluster import Cluster
from local.kubernetes import play
from local.services.fixtures import CLUSTER_ARN, CLUSTER_NAME
from local.state import State

Run = Callable[..., subprocess.CompletedProcess[str]]
TEAM = "smith"
_QUEUES = create_namespaced_resource("kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("played")
    state = supervisor.up(home, cluster=Cluster(nodes={"ml.p5.48xlarge": 2}))
    assert state is not None
    try:
        _give_quota(state)
        _await_queue(home, state)
        yield home
    finally:
        supervisor.down(home)


def _give_quota(state: State) -> None:
    clients.client("sagemaker", state.ports).create_compute_quota(
        Name=TEAM,
        ClusterArn=CLUSTER_ARN,
        ComputeQuotaTarget={"TeamName": TEAM, "FairShareWeight": 10},
        ComputeQuotaConfig={
            "ComputeQuotaResources": [{"InstanceType": "ml.p5.48xlarge", "Count": 1}],
            "ResourceSharingConfig": {"Strategy": "DontLend"},
            "PreemptTeamTasks": "LowerPriority",
        },
    )


def _await_queue(home: Path, state: State) -> None:
    """What a quota makes comes after its status, as in AWS."""
    endpoint = settings.kubernetes_endpoint(state.ports, state.kubernetes, settings.EKS_CLUSTER)
    cluster = play.administrator(home, endpoint)
    until = time.monotonic() + 30
    while not list(cluster.list(_QUEUES, namespace=f"hyperpod-ns-{TEAM}")):
        assert time.monotonic() < until, "the quota made no queue"
        time.sleep(0.1)


@pytest.fixture
def run(home: Path) -> Run:
    def commons(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("commons")), "local", *words]
        environment = {"COMMONS_LOCAL_HOME": str(home), "PATH": "/usr/bin:/bin", "COLUMNS": "200"}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=60
        )

    return commons


def told(run: Run, *words: str) -> Any:
    answer = run(*words, "--json")
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def states(run: Run) -> dict[str, str]:
    return {each["name"]: each["state"] for each in told(run, "job", "list", TEAM)}


def test_a_task_is_submitted_seen_and_ended(run: Run) -> None:
    (submitted,) = told(run, "job", "submit", TEAM, "one", "--devices", "4", "--kind", "Workspace")
    assert submitted["state"] == "Admitted"
    assert (submitted["devices"], submitted["instance_type"]) == ("4", "ml.p5.48xlarge")
    told(run, "job", "submit", TEAM, "two", "--priority", "training-priority")
    assert states(run) == {"one": "Admitted", "two": "Admitted"}
    (done,) = told(run, "job", "finish", TEAM, "one")
    (failed,) = told(run, "job", "fail", f"hyperpod-ns-{TEAM}", "two")
    assert (done["state"], done["reason"]) == ("Finished", "Succeeded")
    assert (failed["state"], failed["reason"]) == ("Finished", "Failed")
    assert failed["priority_class"] == "training-priority"


def test_the_words_after_it_say_what_comes_next(run: Run) -> None:
    assert (
        "Next: commons local job finish smith three" in run("job", "submit", TEAM, "three").stdout
    )
    assert "Next: commons local wait" in run("job", "finish", TEAM, "three").stdout
    assert "three" in run("job", "list").stdout


def test_what_cannot_be_is_refused_with_what_would_do(run: Run) -> None:
    nowhere = run("job", "submit", "nowhere", "x")
    assert nowhere.returncode == 2
    assert 'namespaces "hyperpod-ns-nowhere" not found' in nowhere.stderr
    kind = run("job", "submit", TEAM, "x", "--kind", "Deployment")
    assert (kind.returncode, "HyperPodPyTorchJob" in kind.stderr) == (2, True)
    unknown = run("job", "submit", TEAM, "x", "--instance-type", "ml.none.large")
    assert (unknown.returncode, "ml.none.large" in unknown.stderr) == (2, True)
    missing = run("job", "finish", TEAM, "never")
    assert (missing.returncode, "commons local job list" in missing.stderr) == (2, True)
    told(run, "job", "submit", TEAM, "ended")
    told(run, "job", "finish", TEAM, "ended")
    again = run("job", "fail", TEAM, "ended")
    assert (again.returncode, "is Finished, so nothing of it runs" in again.stderr) == (2, True)


def test_a_machine_fails_and_recovers_in_step_with_hyperpod(run: Run, home: Path) -> None:
    first, second = told(run, "node", "list")
    assert (first["status"], first["ready"]) == ("Running", None)

    assert told(run, "node", "fail", first["node"]) == {"node": first["node"], "lost_pods": []}
    assert [each["status"] for each in told(run, "node", "list")] == ["Failure", "Running"]
    assert _group(home) == (1, 2, "Degraded")

    assert "is back" in run("node", "recover", first["instance"]).stdout
    assert told(run, "node", "list") == [first, second]
    assert _group(home) == (2, 2, "InService")


def test_a_machine_that_is_not_there_cannot_fail(run: Run) -> None:
    answer = run("node", "fail", "hyperpod-i-none")
    assert (answer.returncode, "commons local node list" in answer.stderr) == (2, True)


def test_without_a_local_cloud_it_is_said_how_to_get_one(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("commons")), "local", "job", "list"]
    answer = subprocess.run(
        command,
        env={"COMMONS_LOCAL_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (answer.returncode, "commons local up" in answer.stderr) == (1, True)


def _group(home: Path) -> tuple[int, int, str]:
    state = State.model_validate_json((home / "state.json").read_text())
    sagemaker = clients.client("sagemaker", state.ports)
    (group,) = sagemaker.describe_cluster(ClusterName=CLUSTER_NAME)["InstanceGroups"]
    return group["CurrentCount"], group["TargetCount"], group["Status"]
