"""Calls as people make them: what a role may do is really done, and next door it is not."""

from itertools import product
from typing import Any

import pytest

from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.company import AMBER, HOMES, HOST_PATH, PRIORITY, TEAMS
from tests.cluster.isolation.escapes.attempt import KUEUE, at, queue, thing
from tests.cluster.isolation.escapes.tasks import QUEUE, cron_job, job, of_template, pod
from tests.cluster.isolation.specification import ROLES, Act, allowed

NAMESPACES = (*(home for homes in HOMES.values() for home in homes), "default", "kube-system")
READ = ("pods", "secrets", "configmaps", "jobs.batch/v1", f"workloads.{KUEUE}", "events")


def made(namespace: str) -> dict[str, Any]:
    """What is new in a namespace, by the path's last part."""
    labels = queue(namespace)
    custom = {"labels": labels, "spec": {}}
    return {
        "pods": pod(labels=labels),
        "configmaps": thing("v1", "ConfigMap"),
        "secrets": thing("v1", "Secret"),
        "services": thing("v1", "Service", spec={"ports": [{"port": 80}]}),
        "jobs.batch/v1": job(labels=labels),
        "cronjobs.batch/v1": cron_job(labels=labels),
        "deployments.apps/v1": of_template("Deployment", labels=labels),
        "statefulsets.apps/v1": of_template("StatefulSet", labels=labels),
        "hyperpodpytorchjobs.sagemaker.amazonaws.com/v1": thing(
            "sagemaker.amazonaws.com/v1", "HyperPodPyTorchJob", **custom
        ),
        "workspaces.workspace.jupyter.org/v1alpha1": thing(
            "workspace.jupyter.org/v1alpha1", "Workspace", **custom
        ),
    }


@pytest.mark.parametrize(("team", "role"), list(product(TEAMS, ROLES)))
def test_a_person_reads_and_makes_at_home_what_the_role_says_and_nothing_elsewhere(
    callers: Callers, team: str, role: str
) -> None:
    caller, wrong = callers[f"{team} {role}"], []
    for namespace in NAMESPACES:
        at_home = namespace in HOMES[team]
        calls = [("list", plural, "GET", None) for plural in READ]
        calls += [("create", plural, "POST", new) for plural, new in made(namespace).items()]
        for verb, plural, method, body in calls:
            query = {"dryRun": "All"} if body else {}
            status, answer = caller.call(method, at(namespace, plural), body, **query)
            may = allowed(role, Act(verb, plural.partition("/")[0]), at_home)
            if (status in (200, 201)) != may or (not may and status != 403):
                wrong.append((verb, plural, namespace, status, answer.get("message")))

    assert wrong == []


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(pod(volumes=[{"name": "disk", "hostPath": {"path": HOST_PATH}}]), id="path"),
        pytest.param(
            pod(labels={**QUEUE, "kueue.x-k8s.io/priority-class": f"{PRIORITY}-priority"}),
            id="priority",
        ),
        pytest.param(
            pod({"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}), id="pinned memory"
        ),
    ],
)
def test_what_the_document_gives_is_not_refused(callers: Callers, new: dict[str, Any]) -> None:
    status, answer = callers["amber member"].call("POST", at(AMBER, "pods"), new, dryRun="All")

    assert status == 201, answer["message"]


def test_a_lead_puts_a_task_of_the_team_back_into_the_queue(callers: Callers) -> None:
    path = at(AMBER, f"workloads.{KUEUE}", callers.workload)
    status, answer = callers["amber lead"].call("DELETE", path, dryRun="All")

    assert status == 200, answer["message"]
