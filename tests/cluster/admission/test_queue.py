"""No task of a tenant passes the queue by."""

from typing import Any

import pytest

from commons.domain import admission
from tests.cluster.admission.api import (
    NAMESPACE,
    POD_OF_A_TENANT,
    STRANGER,
    TENANT,
    WRITER,
    Api,
    allowed,
    refused,
)
from tests.cluster.admission.things import QUEUE, WITH, WITHOUT, cron, job, pod, with_template


def test_the_server_finds_no_fault_with_the_policies(api: Api) -> None:
    for manifest in admission.manifests():
        if manifest["kind"] == "ValidatingAdmissionPolicy":
            path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/"
            found = api.call("GET", path + manifest["metadata"]["name"]).json()
            assert not found["status"].get("typeChecking", {}).get("expressionWarnings"), found


@pytest.mark.parametrize("user", [TENANT, POD_OF_A_TENANT])
@pytest.mark.parametrize("what", list(WITHOUT))
def test_qu_07_a_task_without_a_queue_is_refused(api: Api, what: str, user: str) -> None:
    refused(api.create(WITHOUT[what], user), "queue", f"queue-name: {NAMESPACE}-localqueue")


@pytest.mark.parametrize("what", list(WITH))
def test_qu_07_a_task_with_a_queue_is_let_by(api: Api, what: str) -> None:
    allowed(api.create(WITH[what], TENANT))


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_label_that_does_not_reach_the_pods_is_not_enough(api: Api, kind: str) -> None:
    """Kueue copies it into the template, where it is told to look after that kind."""
    answer = api.create(with_template(kind, {}, QUEUE), TENANT)

    if answer.is_success:
        labels = answer.json()["spec"]["template"]["metadata"]["labels"]
        assert labels.items() >= QUEUE.items()
    else:
        refused(answer, "queue", "in its pod template")


@pytest.mark.parametrize("user", [STRANGER, WRITER])
def test_who_is_no_tenant_needs_no_queue(api: Api, user: str) -> None:
    allowed(api.create(job({}), user))


def test_a_label_cannot_be_taken_off_later(api: Api) -> None:
    task = api.made(job(), TENANT)

    off = api.patch(task, {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": None}}}, TENANT)
    on = api.patch(task, {"metadata": {"labels": {"note": "x"}}}, TENANT)

    refused(off, "queue", "a task needs the label")
    allowed(on)


def owned_by(api: Api, controller: bool = True) -> Any:
    """A reference to a task that the queue admitted."""
    admitted = api.made(job(), TENANT)["metadata"]
    reference = {"apiVersion": "batch/v1", "kind": "Job", "controller": controller}
    return [{**reference, "name": admitted["name"], "uid": admitted["uid"]}]


@pytest.mark.parametrize("controller", [True, False])
def test_a_tenant_cannot_forge_an_owner(api: Api, controller: bool) -> None:
    owned = pod()
    owned["metadata"]["ownerReferences"] = owned_by(api, controller)

    refused(api.create(owned, TENANT), "queue", "may not name an owner")
    allowed(api.create(owned, STRANGER))


def test_a_tenant_cannot_give_an_owner_later_and_may_change_what_has_one(api: Api) -> None:
    mine = api.made(job(), TENANT)
    owned = job()
    owned["metadata"]["ownerReferences"] = owned_by(api)
    theirs = api.made(owned, STRANGER)

    given = {"metadata": {"ownerReferences": owned_by(api)}}
    refused(api.patch(mine, given, TENANT), "queue", "may not name an owner")
    allowed(api.patch(theirs, {"metadata": {"labels": {"note": "x"}}}, TENANT))


def test_a_tenant_cannot_start_a_suspended_task(api: Api) -> None:
    waiting = job({**QUEUE, "kueue.x-k8s.io/queue-name": "no-such-queue"})
    waiting["spec"]["suspend"] = True
    task = api.made(waiting, TENANT)

    refused(api.patch(task, {"spec": {"suspend": False}}, TENANT), "queue", "Kueue starts")
    allowed(api.patch(task, {"spec": {"suspend": True}}, TENANT))


def test_a_tenant_may_stop_and_start_a_cron_job(api: Api) -> None:
    task = api.made(cron(QUEUE), TENANT)

    allowed(api.patch(task, {"spec": {"suspend": True}}, TENANT))
    allowed(api.patch(task, {"spec": {"suspend": False}}, TENANT))


def test_a_tenant_cannot_take_off_a_scheduling_gate_of_kueue(api: Api) -> None:
    gated = api.made(pod({"kueue.x-k8s.io/queue-name": "no-such-queue"}), TENANT)
    own = pod({"kueue.x-k8s.io/queue-name": "no-such-queue"}, schedulingGates=[{"name": "a/b"}])
    mine = api.made(own, TENANT)
    kept = [gate for gate in mine["spec"]["schedulingGates"] if gate["name"] != "a/b"]

    removal = [{"op": "remove", "path": "/spec/schedulingGates"}]
    change = [{"op": "replace", "path": "/spec/schedulingGates", "value": kept}]
    refused(api.patch(gated, removal, TENANT), "queue", "scheduling gates")
    allowed(api.patch(mine, change, TENANT))


def test_a_tenant_cannot_take_off_what_kueue_knows_a_pod_by(api: Api) -> None:
    labelled = pod({**QUEUE, "note": "x"})
    labelled["metadata"]["finalizers"] = ["example.com/mine"]
    made = api.made(labelled, TENANT)
    assert made["metadata"]["labels"]["kueue.x-k8s.io/managed"] == "true"
    kept = [each for each in made["metadata"]["finalizers"] if "kueue" in each]
    assert kept

    unmanaged = {"metadata": {"labels": {"kueue.x-k8s.io/managed": None}}}
    renamed = {"metadata": {"labels": {"kueue.x-k8s.io/managed": "false"}}}
    for change in (unmanaged, renamed, {"metadata": {"finalizers": ["example.com/mine"]}}):
        refused(api.patch(made, change, TENANT), "queue", "finalizers and labels")
    own = {"metadata": {"labels": {"note": None}, "finalizers": kept}}
    allowed(api.patch(made, own, TENANT))


@pytest.mark.parametrize("marks", ["labels", "annotations"])
@pytest.mark.parametrize("where", ["job", "its pods", "jobs of a cron job"])
def test_a_task_cannot_take_another_ones_workload(api: Api, where: str, marks: str) -> None:
    task = cron(QUEUE) if where == "jobs of a cron job" else job()
    places = {
        "job": task["metadata"],
        "its pods": task["spec"].get("template", {}).get("metadata"),
        "jobs of a cron job": task["spec"].get("jobTemplate", {}).get("metadata"),
    }
    place = places[where]
    place[marks] = {**place.get(marks, {}), "kueue.x-k8s.io/prebuilt-workload-name": "admitted"}

    refused(api.create(task, TENANT), "queue", "prebuilt-workload-name")
