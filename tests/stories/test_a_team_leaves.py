"""A team pauses, then leaves: it stands still, what runs ends, people go, and nothing is lost."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lightkube.generic_resource import create_global_resource

from local import settings
from local.kubernetes.play import Task
from local.tasks import Tasks, tasks
from tests.stories.company import (
    everybody,
    join,
    kubernetes,
    make_team,
    register_cluster,
    team_document,
)
from tests.stories.conftest import Cloud
from tests.stories.sessions import Session, sign_in

HERE = "hyperpod-ns-wharf"
PERSON = "mia@wharf.example"
FIRST, SECOND, THIRD = (
    Task(HERE, name, "ml.c5.4xlarge", pods=1, devices_per_pod=1, priority_class="")
    for name in ("a", "b", "c")
)
CLUSTER_QUEUES = create_global_resource(
    "kueue.x-k8s.io", "v1beta2", "ClusterQueue", "clusterqueues"
)


@dataclass
class Wharf:
    """Team wharf with one vCPU of its own, none lent or borrowed."""

    cloud: Cloud
    document: Path
    person: Session
    tasks: Tasks

    def becomes(self, state: str) -> dict[str, Any]:
        text = team_document("wharf").replace("state: active", f"state: {state}")
        self.document.write_text(_alone(text))
        answer = self.cloud.run("team", "apply", str(self.document))
        assert answer.returncode == 0, answer.stderr + answer.stdout
        self.cloud.wait()
        return self.shown()

    def again(self) -> dict[str, Any]:
        self.cloud.commons("team", "reconcile", "wharf")
        self.cloud.wait()
        return self.shown()

    def running(self) -> list[str]:
        return [each.name for each in self.tasks.all(HERE) if each.state == "Admitted"]

    def shown(self) -> dict[str, Any]:
        return dict(self.cloud.commons("team", "show", "wharf"))

    def quota_status(self) -> str:
        name = "commons-ab12cd34ef56-wharf"
        known = self.cloud.client("sagemaker").list_compute_quotas(NameContains=name)
        return str(known["ComputeQuotaSummaries"][-1]["Status"])


def _alone(text: str) -> str:
    return text.replace("{strategy: LendAndBorrow, borrow_limit: 100}", "{strategy: DontLend}")


def conditions(team: dict[str, Any]) -> dict[str, dict[str, Any]]:
    (namespace,) = team["namespaces"]
    return {each["type"]: each for each in namespace["conditions"]}


@pytest.fixture(scope="module")
def wharf(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Wharf:
    folder = tmp_path_factory.mktemp("documents")
    register_cluster(cloud)
    make_team(cloud, folder, "wharf")
    join(cloud, "gpu-wharf", PERSON)
    cloud.wait()
    person = sign_in(cloud, PERSON, "wharf")
    made = Wharf(cloud, folder / "wharf.yaml", person, tasks(cloud.home, cloud.state))
    assert made.becomes("active")["phase"] == "Ready"
    return made


def test_a_frozen_team_starts_nothing_and_loses_nothing(wharf: Wharf) -> None:
    wharf.tasks.submit(FIRST)
    wharf.tasks.await_admitted(FIRST)
    wharf.tasks.submit(SECOND)
    wharf.tasks.submit(THIRD)

    team = wharf.becomes("frozen")

    assert team["phase"] == "Frozen", team["conditions"]
    held = conditions(team)["QueueHeld"]
    assert held["reason"] == "Frozen"
    assert held["message"].endswith("tasks running 1, waiting 2")
    assert wharf.person.lists(HERE) == 200


def test_qu_03_a_team_that_leaves_waits_for_what_runs_and_says_how_much(wharf: Wharf) -> None:
    team = wharf.becomes("leaving")

    assert team["phase"] == "Converging"
    told = conditions(team)["QuotaReady"]
    assert told["reason"] == "StillDraining"
    assert "tasks running 1, waiting 2" in told["message"]
    assert conditions(team)["AccessVerified"]["status"] == "True"
    assert wharf.person.lists(HERE) == 200
    assert wharf.quota_status() in ("Created", "Updated")


def test_qu_03_when_nothing_runs_its_people_are_out_and_the_quota_is_left_to_a_person(
    wharf: Wharf,
) -> None:
    wharf.tasks.finish(FIRST)

    team = wharf.again()

    assert team["phase"] == "Leaving", team["conditions"]
    assert wharf.running() == [], "something started although the queue is held"
    assert everybody(wharf.cloud, HERE) == set()
    assert wharf.person.lists(HERE) == 403
    told = conditions(team)
    assert told["QuotaReady"]["reason"] == "LeftToAPerson"
    assert "delete-compute-quota" in told["QuotaReady"]["message"]
    assert told["AccessVerified"]["message"].endswith("nobody of the team may do anything here")
    assert wharf.quota_status() in ("Created", "Updated")
    assert wharf.again()["phase"] == "Leaving"


def test_qu_03_where_the_stack_may_it_deletes_the_quota_and_says_that_none_is_left(
    wharf: Wharf,
) -> None:
    _deploy(wharf.cloud, "true")
    try:
        team = wharf.again()
    finally:
        _deploy(wharf.cloud, "false")

    assert team["phase"] == "Leaving", team["conditions"]
    assert conditions(team)["QuotaReady"]["reason"] == "UpToDate"
    assert team["namespaces"][0]["quota"] is None
    assert wharf.quota_status() == "Deleted"
    assert not list(_queues(wharf.cloud))


def test_a_team_that_comes_back_gets_all_of_it_again(wharf: Wharf) -> None:
    team = wharf.becomes("active")

    assert team["phase"] == "Ready", team["conditions"]
    assert wharf.person.lists(HERE) == 200
    assert list(_queues(wharf.cloud))


def test_qu_03_a_quota_that_is_deleted_too_early_goes_when_its_last_task_has_ended(
    wharf: Wharf,
) -> None:
    # both were made within one second, so that Kueue may have taken either
    wharf.tasks.remove(THIRD)
    wharf.tasks.await_admitted(SECOND)
    (namespace,) = wharf.shown()["namespaces"]
    wharf.cloud.client("sagemaker").delete_compute_quota(ComputeQuotaId=namespace["quota"]["id"])

    queue = wharf.cloud.eventually(lambda: _going(wharf.cloud))
    assert queue["metadata"]["finalizers"] == ["kueue.x-k8s.io/resource-in-use"]
    assert wharf.quota_status() == "Deleting"
    wharf.tasks.finish(SECOND)

    assert wharf.cloud.eventually(lambda: wharf.quota_status() == "Deleted")
    assert wharf.again()["phase"] == "Ready"
    assert wharf.quota_status() == "Created"


def _going(cloud: Cloud) -> Any:
    queue = kubernetes(cloud).get(CLUSTER_QUEUES, f"{HERE}-clusterqueue")
    return queue if queue["metadata"].get("deletionTimestamp") else None


def _queues(cloud: Cloud) -> list[str]:
    queues = kubernetes(cloud).list(CLUSTER_QUEUES)
    return [q["metadata"]["name"] for q in queues if q["metadata"]["name"].startswith(HERE)]


def _deploy(cloud: Cloud, allowed: str) -> None:
    """The same stack with another word on whether it may delete what can take data along."""
    cloudformation = cloud.client("cloudformation")
    (stack,) = cloudformation.describe_stacks(StackName=settings.STACK)["Stacks"]
    kept = [
        {"ParameterKey": each["ParameterKey"], "UsePreviousValue": True}
        for each in stack["Parameters"]
        if each["ParameterKey"] != "AllowDataDeletion"
    ]
    cloudformation.update_stack(
        StackName=settings.STACK,
        UsePreviousTemplate=True,
        Parameters=[*kept, {"ParameterKey": "AllowDataDeletion", "ParameterValue": allowed}],
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
    )

    def updated() -> bool:
        (now,) = cloudformation.describe_stacks(StackName=settings.STACK)["Stacks"]
        assert "ROLLBACK" not in now["StackStatus"], now
        return str(now["StackStatus"]) == "UPDATE_COMPLETE"

    cloud.eventually(updated, 60)
