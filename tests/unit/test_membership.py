"""Who is a member, in which role and state."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain.documents import MembershipGuard
from commons.domain.group_pins import GroupPin, new_pins, old_pins
from commons.domain.membership import (
    GroupRead,
    Member,
    Membership,
    MembershipPlan,
    Person,
    ids_to_look_up,
    plan,
)
from commons.domain.membership_guard import strictest

GUARD = MembershipGuard()


def group(role: str, *user_ids: str, **more: Any) -> GroupRead:
    memberships = tuple(
        Membership(membership_id=f"{role}-{user_id}", user_id=user_id) for user_id in user_ids
    )
    values = {"display_name": f"gpu-{role}", "group_id": f"g-{role}", **more}
    return GroupRead.model_validate({"role": role, "memberships": memberships, **values})


def person(user_id: str, name: str | None = None, status: str = "enabled") -> Person:
    name = f"{user_id}@example.com" if name is None else name
    return Person.model_validate({"user_id": user_id, "user_name": name, "status": status})


def planned(
    groups: list[GroupRead],
    people: list[Person],
    current: tuple[Member, ...] = (),
    guard: MembershipGuard = GUARD,
) -> MembershipPlan:
    return plan(
        groups,
        {each.user_id: each for each in people},
        {each.user_id: each for each in current},
        guard,
    )


def states(found: MembershipPlan) -> dict[str, str]:
    return {member.user_id: member.state for member in found.members}


def team_of(count: int) -> tuple[list[str], list[Person], tuple[Member, ...]]:
    ids = [f"u{number}" for number in range(count)]
    people = [person(user_id) for user_id in ids]
    return ids, people, planned([group("member", *ids)], people).members


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        ([group("viewer", "u1"), group("lead", "u1")], "lead"),
        ([group("lead", "u1"), group("viewer", "u1")], "lead"),
        ([group("member", "u1"), group("viewer", "u1")], "member"),
        ([group("viewer", "u1")], "viewer"),
    ],
)
def test_ac_15_the_highest_role_wins_in_any_order(groups: list[GroupRead], role: str) -> None:
    found = planned(groups, [person("u1")])

    assert [member.role for member in found.members] == [role]
    assert found.members[0].group_ids == sorted(f"g-{each.role}" for each in groups)


def test_ac_15_leaving_the_stronger_group_leaves_the_weaker_role() -> None:
    both = planned([group("viewer", "u1"), group("lead", "u1")], [person("u1")])
    found = planned([group("viewer", "u1"), group("lead")], [person("u1")], both.members)

    assert found.members[0].role == "viewer"
    assert found.ended == {"g-lead": ["lead-u1"]}
    assert found.gone == ()


def test_what_is_as_it_was_changes_nothing() -> None:
    ids, people, current = team_of(3)
    found = planned([group("member", *ids)], people, current)

    assert (found.changed, found.gone, found.begun, found.ended) == ((), (), {}, {})


def test_a_new_membership_is_told_with_its_group() -> None:
    ids, people, current = team_of(2)
    found = planned([group("member", *ids, "u9")], [*people, person("u9")], current)

    assert found.begun == {"g-member": {"member-u9": "u9"}}
    assert [member.user_id for member in found.changed] == ["u9"]


def test_disabled_people_may_do_nothing_and_are_not_forgotten() -> None:
    found = planned([group("member", "u1")], [person("u1", status="disabled")])

    assert states(found) == {"u1": "disabled"}


def test_a_group_inside_a_group_counts_and_gives_nobody_anything() -> None:
    found = planned([group("member", "u1", "g9")], [person("u1"), person("g9", status="nested")])

    assert states(found) == {"u1": "active"}
    assert found.nested == 1


def test_a_person_the_directory_does_not_know_is_pending() -> None:
    found = planned([group("member", "u1")], [person("u1", "", status="unknown")])

    assert states(found) == {"u1": "pending"}


@pytest.mark.parametrize(
    ("first", "second"),
    [("a@x.example", "a-x.example"), ("A@x.example", "a-X.example"), ("same", "same")],
)
def test_two_people_whom_a_cluster_sees_as_one_are_both_held_back(first: str, second: str) -> None:
    found = planned([group("member", "u1", "u2")], [person("u1", first), person("u2", second)])

    assert states(found) == {"u1": "conflict", "u2": "conflict"}


@pytest.mark.parametrize("name", ["", "a", "with space", "ümlaut@example.com", "x" * 65, "a/b"])
def test_a_name_that_cannot_be_a_session_name_is_a_conflict(name: str) -> None:
    found = planned([group("member", "u1")], [person("u1", name)])

    assert states(found) == {"u1": "conflict"}


@pytest.mark.parametrize("name", ["ab", "x" * 64, "a.b+c=d,e@f-g_h"])
def test_every_name_that_can_be_a_session_name_is_taken(name: str) -> None:
    assert states(planned([group("member", "u1")], [person("u1", name)])) == {"u1": "active"}


def test_somebody_disabled_takes_no_name_from_others() -> None:
    found = planned(
        [group("member", "u1", "u2")],
        [person("u1", "a@x"), person("u2", "a-x", status="disabled")],
    )

    assert states(found) == {"u1": "active", "u2": "disabled"}


def test_a_few_may_leave_even_a_small_team() -> None:
    ids, people, current = team_of(3)
    found = planned([group("member", *ids[1:])], people, current)

    assert [member.user_id for member in found.gone] == ["u0"]


@pytest.mark.parametrize(
    ("size", "leave", "held"),
    [
        (60, 20, False),  # a third, and not more than twenty
        (60, 21, True),
        (70, 21, False),  # more than twenty, and exactly thirty percent
        (69, 21, True),
        (20, 20, True),  # nobody would be left
        (1, 1, True),
    ],
)
def test_who_leave_are_held_only_if_they_are_many_and_a_large_part(
    size: int, leave: int, held: bool
) -> None:
    ids, people, current = team_of(size)
    found = planned([group("member", *ids[leave:])], people, current)

    assert list(states(found).values()).count("held") == (leave if held else 0)
    assert len(found.gone) == (0 if held else leave)


def test_those_held_only_because_nobody_was_left_go_when_somebody_is() -> None:
    ids, people, current = team_of(2)
    found = planned([group("member")], people, current)
    joined = planned([group("member", "u9")], [*people, person("u9")], found.members)

    assert states(found) == {"u0": "held", "u1": "held"}
    assert states(joined) == {"u9": "active"}
    assert {member.user_id for member in joined.gone} == set(ids)


def test_the_guard_can_be_switched_off() -> None:
    _, people, current = team_of(2)
    off = MembershipGuard(max_remove_percent=100, max_remove_count=0)

    assert planned([group("member")], people, current, off).members == ()


def test_held_people_stay_held_without_a_write() -> None:
    _, people, current = team_of(2)
    held = planned([group("member")], people, current)
    again = planned([group("member")], people, held.members)

    assert (again.changed, again.gone, again.ended) == ((), (), {})


@pytest.mark.parametrize("status", ["disabled", "unknown", "nested"])
def test_who_left_and_is_disabled_or_deleted_is_never_held(status: str) -> None:
    _, _, current = team_of(2)
    people = [person("u0"), person("u1", status=status)]
    found = planned([group("member")], people, current)

    assert states(found) == {"u0": "held"}
    assert [member.user_id for member in found.gone] == ["u1"]


def test_a_team_without_people_is_no_accident() -> None:
    assert planned([group("member")], []).members == ()


def test_the_strictest_guard_of_the_clusters_holds() -> None:
    first = MembershipGuard(max_remove_percent=10, max_remove_count=50)
    second = MembershipGuard(max_remove_percent=90, max_remove_count=5)

    found = strictest([first, second])

    assert (found.max_remove_percent, found.max_remove_count) == (10, 5)
    assert strictest([]) == MembershipGuard()


def test_those_who_were_members_are_looked_up_too() -> None:
    _, _, current = team_of(1)

    found = ids_to_look_up([group("member", "u9")], {each.user_id: each for each in current})

    assert found == {"u0", "u9"}


def test_pins_are_new_when_group_role_or_presence_differ() -> None:
    read = group("member")
    pin = GroupPin(group_id="g-member", role="member")

    assert new_pins([read], {"gpu-member": pin}) == []
    assert new_pins([read], {}) == [("gpu-member", pin)]
    other = pin.model_copy(update={"role": "lead"})
    assert new_pins([read], {"gpu-member": other}) == [("gpu-member", pin)]
    gone = group("member", fault="missing")
    missing = pin.model_copy(update={"missing": True})
    assert new_pins([gone], {"gpu-member": pin}) == [("gpu-member", missing)]
    assert new_pins([group("member", group_id=None, fault="missing")], {}) == []


def test_pins_of_groups_no_longer_listed_are_old() -> None:
    pin = GroupPin(group_id="g-lead", role="lead")

    assert old_pins([group("member")], {"gpu-lead": pin}) == [("gpu-lead", pin)]
    assert old_pins([group("lead")], {"gpu-lead": pin}) == []


@given(
    memberships=st.lists(
        st.tuples(st.sampled_from(["viewer", "member", "lead"]), st.integers(0, 9)), max_size=30
    ),
    disabled=st.sets(st.integers(0, 9)),
    shuffled=st.randoms(use_true_random=False),
)
def test_order_of_groups_and_members_does_not_matter(
    memberships: list[tuple[str, int]], disabled: set[int], shuffled: Random
) -> None:
    people = [person(f"u{n}", status="disabled" if n in disabled else "enabled") for n in range(10)]
    by_role = {
        role: sorted({f"u{n}" for each, n in memberships if each == role})
        for role in ("viewer", "member", "lead")
    }
    mixed = [group(r, *shuffled.sample(ids, len(ids))) for r, ids in by_role.items()]
    shuffled.shuffle(mixed)

    one = planned([group(role, *ids) for role, ids in by_role.items()], people)
    two = planned(mixed, people)

    assert one == two
    assert planned(mixed, people, one.members).changed == ()
