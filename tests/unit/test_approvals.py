"""Who may decide what, and until when; what has expired is closed whatever the table still has."""

from datetime import UTC, datetime, timedelta

import pytest

from commons.domain.api_approvals import entry
from commons.domain.approvals import (
    Approval,
    ApprovalRequest,
    approval,
    decide,
    may_see,
    notice,
    refusal,
    requested_event,
)
from commons.domain.errors import NotAllowed, RefusedInput, TooLate

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
REQUEST = ApprovalRequest(
    token="secret-token",
    kind="close_period",
    subject="2026-10",
    summary="Close 2026-10 at 96.00 USD",
    requested_by="ann",
    approvers=["bob", "Ann", "eve"],
    execution="arn:aws:states:us-west-2:111122223333:execution:close-period:1",
)
OPEN = approval(REQUEST, NOW)


def decided(found: Approval = OPEN, who: str = "bob", later: timedelta = timedelta(0)) -> Approval:
    return decide(found, who, "approved", None, NOW + later)


def test_one_of_the_named_decides_and_it_is_remembered_who_when_and_why() -> None:
    found = decide(OPEN, "eve", "rejected", "not before the credit is in", NOW)
    assert (found.state, found.decided_by, found.decided_at) == (
        "rejected",
        "eve",
        "2026-11-03T12:00:00Z",
    )
    assert refusal(found) == "eve rejected close_period 2026-10: not before the credit is in"


@pytest.mark.parametrize("who", ["ann", "Ann", "ANN"])
def test_who_asked_never_decides_however_the_name_is_written(who: str) -> None:
    with pytest.raises(NotAllowed, match="somebody else"):
        decided(who=who)


@pytest.mark.parametrize("who", ["mallory", "Bob", "bob ", ""])
def test_who_is_not_named_does_not_decide(who: str) -> None:
    with pytest.raises(NotAllowed, match="not among those"):
        decided(who=who)


def test_a_request_that_nobody_else_could_approve_is_refused_at_once() -> None:
    for approvers in ([], ["ann"], ["ANN"]):
        with pytest.raises(RefusedInput, match="name more approvers"):
            approval(REQUEST.model_copy(update={"approvers": approvers}), NOW)


def test_op_06_what_has_expired_is_refused_although_it_is_stored_as_open() -> None:
    week = timedelta(days=7)
    assert OPEN.open_until == int((NOW + week).timestamp())
    assert decided(later=week - timedelta(seconds=1)).state == "approved"
    with pytest.raises(TooLate, match="expired"):
        decided(later=week)
    assert entry(OPEN, NOW + week).state == "expired"
    assert entry(OPEN, NOW).state == "open"


def test_the_same_decision_again_changes_nothing_and_another_comes_too_late() -> None:
    first = decided()
    assert decided(first, "eve", timedelta(days=30)) is first
    with pytest.raises(TooLate, match="approved by bob at 2026-11-03T12:00:00Z"):
        decide(first, "eve", "rejected", None, NOW)


def test_a_step_that_is_tried_again_asks_for_the_same_approval() -> None:
    again = REQUEST.model_copy(update={"token": "another"})
    assert again.id == REQUEST.id
    assert REQUEST.model_copy(update={"subject": "2026-11"}).id != REQUEST.id


def test_it_is_seen_by_who_asked_and_by_who_may_decide() -> None:
    seen = [name for name in ("ann", "bob", "eve", "mallory") if may_see(OPEN, name)]
    assert seen == ["ann", "bob", "eve"]


def test_the_event_names_nobody_and_nothing_shows_the_token() -> None:
    told = requested_event(OPEN).model_dump_json()
    assert not [name for name in ("ann", "bob", "eve", "secret") if f'"{name}' in told]
    title, text = notice(OPEN)
    assert title == "GPU Commons: close period 2026-10 waits for approval"
    assert "One of bob, eve decides" in text
    assert f"commons approval approve {OPEN.id}" in text
    assert "secret" not in text + entry(OPEN, NOW).model_dump_json()
