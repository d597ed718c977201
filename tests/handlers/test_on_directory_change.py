"""A change of the directory leads to the teams it touches, whoever wrote it, however it is told."""

import json

import pytest

from directory.on_directory_change import handler
from tests.handlers.conftest import Context, Stack
from tests.sample_events import QUEUE, batch, sample

GROUP = "5478a1c0-7021-70b4-2d6f-0c11e0a40001"
USER = "d4d8c4f8-90b1-7033-8f52-6ab1e2c70001"
MEMBERSHIP = "b4e8d4c8-c061-7044-9a0e-1d2f3a4b0001"


def know(stack: Stack, pk: str, sk: str) -> None:
    stack.raw.put_item(Item={"pk": pk, "sk": sk})


@pytest.fixture
def vision(stack: Stack) -> Stack:
    """Team vision knows the group, the user and the membership of the samples."""
    know(stack, f"GROUP#{GROUP}", "TEAM#vision")
    know(stack, f"USER#{USER}", "TEAM#vision")
    know(stack, f"MEMBERSHIP#{MEMBERSHIP}", f"GROUP#{GROUP}")
    return stack


@pytest.mark.parametrize(
    "name",
    [
        "user_added_to_group",
        "user_removed_from_group",
        "user_added_in_console",
        "user_removed_in_console",
        "user_disabled",
        "user_disabled_by_older_token",
        "user_deleted",
        "membership_created_by_api",
        "membership_deleted_by_api",
        "group_deleted",
        "group_renamed",
        "assignment_deleted_by_somebody",
    ],
)
def test_a_change_of_any_writer_has_its_team_looked_at_again(
    vision: Stack, context: Context, name: str
) -> None:
    assert handler(batch(sample(name)), context) == {"batchItemFailures": []}
    assert vision.states.started == ["vision"]
    assert vision.table.status("vision").requested == 1
    assert vision.names.asked == []


@pytest.mark.parametrize("name", ["group_created", "group_created_in_console", "group_renamed"])
def test_a_group_that_was_waited_for_is_found_by_the_name_its_events_hide(
    stack: Stack, context: Context, name: str
) -> None:
    know(stack, "GROUPNAME#gpu-vision", "TEAM#vision")
    stack.names.by_id[GROUP] = "gpu-vision"
    handler(batch(sample(name)), context)
    assert stack.states.started == ["vision"]


def test_a_membership_told_before_its_group_was_created_is_found_all_the_same(
    stack: Stack, context: Context
) -> None:
    know(stack, "GROUPNAME#gpu-vision", "TEAM#vision")
    stack.names.by_id[GROUP] = "gpu-vision"
    handler(batch(sample("user_added_to_group"), sample("group_created")), context)
    assert stack.table.status("vision").requested == 1


@pytest.mark.parametrize("name", ["group_change_failed", "group_creation_failed"])
def test_id_19_failed_calls_are_counted_and_change_nothing(
    vision: Stack, context: Context, name: str
) -> None:
    assert handler(batch(sample(name)), context) == {"batchItemFailures": []}
    assert vision.counted == ["failed_call"]
    assert vision.table.status("vision").requested == 0
    assert vision.refused() == []


def test_id_20_groups_outside_the_prefix_are_out_of_reach(stack: Stack, context: Context) -> None:
    know(stack, "GROUPNAME#AWSControlTowerAdmins", "TEAM#vision")
    platform = sample("foreign_group_changed")
    stack.names.by_id[platform["detail"]["requestParameters"]["id"]] = "AWSControlTowerAdmins"
    handler(batch(platform, sample("group_deleted")), context)
    assert stack.counted == ["unknown_group", "unknown_group"]
    assert stack.states.started == []


def test_id_20_a_deleted_group_is_never_asked_for_its_name(stack: Stack, context: Context) -> None:
    handler(batch(sample("group_deleted")), context)
    assert stack.names.asked == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("own_assignment", "own_call"),
        ("change_in_another_store", "foreign_identity_store"),
        ("change_too_large_to_tell", "no_subject"),
    ],
)
def test_what_is_not_for_us_is_counted_by_its_reason(
    vision: Stack, context: Context, name: str, reason: str
) -> None:
    assert handler(batch(sample(name)), context) == {"batchItemFailures": []}
    assert vision.counted == [reason]
    assert vision.states.started == []


def test_an_unknown_user_and_an_unknown_membership_are_counted(
    stack: Stack, context: Context
) -> None:
    handler(batch(sample("user_created"), sample("membership_deleted_by_api")), context)
    assert stack.counted == ["unknown_user", "unknown_membership"]


def test_a_burst_of_changes_to_one_team_is_one_request(vision: Stack, context: Context) -> None:
    changes = [sample("user_added_to_group")] * 40 + [sample("user_disabled")] * 40
    handler(batch(*changes), context)
    assert vision.table.status("vision").requested == 1


def test_a_burst_of_changes_to_a_foreign_group_asks_for_its_name_once(
    stack: Stack, context: Context
) -> None:
    handler(batch(*[sample("foreign_group_changed")] * 30), context)
    assert len(stack.names.asked) == 1
    assert stack.counted == ["unknown_group"] * 30


def test_a_group_that_two_teams_share_has_both_looked_at(vision: Stack, context: Context) -> None:
    know(vision, f"GROUP#{GROUP}", "TEAM#language")
    handler(batch(sample("user_added_to_group")), context)
    assert sorted(vision.states.started) == ["language", "vision"]


@pytest.mark.parametrize("body", ["", "no json", "[]", '{"detail": 4}', '{"detail": {}}'])
def test_a_malformed_message_is_put_aside_by_name_and_blocks_nothing(
    vision: Stack, context: Context, body: str
) -> None:
    answer = handler(batch(body, sample("user_added_to_group")), context)
    assert answer == {"batchItemFailures": []}
    assert vision.states.started == ["vision"]
    [refused] = vision.refused()
    assert refused["what"] == "event"
    assert refused["name"] == "message m1"
    assert refused["source"] == {"queue_arn": QUEUE, "body": body}


def test_a_message_whose_request_fails_comes_again_and_the_others_do_not(
    vision: Stack, context: Context
) -> None:
    somebody = USER.replace("d4d8c4f8", "0a1b2c3d")
    know(vision, f"USER#{somebody}", "TEAM#language")
    other = json.loads(json.dumps(sample("user_disabled")).replace(USER, somebody))
    vision.states.fail_next = 1
    answer = handler(batch(sample("user_disabled"), other), context)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert vision.states.started == ["language"]
    handler(batch(sample("user_disabled")), context)
    assert vision.states.started == ["language", "vision"]


def test_a_call_by_a_role_whose_name_only_contains_ours_is_not_ours(
    vision: Stack, context: Context
) -> None:
    text = json.dumps(sample("own_assignment")).replace("gpu-commons-", "my-gpu-commons-")
    handler(batch(text), context)
    assert vision.states.started == ["vision"]
