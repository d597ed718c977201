"""A task has a priority that its namespace was given, or none."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.admission.api import (
    NAMESPACE,
    STRANGER,
    TENANT,
    Api,
    allowed,
    path,
    refused,
    said,
)
from tests.cluster.admission.things import (
    PRIORITY,
    QUEUE,
    WITH,
    cron,
    job,
    pod,
    thing,
    with_template,
    workload,
)


@pytest.fixture
def priorities(api: Api) -> Iterator[Any]:
    """Sets the list of the namespace, as its team's document does."""
    namespace = thing("Namespace", namespace=None, name=NAMESPACE)

    def use(names: str | None) -> None:
        changes = {"metadata": {"annotations": {"gpu.commons/priority-classes": names}}}
        allowed(api.patch(namespace, changes))
        _settled(api, names)

    yield use
    use(None)


def _settled(api: Api, names: str | None) -> None:
    """The server reads the namespace from its own copy, which is a moment late."""
    until = time.monotonic() + 10
    probe = pod({**QUEUE, PRIORITY: "probe"})
    listed = f"classes {names.replace(',', ', ')}:" if names else "no priority class"
    while True:
        text = said(api.create(probe, TENANT))
        if (listed in text) if names is not None else not text:
            return
        assert time.monotonic() < until, text
        time.sleep(0.1)


def prioritised(name: str) -> dict[str, Any]:
    labels = {**QUEUE, PRIORITY: name}
    return {
        "pod": pod(labels),
        "job": job(labels),
        "cron job": cron(labels),
        "deployment by its pods": with_template("Deployment", labels),
        "deployment": with_template("Deployment", QUEUE, labels),
        "Space": thing(
            "Workspace", "workspace.jupyter.org/v1alpha1", labels=labels, spec={"displayName": "a"}
        ),
    }


@pytest.mark.parametrize("what", list(prioritised("")))
def test_a_task_has_only_a_priority_of_the_list(api: Api, priorities: Any, what: str) -> None:
    priorities("low-priority,training-priority")

    high = api.create(prioritised("inference-priority")[what], TENANT)
    refused(high, "priority", "only the priority classes low-priority, training-priority")
    allowed(api.create(prioritised("training-priority")[what], TENANT))


def test_an_empty_list_leaves_tasks_without_a_priority(api: Api, priorities: Any) -> None:
    priorities("")

    refused(api.create(job({**QUEUE, PRIORITY: "low"}), TENANT), "priority", "no priority class")
    allowed(api.create(job(), TENANT))


def test_without_a_list_every_priority_is_allowed(api: Api) -> None:
    allowed(api.create(job({**QUEUE, PRIORITY: "inference-priority"}), TENANT))


def test_a_priority_cannot_be_raised_later(api: Api, priorities: Any) -> None:
    priorities("low")
    task = api.made(job({**QUEUE, PRIORITY: "low"}), TENANT)

    refused(api.patch(task, {"metadata": {"labels": {PRIORITY: "high"}}}, TENANT), "priority")


@pytest.mark.parametrize("what", ["job", "cron job", "deployment"])
def test_a_template_names_no_priority_class_of_the_cluster(api: Api, what: str) -> None:
    task = WITH[what]
    inner = task["spec"]["jobTemplate"]["spec"] if what == "cron job" else task["spec"]
    urgent = {**inner["template"]["spec"], "priorityClassName": "system-cluster-critical"}
    template = {**inner["template"], "spec": urgent}
    changed = {**inner, "template": template}
    whole = {"jobTemplate": {**task["spec"].get("jobTemplate", {}), "spec": changed}}
    spec = {**task["spec"], **(whole if what == "cron job" else changed)}

    answer = api.create({**task, "spec": spec}, TENANT)

    refused(answer, "priority", "may not name a priorityClassName")


@pytest.mark.parametrize("user", [TENANT, STRANGER])
def test_no_pod_has_a_priority_of_the_cluster(api: Api, user: str) -> None:
    urgent = pod(priorityClassName="system-node-critical")

    refused(api.create(urgent, user), "priority", "may not have a priorityClassName")


def test_no_workload_of_whatever_kind_has_another_priority(api: Api, priorities: Any) -> None:
    priorities("low")

    refused(api.create(workload("kueue.x-k8s.io", "high", 9), STRANGER), "priority", "only the")
    refused(api.create(workload("scheduling.k8s.io", "any", 9), STRANGER), "priority")
    refused(api.create(workload("", "", 9), STRANGER), "priority")
    allowed(api.create(workload("kueue.x-k8s.io", "low", 9), STRANGER))
    allowed(api.create(workload("scheduling.k8s.io", "any", 0), STRANGER))
    allowed(api.create(workload("", "", 0), STRANGER))


def priority_class(name: str, value: int) -> Any:
    return thing("WorkloadPriorityClass", "kueue.x-k8s.io/v1beta2", None, name=name, value=value)


@pytest.fixture
def ranks(api: Api) -> Iterator[dict[str, int]]:
    """Two priority classes of the cluster."""
    values = {"low": 1, "high": 9}
    yield values
    for name, value in values.items():
        api.delete(priority_class(name, value))


def test_kueue_makes_no_workload_of_another_priority(
    api: Api, priorities: Any, ranks: dict[str, int]
) -> None:
    """The last line, behind whatever kind of task or operator there may be."""
    for name, value in ranks.items():
        api.apply(priority_class(name, value))
    priorities("low")
    # a task of no tenant: nobody looks at its label before Kueue does
    high = api.made(job({**QUEUE, PRIORITY: "high"}), STRANGER)
    low = api.made(job({**QUEUE, PRIORITY: "low"}), TENANT)

    until = time.monotonic() + 30
    while low["metadata"]["uid"] not in (owners := _owners(api)):
        assert time.monotonic() < until, "Kueue made no Workload"
        time.sleep(0.2)
    assert high["metadata"]["uid"] not in owners


def _owners(api: Api) -> set[str]:
    """Ids of the tasks that have a Workload."""
    found = api.call("GET", path(workload("", "", 0))).json()["items"]
    references = [each["metadata"].get("ownerReferences", []) for each in found]
    return {owner["uid"] for owners in references for owner in owners}


def test_a_workload_of_the_older_version_is_judged_alike(api: Api, priorities: Any) -> None:
    priorities("low")

    def older(name: str) -> Any:
        found = workload("", "", 9, "v1beta1")
        source = "kueue.x-k8s.io/workloadpriorityclass"
        found["spec"] |= {"priorityClassName": name, "priorityClassSource": source}
        path = f"/apis/kueue.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/workloads"
        return api.call("POST", path, found, STRANGER, dryRun="All")

    refused(older("high"), "priority", "only the priority classes low")
    allowed(older("low"))


def test_a_list_that_shrank_does_not_hold_what_is_there(api: Api, priorities: Any) -> None:
    priorities("low,high")
    found = api.made(workload("kueue.x-k8s.io", "high", 9))
    priorities("low")

    allowed(api.patch(found, {"metadata": {"labels": {"note": "x"}}}, STRANGER))
    refused(api.patch(found, {"spec": {"priority": 10}}, STRANGER), "priority")
    api.patch(found, {"metadata": {"finalizers": None}})
    api.delete(found)
