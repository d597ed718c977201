"""A person leaves, whatever the way: their next call is refused although their session lives on."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lightkube import Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.resources.rbac_authorization_v1 import RoleBinding

from commons.domain.access import SESSION_HOURS
from tests.stories.company import join, kubernetes, make_team, register_cluster, team_document
from tests.stories.conftest import Cloud
from tests.stories.sessions import Session, sign_in

QUEUES = create_namespaced_resource("kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues")
OK, CREATED, REFUSED = 200, 201, 403
HERE, THERE = "hyperpod-ns-quay", "hyperpod-ns-pier"
# after the reconcile has ended
AT_MOST_SECONDS = 60
PEOPLE = ("ann", "bea", "cas", "dov", "eli")


@dataclass
class Quay:
    """Team quay, signed in before anything happens; team pier is next door."""

    cloud: Cloud
    document: Path
    sessions: dict[str, Session]

    def upload(self, text: str) -> None:
        self.document.write_text(text)
        answer = self.cloud.run("team", "apply", str(self.document))
        assert answer.returncode == 0, answer.stderr + answer.stdout

    def refused(self, who: str, since: float) -> float:
        """Seconds until a call of theirs is refused."""
        session = self.sessions[who]
        self.cloud.eventually(lambda: session.lists(HERE) == REFUSED, 90)
        return time.monotonic() - since

    def shown(self) -> Any:
        return self.cloud.commons("team", "show", "quay")


@pytest.fixture(scope="module")
def quay(cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Quay:
    folder = tmp_path_factory.mktemp("documents")
    register_cluster(cloud)
    make_team(cloud, folder, "quay")
    make_team(cloud, folder, "pier")
    join(cloud, "gpu-quay", *(f"{name}@quay.example" for name in PEOPLE))
    join(cloud, "gpu-quay-leads", "lea@quay.example")
    join(cloud, "gpu-pier", "pia@pier.example")
    cloud.wait()
    everybody = (*PEOPLE, "lea")
    sessions = {name: sign_in(cloud, f"{name}@quay.example", "quay") for name in everybody}
    return Quay(cloud, folder / "quay.yaml", sessions)


def test_before_anything_happens_they_may_work_here_and_nowhere_else(quay: Quay) -> None:
    for session in quay.sessions.values():
        assert (session.lists(HERE), session.runs(HERE)) == (OK, CREATED)
        assert (session.lists(THERE), session.runs(THERE)) == (REFUSED, REFUSED)
        assert session.lists("kube-system") == session.lists("default") == REFUSED
    (namespace,) = quay.shown()["namespaces"]
    verified = {c["type"]: c for c in namespace["conditions"]}["AccessVerified"]
    assert verified["status"] == "True", verified
    assert "a lead and a member may do here" in verified["message"]


@pytest.mark.parametrize(
    ("who", "leave"),
    [
        ("ann", ("remove-member", "gpu-quay", "ann@quay.example")),
        ("bea", ("disable-user", "bea@quay.example")),
        ("cas", ("delete-user", "cas@quay.example")),
    ],
)
def test_ac_17_who_leaves_is_refused_at_once_and_the_one_beside_them_is_not(
    quay: Quay, who: str, leave: tuple[str, ...]
) -> None:
    assert quay.sessions[who].lists(HERE) == OK
    quay.cloud.commons("directory", *leave)
    quay.cloud.wait()
    ended = time.monotonic()

    assert quay.refused(who, ended) < AT_MOST_SECONDS
    assert quay.sessions["dov"].lists(HERE) == OK
    assert quay.sessions[who].runs(HERE) == REFUSED
    left = {each["user_name"]: each for each in quay.shown()["left"]}[f"{who}@quay.example"]
    since, until = (datetime.fromisoformat(left[key]) for key in ("left_at", "sessions_until"))
    assert until - since == timedelta(hours=SESSION_HOURS)


def test_ac_09_who_is_lowered_keeps_what_the_lower_role_may_and_no_more(quay: Quay) -> None:
    lea = quay.sessions["lea"]
    assert lea.runs(HERE) == CREATED
    viewer = team_document("quay").replace("lead: [", "viewer: [")
    quay.upload(viewer)
    quay.cloud.wait()

    assert quay.cloud.eventually(lambda: lea.runs(HERE) == REFUSED, AT_MOST_SECONDS)
    assert lea.lists(HERE) == OK
    assert quay.sessions["dov"].runs(HERE) == CREATED
    quay.upload(team_document("quay"))
    quay.cloud.wait()
    assert quay.cloud.eventually(lambda: lea.runs(HERE) == CREATED, AT_MOST_SECONDS)


def test_ac_09_a_binding_to_another_role_is_replaced_each_time_and_keeps_its_people(
    quay: Quay,
) -> None:
    client = kubernetes(quay.cloud)
    people = {f"commons:quay:{name}-quay.example" for name in ("dov", "eli")}
    for role in ("edit", "view", "edit"):
        _rebind(client, role)
        quay.cloud.commons("team", "reconcile", "quay", "--wait")

        found = client.get(RoleBinding, "commons-member", namespace=HERE)
        assert (found.roleRef.kind, found.roleRef.name) == ("Role", "commons-member")
        assert {subject.name for subject in found.subjects} == people
    assert quay.shown()["phase"] == "Ready"


def _rebind(client: Client, cluster_role: str) -> None:
    """As by hand: a role of a binding cannot be changed, so it is made anew."""
    old = client.get(RoleBinding, "commons-member", namespace=HERE)
    client.delete(RoleBinding, "commons-member", namespace=HERE)
    made = old.to_dict()
    made["metadata"] = {
        key: old.to_dict()["metadata"][key] for key in ("name", "namespace", "labels")
    }
    made["roleRef"] |= {"kind": "ClusterRole", "name": cluster_role}
    client.create(RoleBinding.from_dict(made))


def test_a_foreign_binding_next_door_is_told_until_it_is_gone(quay: Quay) -> None:
    client = kubernetes(quay.cloud)
    mine = client.get(RoleBinding, "commons-member", namespace=THERE).to_dict()
    theirs = {**mine["subjects"][0], "name": "commons:quay:eli-quay.example"}
    made = {**mine, "metadata": {"name": "by-hand", "namespace": THERE}, "subjects": [theirs]}
    client.create(RoleBinding.from_dict(made))
    try:
        assert quay.sessions["eli"].lists(THERE) == OK
        condition = _verified_again(quay)
        assert (condition["status"], condition["reason"]) == ("False", "AccessTooWide")
        assert f"a member of the team may list pods in {THERE}" in condition["message"]
        assert "eli" not in condition["message"]
    finally:
        client.delete(RoleBinding, "by-hand", namespace=THERE)
    assert _verified_again(quay)["status"] == "True"


def _verified_again(quay: Quay) -> Any:
    quay.cloud.run("team", "reconcile", "quay", "--wait")
    (namespace,) = quay.shown()["namespaces"]
    return {c["type"]: c for c in namespace["conditions"]}["AccessVerified"]


def test_who_leaves_while_the_quota_is_stuck_does_not_wait_for_it(quay: Quay) -> None:
    restore = _without_queue(quay.cloud)
    try:
        quay.cloud.commons("team", "reconcile", "quay")
        quay.cloud.eventually(lambda: _waits_for_its_quota(quay.cloud))
        began = time.monotonic()
        quay.cloud.commons("directory", "remove-member", "gpu-quay", "eli@quay.example")

        assert quay.refused("eli", began) < AT_MOST_SECONDS
        assert quay.sessions["dov"].lists(HERE) == OK
        assert _waits_for_its_quota(quay.cloud), "it was refused because the quota had come"
    finally:
        restore()
    quay.cloud.wait()
    assert quay.shown()["phase"] == "Ready"


def _without_queue(cloud: Cloud) -> Callable[[], None]:
    """A quota whose LocalQueue is not there is not done; returns how to bring it back."""
    client, name = kubernetes(cloud), f"{HERE}-localqueue"
    queue = client.get(QUEUES, name, namespace=HERE)
    client.delete(QUEUES, name, namespace=HERE)
    kept = {key: queue["metadata"][key] for key in ("name", "namespace")}
    made = QUEUES({**queue, "metadata": kept, "status": {}})
    return lambda: client.create(made)


def _waits_for_its_quota(cloud: Cloud) -> bool:
    """Whether an execution runs and has come as far as its namespaces."""
    status = next(i for i in cloud.items("TeamTable", "TEAM#quay") if i["sk"] == "STATUS")
    if not (arn := status.get("execution_arn")):
        return False
    events = cloud.client("stepfunctions").get_execution_history(executionArn=arn)["events"]
    entered = [event.get("stateEnteredEventDetails", {}).get("name") for event in events]
    return "Reach every namespace" in entered


def test_ac_17_a_group_taken_out_of_the_document_takes_its_people_along(quay: Quay) -> None:
    quay.upload(team_document("quay").replace(", lead: [gpu-quay-leads]", ""))
    quay.cloud.wait()

    assert quay.refused("lea", time.monotonic()) < AT_MOST_SECONDS
    assert quay.sessions["dov"].lists(HERE) == OK
