"""The four writers' shapes, each led to the one subject it is about."""

import json
from pathlib import Path
from typing import Any

import pytest

from commons.domain.directory_events import (
    OutOfScope,
    Subject,
    read_directory_event,
    subject_of,
)
from commons.domain.errors import RefusedInput

EVENTS = Path(__file__).parents[2] / "events"
STORE = "d-9067a1b2c3"
GROUP = "5478a1c0-7021-70b4-2d6f-0c11e0a40001"
USER = "d4d8c4f8-90b1-7033-8f52-6ab1e2c70001"


def subject(event: dict[str, Any]) -> Subject | OutOfScope:
    read = read_directory_event("message 1", json.dumps(event))
    return subject_of(read, STORE, "gpu-commons-")


def sample(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(EVENTS.joinpath(f"{name}.json").read_text())
    return found


@pytest.mark.parametrize(
    ("name", "kind", "subject_id", "gone"),
    [
        ("user_created", "user", USER, False),
        ("user_disabled", "user", USER, False),
        ("user_disabled_by_older_token", "user", USER, False),
        ("user_deleted", "user", USER, True),
        ("group_created", "group", GROUP, False),
        ("group_created_in_console", "group", GROUP, False),
        ("group_deleted", "group", GROUP, True),
        ("group_renamed", "group", GROUP, False),
        ("user_added_to_group", "group", GROUP, False),
        ("user_added_in_console", "group", GROUP, False),
        ("membership_created_by_api", "group", GROUP, False),
        ("membership_deleted_by_api", "membership", "b4e8d4c8-c061-7044-9a0e-1d2f3a4b0001", True),
        ("assignment_deleted_by_somebody", "group", GROUP, True),
    ],
)
def test_an_event_is_about_one_subject(name: str, kind: str, subject_id: str, gone: bool) -> None:
    assert subject(sample(name)) == Subject(kind=kind, id=subject_id, gone=gone)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("group_change_failed", "failed_call"),
        ("group_creation_failed", "failed_call"),
        ("own_assignment", "own_call"),
        ("change_in_another_store", "foreign_identity_store"),
        ("change_too_large_to_tell", "no_subject"),
    ],
)
def test_an_event_that_is_not_for_us_says_why(name: str, reason: str) -> None:
    assert subject(sample(name)) == OutOfScope(reason=reason)


def test_an_unknown_event_is_out_of_scope() -> None:
    event = sample("user_created")
    event["detail"]["eventName"] = "CreateBearerToken"
    assert subject(event) == OutOfScope(reason="unknown_event")


def test_a_permission_set_that_somebody_changed_is_left_to_the_sweep() -> None:
    event = sample("assignment_deleted_by_somebody")
    event["detail"]["eventName"] = "PutInlinePolicyToPermissionSet"
    assert subject(event) == OutOfScope(reason="unknown_event")


def test_an_assignment_of_a_person_is_about_the_person() -> None:
    event = sample("assignment_deleted_by_somebody")
    event["detail"]["requestParameters"] |= {"principalType": "USER", "principalId": USER}
    assert subject(event) == Subject(kind="user", id=USER, gone=True)


def test_the_caller_in_on_behalf_of_is_never_the_subject() -> None:
    event = sample("user_added_to_group")
    event["detail"]["userIdentity"] = {
        "type": "IdentityCenterUser",
        "onBehalfOf": {"userId": "somebody-else", "identityStoreArn": "arn:aws:identitystore::1:x"},
    }
    assert subject(event) == Subject(kind="group", id=GROUP)


@pytest.mark.parametrize("identity", [None, "root", {}, {"sessionContext": None}])
def test_a_caller_of_any_shape_is_taken(identity: Any) -> None:
    event = sample("user_added_to_group")
    event["detail"]["userIdentity"] = identity
    assert subject(event) == Subject(kind="group", id=GROUP)


@pytest.mark.parametrize("value", [None, "omitted", [], {"id": 4}, {"id": ""}])
def test_parameters_of_any_shape_are_taken(value: Any) -> None:
    event = sample("user_added_to_group")
    event["detail"]["requestParameters"] = value
    assert subject(event) == OutOfScope(reason="no_subject")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "is not JSON"),
        ("null", "document"),
        ('{"detail": {"eventName": "CreateUser"}}', "detail.eventSource: is missing"),
        ('{"detail": {"eventName": 4, "eventSource": "x"}}', "detail.eventName: must be"),
    ],
)
def test_what_is_no_such_event_is_refused_by_name(body: str, reason: str) -> None:
    with pytest.raises(RefusedInput, match=reason) as refused:
        read_directory_event("message 7", body)
    assert refused.value.what == "message 7"
