"""The members facet on a directory in memory and a table in moto."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from commons import bootstrap
from commons.domain.errors import Throttled
from teams.reconcile_members import handler
from tests.directory_fake import DirectoryFake
from tests.handlers.reconcile_support import Context, Table, directory, tables


class Stage:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.directory = DirectoryFake()
        self.writes: list[str] = []
        table.raw.meta.client.meta.events.register(
            "before-parameter-build.dynamodb", self._remember
        )

    def run(self) -> dict[str, Any]:
        """One reconcile; what it says, by condition."""
        self.writes.clear()
        self.directory.calls.clear()
        answer = handler({"team": "alpha"}, Context())  # type: ignore[arg-type]
        return {each["type"]: each for each in answer["conditions"]}

    def _remember(self, model: Any, params: dict[str, Any], **_: Any) -> None:
        if model.name == "BatchWriteItem":
            for entry in params["RequestItems"]["teams"]:
                for request in entry.values():
                    self.writes.append(json.dumps(request, sort_keys=True, default=str))
        elif model.name in ("PutItem", "UpdateItem", "DeleteItem"):
            self.writes.append(model.name)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with tables() as table:
        made = Stage(table)
        table.team()
        table.cluster()
        monkeypatch.setattr(bootstrap, "team_table", lambda: table.teams)
        monkeypatch.setattr(bootstrap, "member_table", lambda: table.members)
        monkeypatch.setattr(bootstrap, "identity_store", lambda: directory(made.directory))
        yield made


def people(stage: Stage, *names: str) -> list[str]:
    return [stage.directory.user(name) for name in names]


def three_groups(stage: Stage) -> None:
    stage.directory.group("g-view", "gpu-alpha-viewers")
    stage.directory.group("g-member", "gpu-alpha", people(stage, "ada", "grace"))
    stage.directory.group("g-lead", "gpu-alpha-leads", people(stage, "alan"))


def test_members_and_look_ups_are_remembered(stage: Stage) -> None:
    three_groups(stage)

    said = stage.run()

    assert stage.table.states() == {"ada": "active", "grace": "active", "alan": "active"}
    assert stage.table.members.members("alpha")["alan"].role == "lead"
    assert stage.table.teams.teams_of_group("g-view") == ["alpha"]
    assert stage.table.teams.teams_of_user("ada") == ["alpha"]
    assert stage.table.teams.groups_of_membership("g-member-ada") == ["g-member"]
    assert said["MembersReady"]["status"] == said["GroupsFound"]["status"] == "True"


def test_nothing_is_written_when_nothing_has_changed(stage: Stage) -> None:
    three_groups(stage)
    stage.run()

    stage.run()

    assert stage.writes == []
    assert stage.directory.count("GetGroupId") == 0


def test_one_member_more_is_three_items(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.directory.members["g-member"] += people(stage, "edsger")

    stage.run()

    items = [json.loads(write)["Item"] for write in stage.writes]
    assert {(item["pk"]["S"], item["sk"]["S"]) for item in items} == {
        ("TEAM#alpha", "MEMBER#edsger"),
        ("USER#edsger", "TEAM#alpha"),
        ("MEMBERSHIP#g-member-edsger", "GROUP#g-member"),
    }


def test_who_leaves_is_forgotten_with_all_look_ups(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.directory.members["g-member"].remove("grace")

    stage.run()

    assert "grace" not in stage.table.states()
    left = {key for key in stage.table.every_key() if any("grace" in part for part in key)}
    assert left == {("TEAM#alpha", "LEFT#grace")}


def test_a_membership_of_a_group_that_is_dropped_stays_known_to_other_teams(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.table.team(groups={"lead": ["gpu-alpha-leads"]})

    stage.run()

    assert stage.table.states() == {"alan": "active"}
    assert stage.table.teams.groups_of_membership("g-member-ada") == ["g-member"]
    assert stage.table.teams.teams_of_group("g-member") == []
    assert set(stage.table.members.pins("alpha")) == {"gpu-alpha-leads"}


def test_id_02_half_a_membership_list_takes_nothing_from_anybody(stage: Stage) -> None:
    three_groups(stage)
    stage.directory.members["g-member"] = people(stage, *(f"u{n}" for n in range(120)))
    stage.run()
    before = stage.table.states()
    stage.directory.fail_on_page = 2

    with pytest.raises(Throttled, match="g-member"):
        stage.run()

    assert stage.table.states() == before
    assert stage.writes == []
    stage.directory.fail_on_page = None
    stage.run()
    assert stage.table.states() == before


def test_id_03_groups_larger_than_one_page(stage: Stage) -> None:
    three_groups(stage)
    stage.directory.members["g-member"] = people(stage, *(f"u{n}" for n in range(263)))
    stage.run()
    assert sum(state == "active" for state in stage.table.states().values()) == 264

    stage.directory.members["g-member"] += people(stage, "u263")
    stage.run()

    assert sum(state == "active" for state in stage.table.states().values()) == 265
    assert len(stage.writes) == 3
    assert stage.directory.count("ListGroupMemberships") == 5
    assert stage.directory.count("DescribeUser") == 0
    assert stage.directory.count("ListUsers") == 3


def test_id_03_group_51_is_handled_like_group_1(stage: Stage) -> None:
    names = [f"gpu-{n}" for n in range(60)]
    stage.table.team(groups={"member": names})
    for name in names:
        stage.directory.group(f"g-{name}", name, people(stage, f"u-{name}"))

    stage.run()

    assert stage.table.states() == {f"u-{name}": "active" for name in names}


def test_id_14_a_renamed_person_is_the_same_person(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.directory.user("ada", "a.jones@x.example")
    stage.directory.user("u9", "ada@example.com")

    stage.run()

    assert stage.table.members.members("alpha")["ada"].user_name == "a.jones@x.example"
    assert "u9" not in stage.table.states()


def test_id_15_a_group_inside_a_group_is_skipped_with_a_warning(stage: Stage) -> None:
    three_groups(stage)
    stage.directory.group("g-inner", "gpu-inner", people(stage, "inner"))
    stage.directory.members["g-member"].append("g-inner")

    said = stage.run()

    assert set(stage.table.states()) == {"ada", "grace", "alan"}
    assert said["MembersReady"]["status"] == "True"
    assert said["MembersReady"]["reason"] == "NestedGroupsSkipped"


def test_id_16_a_member_before_the_user_exists_is_pending_and_found_by_the_user_later(
    stage: Stage,
) -> None:
    three_groups(stage)
    stage.directory.members["g-member"].append("u5")

    said = stage.run()

    assert stage.table.states()["u5"] == "pending"
    assert said["MembersReady"]["reason"] == "StillConverging"
    assert stage.table.teams.teams_of_user("u5") == ["alpha"]
    stage.directory.user("u5")
    assert stage.run()["MembersReady"]["status"] == "True"
    assert stage.table.states()["u5"] == "active"


def test_ac_16_a_deleted_group_is_empty_and_flagged_and_the_others_go_on(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.directory.delete_group("g-lead")
    stage.directory.user("grace", status="DISABLED")

    said = stage.run()

    assert stage.table.states() == {"ada": "active", "grace": "disabled"}
    assert said["GroupsFound"]["reason"] == "GroupMissing"
    assert "gpu-alpha-leads" in said["GroupsFound"]["message"]
    assert stage.table.members.pins("alpha")["gpu-alpha-leads"].missing


def test_another_group_of_the_same_name_is_not_adopted(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.directory.delete_group("g-lead")
    stage.directory.group("g-new", "gpu-alpha-leads", people(stage, "mallory"))

    said = stage.run()

    assert "mallory" not in stage.table.states()
    assert said["GroupsFound"]["reason"] == "Conflict"
    assert stage.table.teams.teams_of_group("g-new") == []


def test_a_group_that_was_renamed_stays_the_same_group(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.directory.groups["g-member"] = "gpu-something-else"

    stage.run()

    assert stage.table.states()["ada"] == "active"


def test_a_group_listed_under_its_new_name_is_still_found_by_its_id(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.directory.groups["g-member"] = "gpu-alpha-people"
    stage.table.team(
        groups={
            "viewer": ["gpu-alpha-viewers"],
            "member": ["gpu-alpha-people"],
            "lead": ["gpu-alpha-leads"],
        }
    )

    stage.run()

    # an event of a membership that ended leads to the team by nothing else
    assert stage.table.teams.teams_of_group("g-member") == ["alpha"]


def test_an_emptied_team_is_held_and_a_disabled_person_is_not(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    for members in stage.directory.members.values():
        members.clear()
    stage.directory.user("grace", status="DISABLED")

    said = stage.run()

    assert stage.table.states() == {"ada": "held", "alan": "held"}
    assert said["MembersReady"]["reason"] == "Held"
    stage.run()
    assert stage.writes == []


def test_actions_are_counts(stage: Stage) -> None:
    three_groups(stage)
    stage.run()
    stage.directory.members["g-member"].remove("grace")
    stage.directory.members["g-member"] += people(stage, "edsger", "barbara")
    stage.directory.user("alan", status="DISABLED")

    answer = handler({"team": "alpha"}, Context())  # type: ignore[arg-type]

    assert answer["actions"] == ["add 2 people", "change 1 people", "remove 1 people"]


def test_what_is_said_names_nobody(stage: Stage) -> None:
    three_groups(stage)
    stage.directory.user("ada", "not a session name")
    answer = handler({"team": "alpha"}, Context())  # type: ignore[arg-type]

    assert not any(name in json.dumps(answer) for name in ("grace", "alan", "session name@"))
    assert stage.table.states()["ada"] == "conflict"
