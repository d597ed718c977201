"""What Kueue itself decides about tasks, and what the product's ledger then says of them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

import pytest
from lightkube.resources.core_v1 import Pod

from local.kubernetes.play import KINDS, Task
from local.machines import Machines
from local.services.fixtures import CLUSTER_NAME
from local.tasks import Tasks, tasks
from tests.stories.company import ANVIL, BELLOWS, CLUSTER, kubernetes, make_lenders
from tests.stories.conftest import Cloud

TYPE = "ml.p5.48xlarge"


@pytest.fixture(scope="module")
def forge(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    make_lenders(cloud, tmp_path_factory.mktemp("documents"))
    return cloud


@pytest.fixture
def player(forge: Cloud) -> Iterator[Tasks]:
    """Leaves nothing behind that would hold the quota."""
    player = tasks(forge.home, forge.state)
    yield player
    for seen in [*player.all(ANVIL), *player.all(BELLOWS)]:
        player.remove(task(seen.namespace, seen.name, 1, seen.kind))


def task(namespace: str, name: str, gpus: int, kind: str = "Job") -> Task:
    return Task(namespace, name, TYPE, 1, gpus, "training-priority", kind)


def attempts(cloud: Cloud, namespace: str, name: str) -> list[dict[str, Any]]:
    """What the ledger has of a task, by start."""
    items = cloud.items("UsageTable", f"NS#{CLUSTER}#{namespace}")
    ours = [i for i in items if i["sk"].startswith("ATTEMPT#") and i["owner_name"] == name]
    return sorted(ours, key=lambda item: item["start"])


def used(cloud: Cloud, namespace: str) -> dict[str, Decimal]:
    """Device-hours of all days together."""
    items = cloud.items("UsageTable", f"NS#{CLUSTER}#{namespace}")
    days = [item for item in items if item["sk"].startswith("DAY#")]
    kinds = ("held", "own", "borrowed")
    return {kind: sum((day[kind] for day in days), Decimal(0)) for kind in kinds}


def _more(
    cloud: Cloud, namespace: str, before: dict[str, dict[str, Decimal]]
) -> dict[str, Decimal]:
    """What was added to it since."""
    now = used(cloud, namespace)
    return {kind: now[kind] - before[namespace][kind] for kind in now}


def hours(start: datetime, end: datetime) -> Decimal:
    return Decimal((end - start).total_seconds()) / 3600


def about(hours: Decimal) -> Any:
    """The ledger keeps ten places."""
    return pytest.approx(hours, abs=Decimal("0.000000001"))


def test_qu_12_own_and_borrowed_use_are_kept_apart_while_the_owner_takes_its_own_back(
    forge: Cloud, player: Tasks
) -> None:
    # of two tasks that began in the same second Kueue takes either, of two priorities the lower
    low = "experimentation-priority"
    own, borrowing = task(ANVIL, "own", 4), replace(task(ANVIL, "borrowing", 2), priority_class=low)
    owners = task(BELLOWS, "owners", 4)
    before = {each: used(forge, each) for each in (ANVIL, BELLOWS)}
    player.submit(own)
    began = player.await_admitted(own)
    player.submit(borrowing)
    borrowed = player.await_admitted(borrowing)
    forge.wait()

    evicted = player.preempt(borrowing, owners)
    taken = player.seen(owners).since
    forge.wait()
    running = [seen for seen in player.all() if seen.state == "Admitted"]
    assert {seen.name: seen.devices for seen in running} == {"own": 4, "owners": 4}

    player.remove(borrowing)
    ends = {ANVIL: player.finish(own), BELLOWS: player.finish(owners)}
    forge.wait()
    lent = 2 * hours(borrowed, evicted)
    assert _more(forge, ANVIL, before) == {
        "held": about(4 * hours(began, ends[ANVIL]) + lent),
        "own": about(4 * hours(began, ends[ANVIL])),
        "borrowed": about(lent),
    }
    back = 4 * hours(taken, ends[BELLOWS])
    assert _more(forge, BELLOWS, before) == {"held": about(back), "own": about(back), "borrowed": 0}
    ended = evicted.isoformat()
    (told,) = [each for each in attempts(forge, ANVIL, "borrowing") if each["end"] == ended]
    assert told["marks"]["Evicted"]["reason"] == "InCohortReclamation"


def test_qu_07_what_got_in_past_the_queue_is_its_namespaces_use(forge: Cloud) -> None:
    cluster = kubernetes(forge)
    cluster.create(cast(Pod, Pod.from_dict(_sneaked("sneaked", 2))))
    forge.eventually(lambda: _node_of(cluster.get(Pod, "sneaked", namespace=ANVIL)))
    forge.wait()
    (told,) = attempts(forge, ANVIL, "sneaked")
    assert (told["team"], told["owner_kind"], told["queue"]) == ("anvil", "Pod", "")
    assert told["devices"] == {TYPE: 2}
    assert (told["reason"], told["end"]) == ("Unqueued", None)

    cluster.delete(Pod, "sneaked", namespace=ANVIL, grace_period=0)
    forge.eventually(lambda: _gone(forge, "sneaked"))
    before = used(forge, ANVIL)["held"]
    forge.wait()
    (ended,) = attempts(forge, ANVIL, "sneaked")
    assert ended["end"] > ended["start"]
    # the end is told in whole seconds, what was carried on until then was not
    second = Decimal(2) / 3600
    assert used(forge, ANVIL)["held"] > before - second > 0


def test_a_task_whose_machine_fails_goes_on_elsewhere_and_hyperpod_says_so(
    forge: Cloud, player: Tasks
) -> None:
    machines = Machines(forge.home, forge.state)
    running = task(ANVIL, "sturdy", 4)
    player.submit(running)
    began = player.await_admitted(running)
    first = forge.eventually(lambda: _runs_on(forge, "sturdy"))
    (there,) = [each for each in machines.all() if each.node == first]

    lost = machines.fail(there.node)
    try:
        assert [each.startswith(f"{ANVIL}/sturdy-") for each in lost] == [True]
        assert forge.eventually(lambda: _runs_on(forge, "sturdy")) != there.node
        assert _group(forge, there.group)["Status"] == "Degraded"
        (failed,) = [each for each in machines.all() if each.node == there.node]
        assert (failed.status, failed.ready) == ("Failure", False)
    finally:
        machines.recover(there.node)
    forge.eventually(lambda: all(each.ready for each in machines.all()))
    assert _group(forge, there.group)["Status"] == "InService"
    assert player.seen(running).since == began, "it was not admitted anew: its quota stayed"
    player.finish(running)


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_of_every_kind_is_admitted_and_ends(forge: Cloud, player: Tasks, kind: str) -> None:
    one, other = task(ANVIL, f"good-{kind.lower()}", 4, kind), task(BELLOWS, "bad", 4, kind)
    for each in (one, other):
        player.submit(each)
        player.await_admitted(each)
    player.finish(one)
    player.fail(other)
    assert [player.seen(each).reason for each in (one, other)] == ["Succeeded", "Failed"]


def _sneaked(name: str, gpus: int) -> dict[str, Any]:
    resources = {"limits": {"nvidia.com/gpu": str(gpus), "cpu": "1", "memory": "1Gi"}}
    container = {"name": "main", "image": "train", "resources": resources}
    spec = {"containers": [container], "restartPolicy": "Never"}
    return {"metadata": {"name": name, "namespace": ANVIL}, "spec": spec}


def _node_of(pod: Pod) -> str | None:
    return pod.spec.nodeName if pod.spec else None


def _runs_on(forge: Cloud, job: str) -> str | None:
    """The node of the task's pod, once it runs."""
    pods = kubernetes(forge).list(Pod, namespace=ANVIL, labels={"job-name": job})
    return next((_node_of(pod) for pod in pods if pod.status.phase == "Running"), None)


def _gone(forge: Cloud, name: str) -> bool:
    return name not in {p.metadata.name for p in kubernetes(forge).list(Pod, namespace=ANVIL)}


def _group(forge: Cloud, name: str) -> dict[str, Any]:
    described = forge.client("sagemaker").describe_cluster(ClusterName=CLUSTER_NAME)
    found = [g for g in described["InstanceGroups"] if g["InstanceGroupName"] == name]
    return dict(found[0])
