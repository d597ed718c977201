"""The access facet on Identity Center, IAM and EKS in memory."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from commons import bootstrap
from commons.adapters.access_entries import AccessEntries
from commons.adapters.iam_roles import IamRoles
from commons.adapters.permission_sets import PermissionSets
from commons.adapters.team_access import TeamAccess
from commons.domain import callers
from commons.domain.access import ROLE_ID_TAG, TEAM_TAG
from commons.domain.errors import (
    AskedAgain,
    Blocked,
    ChangedMeanwhile,
    Conflict,
    ProvisioningFailed,
    StillConverging,
)
from commons.domain.group_pins import GroupPin
from teams.reconcile_access import handler
from tests.access_fakes import INSTANCE, EksFake, IamFake, IdentityCenterFake
from tests.handlers.reconcile_support import CLUSTER, OTHER, Context, Table, tables

USERNAME = "commons:alpha:{{SessionName}}"


class Stage:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.iam = IamFake()
        self.center = IdentityCenterFake(self.iam)
        self.eks = EksFake()
        self.slept: list[float] = []

    def access(self) -> TeamAccess:
        sets = PermissionSets(self.center.client, INSTANCE, self.slept.append)
        entries = AccessEntries(self.eks.client)
        return TeamAccess(sets, IamRoles(self.iam.client), lambda _: entries)

    def run(self) -> dict[str, Any]:
        for service in (self.center, self.iam, self.eks):
            service.calls.clear()
        return handler({"team": "alpha"}, Context())  # type: ignore[arg-type]

    @property
    def writes(self) -> list[str]:
        return self.center.writes + self.eks.writes

    def pin(self, name: str, group_id: str, missing: bool = False) -> None:
        pin = GroupPin(group_id=group_id, role="member", missing=missing)
        self.table.members.pin("alpha", name, pin)

    def entry(self) -> dict[str, Any]:
        """The one entry that there is."""
        (found,) = self.eks.entries.values()
        return found


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with tables() as table:
        made = Stage(table)
        table.team()
        table.cluster()
        made.pin("gpu-alpha", "11111111-2222-4333-8444-555555555555")
        made.pin("gpu-alpha-leads", "21111111-2222-4333-8444-555555555555")
        monkeypatch.setattr(bootstrap, "team_table", lambda: table.teams)
        monkeypatch.setattr(bootstrap, "member_table", lambda: table.members)
        monkeypatch.setattr(bootstrap, "team_access", made.access)
        yield made


def test_a_team_gets_one_permission_set_one_role_and_one_entry(stage: Stage) -> None:
    answer = stage.run()

    (known,) = stage.center.sets.values()
    assert known["Name"] == "commons-alpha"
    allowed = {s["Sid"]: s for s in json.loads(known["policy"])["Statement"]}
    assert allowed["ReachTheClusters"]["Action"] == [
        "eks:DescribeCluster",
        "sagemaker:DescribeCluster",
    ]
    assert allowed["ReachTheClusters"]["Resource"] == [
        "arn:aws:eks:us-west-2:111122223333:cluster/hp-eks",
        CLUSTER,
    ]
    assert allowed["FindThem"]["Action"] == ["sagemaker:ListClusters"]
    assert len(stage.center.assigned) == 2
    (role,) = stage.iam.roles.values()
    assert stage.entry()["principalArn"] == role["Arn"]
    assert stage.entry()["username"] == USERNAME
    assert stage.entry()["kubernetesGroups"] == []
    assert stage.entry()["tags"] == {TEAM_TAG: "alpha", ROLE_ID_TAG: role["RoleId"]}
    assert answer["conditions"][0]["status"] == "True"
    (record,) = stage.table.teams.access("alpha")
    assert (record.role_arn, record.role_id) == (role["Arn"], role["RoleId"])
    (namespace,) = stage.table.teams.namespaces("alpha")
    assert namespace.access_entry == role["Arn"]


def test_the_second_time_nothing_is_written(stage: Stage) -> None:
    stage.run()

    answer = stage.run()

    assert stage.writes == []
    assert answer["actions"] == []
    assert stage.center.count("ListPermissionSets") == 0
    assert stage.eks.count("ListAccessEntries") == 0


def test_a_new_cluster_changes_the_policy_and_provisions_it(stage: Stage) -> None:
    stage.run()
    specs = [{"cluster": CLUSTER}, {"cluster": OTHER}]
    stage.table.team(namespaces=specs)
    stage.table.cluster(OTHER, eks_cluster="hp-2")

    answer = stage.run()

    assert "ProvisionPermissionSet" in stage.writes
    (policy,) = stage.center.provisioned.values()
    assert OTHER in policy
    assert stage.run()["actions"] == []
    assert "set policy of permission set commons-alpha" in answer["actions"]


def test_a_policy_that_was_put_and_not_provisioned_is_provisioned_by_the_next_run(
    stage: Stage,
) -> None:
    stage.run()
    for key in stage.center.provisioned:
        stage.center.provisioned[key] = "older"

    assert stage.run()["actions"] == ["provision permission set commons-alpha"]


def test_the_session_duration_is_repaired(stage: Stage) -> None:
    stage.run()
    for known in stage.center.sets.values():
        known["SessionDuration"] = "PT12H"

    stage.run()

    assert [known["SessionDuration"] for known in stage.center.sets.values()] == ["PT4H"]


def test_a_permission_set_of_ours_that_was_forgotten_is_found_by_its_name(stage: Stage) -> None:
    for number in range(4):
        stage.center.CreatePermissionSet(f"other-{number}", [], "PT1H")
    tags = [{"Key": TEAM_TAG, "Value": "alpha"}]
    stage.center.CreatePermissionSet("commons-alpha", tags, "PT4H")

    stage.run()

    assert len(stage.center.sets) == 5


def test_a_permission_set_of_somebody_else_is_a_conflict(stage: Stage) -> None:
    stage.center.CreatePermissionSet("commons-alpha", [], "PT4H")

    with pytest.raises(Conflict, match=r"commons-alpha.*nobody"):
        stage.run()

    assert stage.writes == ["CreatePermissionSet"]


def test_a_permission_set_that_was_deleted_is_made_again(stage: Stage) -> None:
    stage.run()
    stage.center.sets.clear()
    stage.center.assigned.clear()

    stage.run()

    assert [known["Name"] for known in stage.center.sets.values()] == ["commons-alpha"]


def test_a_dropped_group_loses_its_assignment_and_a_foreign_one_keeps_it(stage: Stage) -> None:
    stage.run()
    (arn,) = stage.center.sets
    foreign = (arn, "111122223333", "91111111-2222-4333-8444-555555555555")
    stage.center.assigned.append(foreign)
    pin = stage.table.members.pins("alpha")["gpu-alpha-leads"]
    stage.table.members.unpin("alpha", "gpu-alpha-leads", pin)

    stage.run()

    left = {group[:1] for _, _, group in stage.center.assigned}
    assert left == {"1", "9"}


def test_the_last_assignment_is_never_removed(stage: Stage) -> None:
    stage.run()
    stage.pin("gpu-alpha", "11111111-2222-4333-8444-555555555555", missing=True)
    stage.pin("gpu-alpha-leads", "21111111-2222-4333-8444-555555555555", missing=True)

    answer = stage.run()

    assert len(stage.center.assigned) == 2
    assert answer["conditions"][0]["reason"] == "GroupMissing"


def test_an_assignment_that_failed_says_why(stage: Stage) -> None:
    stage.center.fail = {"11111111-2222-4333-8444-555555555555"}

    with pytest.raises(ProvisioningFailed, match="Principal not found"):
        stage.run()


def test_an_assignment_that_takes_long_is_waited_for_by_the_state_machine(stage: Stage) -> None:
    stage.center.polls = 99

    with pytest.raises(StillConverging, match="under way"):
        stage.run()

    assert sum(stage.slept) < 10


def test_the_role_is_waited_for(stage: Stage) -> None:
    stage.run()
    stage.iam.roles.clear()

    with pytest.raises(StillConverging, match="commons-alpha in account 111122223333"):
        stage.run()


def test_ac_01_the_entry_has_the_exact_arn_with_its_path(stage: Stage) -> None:
    stage.run()

    assert (
        "/aws-reserved/sso.amazonaws.com/us-west-2/AWSReservedSSO_" in stage.entry()["principalArn"]
    )
    assert len(stage.eks.entries) == 1


def test_ac_02_an_entry_that_is_there_is_brought_to_the_wanted_state(stage: Stage) -> None:
    role = stage.iam.make("commons-alpha")
    stage.eks.put(role, kubernetesGroups=["ours:friends"], username="arn:{{SessionName}}")

    stage.run()

    assert stage.entry()["username"] == USERNAME
    assert stage.entry()["kubernetesGroups"] == ["ours:friends"]
    assert stage.entry()["tags"][TEAM_TAG] == "alpha"
    assert "CreateAccessEntry" not in stage.eks.writes
    stage.run()
    assert stage.eks.writes == []


def test_ac_02_an_entry_that_appears_between_read_and_write_is_read_again(stage: Stage) -> None:
    stage.eks.refuse = [("ResourceInUseException", "already in use on this cluster")]

    with pytest.raises(ChangedMeanwhile):
        stage.run()

    stage.run()
    assert stage.entry()["username"] == USERNAME


def test_ac_04_a_role_with_a_new_suffix_gets_the_entry_and_the_old_one_goes(stage: Stage) -> None:
    stage.run()
    (old,) = list(stage.iam.roles)
    stage.eks.entries[old]["kubernetesGroups"] = ["foreign"]
    stage.iam.roles.clear()
    new = stage.iam.make("commons-alpha", "2222")
    stage.eks.put("arn:aws:iam::111122223333:role/somebody")
    stage.eks.put("arn:aws:iam::111122223333:role/another")

    stage.run()

    assert stage.eks.writes == ["CreateAccessEntry", "DeleteAccessEntry"]
    assert new in stage.eks.entries
    assert old not in stage.eks.entries
    assert stage.eks.entries[new]["kubernetesGroups"] == ["foreign"]
    (record,) = stage.table.teams.access("alpha")
    assert record.role_arn == new


def test_ac_04_an_old_entry_is_removed_also_if_the_worker_died_after_making_the_new(
    stage: Stage,
) -> None:
    stage.run()
    (old,) = list(stage.iam.roles)
    stage.iam.roles.clear()
    new = stage.iam.make("commons-alpha", "2222")
    role_id = stage.iam.roles[new]["RoleId"]
    tags = {TEAM_TAG: "alpha", ROLE_ID_TAG: role_id}
    stage.eks.put(new, username=USERNAME, tags=tags)

    stage.run()

    assert list(stage.eks.entries) == [new]
    assert old not in stage.eks.entries


def test_ac_04_a_role_made_again_under_the_same_arn_gets_a_new_entry(stage: Stage) -> None:
    stage.run()
    stage.entry()["kubernetesGroups"] = ["foreign"]
    role = stage.iam.make("commons-alpha")

    stage.run()

    assert stage.eks.writes == ["DeleteAccessEntry", "CreateAccessEntry"]
    assert stage.entry()["tags"][ROLE_ID_TAG] == stage.iam.roles[role]["RoleId"]
    assert stage.entry()["kubernetesGroups"] == ["foreign"]
    stage.run()
    assert stage.eks.writes == []


def test_an_untagged_entry_older_than_its_role_is_dead(stage: Stage) -> None:
    stage.run()
    role = stage.iam.make("commons-alpha", created=stage.eks.now + timedelta(minutes=1))
    stage.eks.put(role, username=USERNAME)

    stage.run()

    assert stage.eks.writes == ["DeleteAccessEntry", "CreateAccessEntry"]


def test_ac_05_a_principal_not_yet_known_is_tried_again_and_named(stage: Stage) -> None:
    stage.eks.refuse = [("InvalidParameterException", "invalid principal")] * 2

    for _ in range(2):
        with pytest.raises(
            StillConverging, match=r"AWSReservedSSO_commons-alpha.*invalid principal"
        ):
            stage.run()
    stage.run()

    assert stage.entry()["username"] == USERNAME


def test_ac_06_groups_of_others_survive_every_update_of_ours(stage: Stage) -> None:
    stage.run()
    stage.entry()["kubernetesGroups"] = ["foreign"]
    stage.entry()["username"] = "changed by hand"

    stage.run()

    assert stage.entry()["kubernetesGroups"] == ["foreign"]
    assert stage.entry()["username"] == USERNAME


def test_ac_07_nothing_of_ours_is_ever_in_a_group_of_the_cluster(stage: Stage) -> None:
    stage.pin("system:masters", "31111111-2222-4333-8444-555555555555")

    stage.run()

    assert stage.entry()["kubernetesGroups"] == []


def test_ac_07_a_reserved_group_of_an_entry_is_not_kept_and_the_others_are(stage: Stage) -> None:
    role = stage.iam.make("commons-alpha")
    stage.eks.put(role, kubernetesGroups=["ours:friends", "System:masters", "eks:admins"])

    stage.run()

    assert stage.entry()["kubernetesGroups"] == ["ours:friends"]


def test_ac_01_the_entry_is_found_again_by_the_arn_that_iam_returns_and_stays_the_only_one(
    stage: Stage,
) -> None:
    role = stage.iam.make("commons-alpha")
    # what a tool has made that builds the ARN from the assumed role, without the path
    bare = f"arn:aws:iam::111122223333:role/{role.rpartition('/')[2]}"
    stage.eks.put(bare)
    for _ in range(2):
        stage.run()

    (way,) = stage.table.teams.access("alpha")
    assert way.role_arn == role
    assert [arn for arn, entry in stage.eks.entries.items() if TEAM_TAG in entry["tags"]] == [role]
    assert stage.eks.entries[bare]["username"] == "somebody"
    session = f"arn:aws:sts::111122223333:assumed-role/{role.rpartition('/')[2]}/ada"
    caller = callers.read(session)
    assert caller is not None
    assert callers.is_session_of(caller, role)


def test_ac_11_a_grant_that_collides_is_tried_again(stage: Stage) -> None:
    stage.center.refuse = {"CreateAccountAssignment": ["ConflictException", "ConflictException"]}

    for _ in range(2):
        with pytest.raises(ChangedMeanwhile):
            stage.run()
    stage.run()

    assert len(stage.center.assigned) == 2


def test_an_entry_of_another_type_is_a_conflict(stage: Stage) -> None:
    role = stage.iam.make("commons-alpha")
    stage.eks.put(role, type="EC2_LINUX")

    with pytest.raises(Conflict, match="EC2_LINUX"):
        stage.run()


def test_without_groups_in_the_directory_nothing_is_made(stage: Stage) -> None:
    for name, pin in stage.table.members.pins("alpha").items():
        stage.table.members.unpin("alpha", name, pin)

    answer = stage.run()

    assert stage.writes == []
    assert answer["conditions"][0]["reason"] == "GroupMissing"


def test_a_cluster_that_is_observed_is_reported_and_not_written(stage: Stage) -> None:
    stage.table.cluster(mode="observe")

    answer = stage.run()

    assert stage.writes == []
    assert answer["conditions"][0]["reason"] == "Observing"
    assert "create permission set commons-alpha" in answer["actions"]
    assert stage.table.teams.access("alpha") == []


def test_a_cluster_that_became_observed_shows_its_drift(stage: Stage) -> None:
    stage.run()
    stage.table.cluster(mode="observe")
    stage.eks.entries.clear()

    answer = stage.run()

    assert stage.writes == []
    assert [action.split(" of ")[0] for action in answer["actions"]] == ["create access entry"]


def test_a_cluster_in_another_account_is_blocked(stage: Stage) -> None:
    foreign = CLUSTER.replace("111122223333", "444455556666")
    stage.table.team(namespaces=[{"cluster": foreign}])
    stage.table.cluster(foreign)

    with pytest.raises(Blocked, match="444455556666"):
        stage.run()


@pytest.mark.parametrize(("answers", "error"), [(1, AskedAgain), (2, StillConverging)])
def test_who_asks_for_the_team_meanwhile_does_not_wait_for_its_role(
    stage: Stage, answers: int, error: type[Exception]
) -> None:
    stage.center.polls = 99
    for _ in range(2):
        stage.table.teams.add_request("alpha")

    with pytest.raises(error, match="under way"):
        handler({"team": "alpha", "requested": answers}, Context())  # type: ignore[arg-type]
