"""Who lost their access, and until when at most a session of theirs lives at AWS."""

from datetime import UTC, datetime, timedelta

from commons.domain.access import SESSION_DURATION, SESSION_HOURS
from commons.domain.leavers import leavers
from commons.domain.membership import Member, MembershipPlan

NOW = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)


def member(user_id: str, state: str = "active") -> Member:
    values = {"user_id": user_id, "user_name": f"{user_id}@x.example", "role": "lead"}
    return Member.model_validate({**values, "state": state})


def left(before: list[Member], after: list[Member]) -> list[str]:
    known = {each.user_id: each for each in before}
    plan = MembershipPlan(members=tuple(after), changed=(), gone=())
    return [each.user_id for each in leavers(plan, known, NOW)]


def test_a_session_lives_as_long_as_the_permission_set_says_from_the_last_moment_on() -> None:
    plan = MembershipPlan(members=(), changed=(), gone=())
    (found,) = leavers(plan, {"ada": member("ada")}, NOW)

    assert (found.user_name, found.role) == ("ada@x.example", "lead")
    assert found.left_at == "2026-11-02T08:00:00Z"
    assert found.sessions_until == "2026-11-02T12:00:00Z"
    assert SESSION_DURATION == f"PT{SESSION_HOURS}H" == "PT4H"


def test_the_record_outlives_the_sessions_by_a_month() -> None:
    plan = MembershipPlan(members=(), changed=(), gone=())
    (found,) = leavers(plan, {"ada": member("ada")}, NOW)

    assert found.expires_at == int((NOW + timedelta(hours=4, days=30)).timestamp())


def test_who_left_who_was_disabled_and_who_is_in_conflict_lost_their_access() -> None:
    before = [member("ada"), member("bob", "held"), member("cid"), member("dan")]
    after = [member("cid", "disabled"), member("dan", "conflict")]
    assert left(before, after) == ["ada", "bob", "cid", "dan"]


def test_who_is_held_or_had_nothing_lost_nothing() -> None:
    before = [member("ada"), member("bob", "disabled"), member("eve", "pending")]
    assert left(before, [member("ada", "held")]) == []
