"""The namespace facet on a Kubernetes API in memory."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from commons import bootstrap
from commons.adapters.namespace_shape import NamespaceShape
from commons.domain.errors import Blocked, Conflict, Throttled
from commons.domain.membership import Member
from commons.domain.namespace_objects import SAGEMAKER_LABEL, TEAM_LABEL
from teams.reconcile_namespace import handler
from tests.cluster_fakes import KubernetesFake
from tests.handlers.reconcile_support import CLUSTER, Context, Table, step, tables

NAMESPACE = "hyperpod-ns-alpha"


class Stage:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.kubernetes = KubernetesFake()
        self.namespace = self.kubernetes.put(
            "Namespace", NAMESPACE, labels={SAGEMAKER_LABEL: "true", "theirs": "kept"}
        )

    def run(self) -> dict[str, Any]:
        self.kubernetes.writes.clear()
        self.kubernetes.reads = 0
        return handler(step(), Context())  # type: ignore[arg-type]

    def people(self, role: str) -> list[str]:
        found = self.kubernetes.get("RoleBinding", f"commons-{role}", NAMESPACE)
        return [subject["name"] for subject in found["subjects"]] if found else []

    def limits(self) -> dict[str, str]:
        """What the admission policies read from the namespace."""
        metadata = self.kubernetes.objects["Namespace", NAMESPACE, None]["metadata"]
        found = {
            name.removeprefix("gpu.commons/"): value
            for name, value in metadata["annotations"].items()
        }
        return {name: value for name, value in found.items() if name != "applied"}

    def has(self, *members: Member) -> None:
        self.table.put_members(*members)


def member(user_id: str, role: str = "member", state: str = "active") -> Member:
    values = {"user_id": user_id, "user_name": f"{user_id}@x.example", "role": role}
    return Member.model_validate({**values, "state": state})


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with tables() as table:
        made = Stage(table)
        table.team()
        table.cluster()
        monkeypatch.setattr(bootstrap, "team_table", lambda: table.teams)
        monkeypatch.setattr(bootstrap, "member_table", lambda: table.members)
        monkeypatch.setattr(bootstrap, "namespace_shape", lambda _: NamespaceShape(made.kubernetes))
        made.has(member("ada", "lead"), member("grace"))
        yield made


def test_a_namespace_gets_labels_roles_people_and_isolation(stage: Stage) -> None:
    answer = stage.run()

    labels = stage.kubernetes.objects["Namespace", NAMESPACE, None]["metadata"]["labels"]
    assert labels[TEAM_LABEL] == "alpha"
    assert labels[SAGEMAKER_LABEL] == "true"
    assert labels["theirs"] == "kept"
    assert stage.people("lead") == ["commons:alpha:ada-x.example"]
    assert stage.people("member") == ["commons:alpha:grace-x.example"]
    kinds = {kind for kind, _, _ in stage.kubernetes.objects}
    assert kinds == {"Namespace", "Role", "RoleBinding", "NetworkPolicy", "ResourceQuota"}
    assert answer["conditions"][0]["status"] == "True"


def test_the_limits_of_the_document_stand_on_the_namespace_and_go_with_it(stage: Stage) -> None:
    limited = {"priority_classes": ["training"], "host_paths": ["/mnt/a"]}
    stage.table.team(namespaces=[{"cluster": CLUSTER, **limited}])
    stage.run()
    assert stage.limits() == {"priority-classes": "training-priority", "host-paths": "/mnt/a"}

    stage.table.team(namespaces=[{"cluster": CLUSTER}])
    stage.run()
    assert stage.limits() == {"host-paths": ""}


def test_a_limit_that_somebody_widened_by_hand_is_put_right(stage: Stage) -> None:
    stage.run()
    found = stage.kubernetes.objects["Namespace", NAMESPACE, None]["metadata"]["annotations"]
    found["gpu.commons/host-paths"] = "/etc"

    answer = stage.run()

    assert answer["actions"] == [f"apply Namespace {NAMESPACE}"]
    assert stage.limits() == {"host-paths": ""}


def test_a_namespace_that_its_document_lists_no_more_keeps_its_limits(stage: Stage) -> None:
    stage.table.team(namespaces=[{"cluster": CLUSTER, "host_paths": ["/mnt/a"]}])
    stage.run()
    stage.table.team(namespaces=[])

    stage.run()

    assert stage.limits() == {"host-paths": "/mnt/a"}


def test_the_second_time_nothing_is_written(stage: Stage) -> None:
    stage.run()

    answer = stage.run()

    assert stage.kubernetes.writes == []
    assert stage.kubernetes.reads == 6
    assert answer["actions"] == []


def test_one_person_more_is_one_write(stage: Stage) -> None:
    stage.run()
    stage.has(member("alan"))

    stage.run()

    assert stage.kubernetes.writes == [("apply", "RoleBinding", "commons-member")]


def test_who_leaves_is_in_no_binding_and_the_one_beside_still_is(stage: Stage) -> None:
    stage.has(member("edsger"))
    stage.run()
    stage.table.raw.delete_item(Key={"pk": "TEAM#alpha", "sk": "MEMBER#edsger"})

    stage.run()

    assert stage.people("member") == ["commons:alpha:grace-x.example"]


def test_nobody_stays_in_a_namespace_that_left_the_document(stage: Stage) -> None:
    stage.run()
    stage.table.team(namespaces=[])

    stage.run()

    assert stage.people("lead") == stage.people("member") == []
    assert stage.kubernetes.get("NetworkPolicy", "commons-isolation", NAMESPACE)
    assert {verb for verb, kind, _ in stage.kubernetes.writes if kind != "RoleBinding"} == set()


def test_id_14_a_renamed_person_leaves_no_binding_under_the_old_name(stage: Stage) -> None:
    stage.run()
    renamed = member("grace").model_copy(update={"user_name": "hopper@x.example"})
    stage.has(renamed)

    stage.run()

    assert stage.people("member") == ["commons:alpha:hopper-x.example"]


def test_ac_09_a_changed_tier_replaces_the_binding_and_back(stage: Stage) -> None:
    stage.run()
    for role in ("viewer", "member"):
        stage.has(member("grace", role))
        stage.run()
        bound = {r: stage.people(r) for r in ("viewer", "member")}
        assert [r for r, names in bound.items() if names] == [role]


def test_ac_09_a_binding_to_another_role_is_deleted_and_made_again(stage: Stage) -> None:
    stage.run()
    binding = stage.kubernetes.objects["RoleBinding", "commons-member", NAMESPACE]
    binding["roleRef"] = {**binding["roleRef"], "name": "edit"}

    stage.run()

    assert stage.kubernetes.writes == [
        ("delete", "RoleBinding", "commons-member"),
        ("apply", "RoleBinding", "commons-member"),
    ]


def test_a_namespace_of_another_team_is_left_as_it_is(stage: Stage) -> None:
    stage.namespace["metadata"]["labels"][TEAM_LABEL] = "beta"

    with pytest.raises(Conflict, match="beta"):
        stage.run()

    assert stage.kubernetes.writes == []


def test_qu_10_a_namespace_that_no_quota_made_is_left_as_it_is(stage: Stage) -> None:
    del stage.namespace["metadata"]["labels"][SAGEMAKER_LABEL]

    with pytest.raises(Conflict, match="compute quota"):
        stage.run()

    assert stage.kubernetes.writes == []


def test_qu_10_a_namespace_that_is_missing_is_an_error_and_not_nothing(stage: Stage) -> None:
    stage.kubernetes.objects.clear()

    with pytest.raises(Blocked, match=NAMESPACE):
        stage.run()


def test_op_08_a_run_that_broke_off_is_finished_without_repeating_what_is_done(
    stage: Stage,
) -> None:
    stage.kubernetes.fail_after = 3
    with pytest.raises(Throttled):
        stage.run()
    done = list(stage.kubernetes.writes)
    stage.kubernetes.fail_after = None

    stage.run()

    assert len(done) == 3
    assert not set(done) & set(stage.kubernetes.writes)
    assert len(stage.kubernetes.objects) == 8


def test_a_cluster_that_is_observed_is_reported_and_not_written(stage: Stage) -> None:
    stage.table.cluster(mode="observe")

    answer = stage.run()

    assert stage.kubernetes.writes == []
    assert answer["conditions"][0]["reason"] == "Observing"
    assert "apply RoleBinding commons-lead" in answer["actions"]


def test_what_is_said_names_nobody(stage: Stage) -> None:
    assert "grace" not in json.dumps(stage.run())
