"""The verify facet on a Kubernetes API in memory that answers reviews from its Roles."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from commons import bootstrap
from commons.adapters.access_entries import AccessEntries
from commons.adapters.access_reviews import AccessReviews
from commons.adapters.namespace_shape import NamespaceShape
from commons.domain.namespace_objects import SAGEMAKER_LABEL, TEAM_LABEL
from commons.domain.team import Access
from teams import reconcile_namespace, verify_namespace
from tests.access_fakes import EksFake
from tests.cluster_fakes import KubernetesFake
from tests.handlers.reconcile_support import Context, Table, step, tables
from tests.handlers.test_reconcile_namespace import member

HERE, THERE = "hyperpod-ns-alpha", "hyperpod-ns-beta"


class Stage:
    """`pauses`: how long the facet waited before it asked again; `after_pause` then happens."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.kubernetes = KubernetesFake()
        self.eks = EksFake()
        self.pauses: list[float] = []
        self.after_pause: Any = lambda: None
        self.kubernetes.put("Namespace", HERE, labels={SAGEMAKER_LABEL: "true"})
        self.kubernetes.put("Namespace", THERE, labels={TEAM_LABEL: "beta"})

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.after_pause()

    def shape(self) -> None:
        reconcile_namespace.handler(step(), Context())  # type: ignore[arg-type]

    def run(self) -> dict[str, Any]:
        answer = verify_namespace.handler(step(), Context())  # type: ignore[arg-type]
        (condition,) = answer["conditions"]
        return dict(condition)

    def bind(self, namespace: str, name: str, role: str, *subjects: dict[str, str]) -> None:
        reference = {"kind": "Role", "name": role}
        self.kubernetes.put(
            "RoleBinding", name, namespace, roleRef=reference, subjects=list(subjects)
        )

    def lets_in(self, namespace: str, resource: str, *subjects: dict[str, str]) -> None:
        """By a Role and a binding that somebody made."""
        rules = [{"apiGroups": [""], "resources": [resource], "verbs": ["get", "list"]}]
        self.kubernetes.put("Role", "by-hand", namespace, rules=rules)
        self.bind(namespace, "by-hand", "by-hand", *subjects)


def user(name: str) -> dict[str, str]:
    return {"kind": "User", "name": f"commons:alpha:{name}-x.example"}


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with tables() as table:
        made = Stage(table)
        table.team()
        table.cluster()
        parts = {
            "team_table": lambda: table.teams,
            "member_table": lambda: table.members,
            "namespace_shape": lambda _: NamespaceShape(made.kubernetes),
            "access_reviews": lambda _: AccessReviews(made.kubernetes, made.sleep),
            "access_entries": lambda _: AccessEntries(made.eks.client),
        }
        for name, part in parts.items():
            monkeypatch.setattr(bootstrap, name, part)
        table.put_members(member("ada", "lead"), member("grace"), member("zoe"))
        made.shape()
        yield made


def test_what_was_shaped_is_verified(stage: Stage) -> None:
    found = stage.run()

    assert (found["type"], found["status"]) == ("AccessVerified", "True"), found
    assert "questions asked: a lead and a member may do here" in found["message"]
    assert stage.pauses == []


@pytest.mark.parametrize("who", ["grace", "zoe"])
def test_a_foreign_binding_that_lets_somebody_in_next_door_is_found(stage: Stage, who: str) -> None:
    stage.lets_in(THERE, "secrets", user(who))

    found = stage.run()

    assert (found["status"], found["reason"]) == ("False", "AccessTooWide")
    assert f"a member of the team may get secrets in {THERE}" in found["message"]


def test_a_binding_of_everybody_next_door_is_found(stage: Stage) -> None:
    stage.lets_in(THERE, "secrets", {"kind": "Group", "name": "system:authenticated"})

    assert stage.run()["reason"] == "AccessTooWide"


def entry(stage: Stage, *groups: str) -> None:
    """The team has its way in."""
    role = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/r/AWSReservedSSO_a_1"
    stage.eks.put(role, kubernetesGroups=list(groups))
    access = {"permission_set": "a", "permission_set_arn": "arn", "role_arn": role}
    stage.table.teams.put_access("alpha", Access(account="111122223333", **access))


def test_groups_that_others_put_on_the_access_entry_count(stage: Stage) -> None:
    stage.lets_in(THERE, "pods", {"kind": "Group", "name": "theirs"})
    entry(stage)
    assert stage.run()["status"] == "True"

    entry(stage, "theirs")

    assert f"list pods in {THERE}" in stage.run()["message"]


def test_an_access_policy_on_the_entry_is_found_which_no_review_shows(stage: Stage) -> None:
    entry(stage)
    assert stage.run()["status"] == "True"
    stage.eks.policies = ["AmazonEKSEditPolicy"]

    found = stage.run()

    assert (found["status"], found["reason"]) == ("False", "AccessTooWide")
    assert "the team's access entry has AmazonEKSEditPolicy" in found["message"]
    assert "answers more" not in found["message"]


def test_an_entry_that_is_gone_brings_nothing(stage: Stage) -> None:
    entry(stage)
    stage.eks.entries.clear()

    assert stage.run()["status"] == "True"


def test_somebody_who_left_and_is_still_let_in_is_found(stage: Stage) -> None:
    stage.lets_in(HERE, "pods", user("noah"))

    found = stage.run()

    assert (
        f"a person who is no member any more of the team may list pods in {HERE}"
        in (found["message"])
    )


def test_a_disabled_person_who_is_still_bound_is_found(stage: Stage) -> None:
    stage.table.put_members(member("zoe", state="disabled"))

    assert stage.run()["reason"] == "AccessTooWide"
    stage.shape()
    assert stage.run()["status"] == "True"


def test_a_role_that_may_less_than_the_table_says_is_found(stage: Stage) -> None:
    stage.kubernetes.objects["Role", "commons-lead", HERE]["rules"].clear()

    found = stage.run()

    assert found["reason"] == "AccessTooNarrow"
    assert "a lead of the team may not list pods" in found["message"]


def test_an_authorizer_that_has_not_yet_seen_a_binding_is_asked_again(stage: Stage) -> None:
    rules = stage.kubernetes.objects["Role", "commons-lead", HERE]["rules"]
    kept = list(rules)
    rules.clear()
    stage.after_pause = lambda: rules.extend(kept)

    assert stage.run()["status"] == "True"
    assert stage.pauses == [0.5]


def test_an_authorizer_is_asked_four_times_and_then_believed(stage: Stage) -> None:
    stage.lets_in(THERE, "pods", user("grace"))

    assert stage.run()["status"] == "False"
    assert stage.pauses == [0.5, 1.0, 2.0]


def test_nobody_may_look_into_a_namespace_that_left_the_document(stage: Stage) -> None:
    stage.table.team(namespaces=[])

    assert stage.run()["reason"] == "AccessTooWide"
    stage.shape()
    assert stage.run()["status"] == "True"


def test_where_there_is_no_namespace_there_is_nothing_to_say(stage: Stage) -> None:
    del stage.kubernetes.objects["Namespace", HERE, None]

    answer = verify_namespace.handler(step(), Context())  # type: ignore[arg-type]
    assert answer["conditions"] == []


def test_a_cluster_that_is_observed_is_not_asked(stage: Stage) -> None:
    stage.table.cluster(mode="observe")
    stage.kubernetes.reads = 0

    assert stage.run()["reason"] == "Observing"
    assert stage.kubernetes.reads == 0


def test_what_is_said_names_nobody(stage: Stage) -> None:
    stage.lets_in(THERE, "pods", user("grace"))
    said = json.dumps(stage.run())
    assert "grace" not in said
    assert "ada" not in said


def test_people_of_a_team_that_leaves_may_stay_only_while_something_runs(stage: Stage) -> None:
    stage.table.team(state="leaving")
    stage.kubernetes.tasks(HERE, running=1)
    assert stage.run()["status"] == "True"
    stage.kubernetes.tasks(HERE, running=0, pending=3)

    assert stage.run()["reason"] == "AccessTooWide"
    stage.shape()
    assert stage.run()["status"] == "True"
