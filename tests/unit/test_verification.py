"""Which questions are asked about a namespace, and what their answers come to."""

import json
from typing import Any

import pytest

from commons.domain import rbac, verification
from commons.domain.access_questions import LOOK, NEVER, TELLING, Act, Question, permits
from commons.domain.leavers import Leaver
from commons.domain.membership import ROLES, Member
from commons.domain.verification import People, Places, listed_users, people_of, questions
from commons.domain.verification_outcome import not_asked, outcome

HERE, THERE = "hyperpod-ns-alpha", "hyperpod-ns-beta"
MIA, LEA, VIC = (f"commons:alpha:{name}-x.example" for name in ("mia", "lea", "vic"))


def member(name: str, role: str = "member", state: str = "active") -> Member:
    return Member.model_validate(
        {"user_id": name, "user_name": f"{name}@x.example", "role": role, "state": state}
    )


def leaver(name: str) -> Leaver:
    return Leaver(
        user_id=name,
        user_name=f"{name}@x.example",
        role="member",
        left_at="2026-11-02T08:00:00Z",
        sessions_until="2026-11-02T12:00:00Z",
        expires_at=1,
    )


def people(*members: Member, left: tuple[Leaver, ...] = (), **more: Any) -> People:
    return people_of("alpha", members, left, **more)


def asked(known: People, **places: Any) -> list[Question]:
    where = {"here": HERE, "others": (THERE,), **places}
    return questions(known, Places.model_validate(where))[0]


def facts(found: list[Question], user: str, namespace: str) -> dict[str, bool]:
    return {str(q.act): q.expected for q in found if (q.user, q.namespace) == (user, namespace)}


def test_each_role_is_asked_about_what_the_table_says_and_what_nobody_may() -> None:
    found = asked(people(member("mia"), member("lea", "lead"), member("vic", "viewer")))

    for user, role in ((VIC, "viewer"), (MIA, "member"), (LEA, "lead")):
        here = facts(found, user, HERE)
        assert here == {str(a): permits(role, a) for a in TELLING} | {str(a): False for a in NEVER}
    assert [facts(found, user, HERE)["create jobs"] for user in (VIC, MIA)] == [False, True]
    assert [facts(found, user, HERE)["delete workloads"] for user in (MIA, LEA)] == [False, True]


def test_the_telling_acts_tell_every_role_from_the_others() -> None:
    may = {role: tuple(permits(role, act) for act in TELLING) for role in ROLES}
    assert len(set(may.values())) == len(ROLES)


@pytest.mark.parametrize("role", ROLES)
def test_no_role_of_the_table_may_do_what_nobody_may(role: Any) -> None:
    assert not any(permits(role, act) for act in NEVER)


def test_one_person_stands_for_a_role_however_many_have_it() -> None:
    found = asked(people(member("mia"), member("zoe"), member("ben")))
    assert {question.user for question in found} == {"commons:alpha:ben-x.example"}


def test_nobody_may_look_into_another_team_or_where_the_cluster_lives() -> None:
    found = asked(people(member("mia")))
    for namespace in (THERE, "default", "kube-system"):
        assert facts(found, MIA, namespace) == {"list pods": False}


@pytest.mark.parametrize("state", ["disabled", "conflict", "pending"])
def test_whoever_is_not_bound_must_see_nothing_here(state: str) -> None:
    found = asked(people(member("mia"), member("otto", state=state)))
    assert facts(found, "commons:alpha:otto-x.example", HERE) == {"list pods": False}


def test_who_is_held_may_what_they_had() -> None:
    assert facts(asked(people(member("mia", state="held"))), MIA, HERE)["create jobs"] is True


def test_who_left_must_see_nothing_here() -> None:
    found = asked(people(member("mia"), left=(leaver("noah"),)))
    assert facts(found, "commons:alpha:noah-x.example", HERE) == {"list pods": False}


def test_who_came_back_or_whose_name_another_has_is_no_leaver() -> None:
    found = asked(people(member("mia"), left=(leaver("mia"),)))
    assert facts(found, MIA, HERE)["list pods"] is True


def test_in_a_namespace_that_takes_nobody_in_nobody_may_look() -> None:
    found = asked(people(member("mia"), open_=False))
    assert [(q.user, q.act, q.namespace, q.expected) for q in found] == [(MIA, LOOK, HERE, False)]


def test_of_those_who_left_fifty_are_asked_about() -> None:
    found = asked(people(left=tuple(leaver(f"p{n}") for n in range(60))))
    assert len(found) == 50


def binding(namespace: str | None, name: str, *subjects: tuple[str, str]) -> dict[str, Any]:
    where = {"namespace": namespace} if namespace else {}
    named = [{"kind": kind, "name": subject} for kind, subject in subjects]
    return {"metadata": {"name": name, **where}, "subjects": named}


def test_whoever_a_foreign_binding_lists_is_found_and_ours_is_not_foreign() -> None:
    known = people(member("mia"))
    found = listed_users(
        [
            binding(HERE, "commons-member", ("User", MIA)),
            binding(HERE, "by-hand", ("User", VIC)),
            binding(THERE, "commons-member", ("User", MIA), ("User", "commons:beta:bob")),
            binding(None, "admins", ("User", LEA), ("Group", "system:authenticated")),
            {"metadata": {"name": "empty", "namespace": THERE}},
        ],
        known,
        {HERE},
    )
    assert found == {HERE: {VIC}, THERE: {MIA}, "": {LEA}}


def test_a_binding_of_a_group_that_all_have_lists_those_who_stand_for_a_role() -> None:
    known = people(member("mia"), groups=("theirs",))
    everybody, theirs = ("Group", "system:authenticated"), ("Group", "theirs")
    found = listed_users(
        [binding(THERE, "a", everybody), binding("x", "b", theirs), binding(None, "c", theirs)],
        known,
        {HERE},
    )
    assert found == {THERE: {MIA}, "x": {MIA}, "": {MIA}}


def test_a_service_account_of_the_team_has_no_business_elsewhere() -> None:
    account = {"kind": "ServiceAccount", "name": "builder", "namespace": HERE}
    known = people(member("mia"))
    bindings = [
        {"metadata": {"name": "own", "namespace": HERE}, "subjects": [account]},
        {"metadata": {"name": "theirs", "namespace": THERE}, "subjects": [account]},
        {
            "metadata": {"name": "beta", "namespace": THERE},
            "subjects": [account | {"namespace": THERE}],
        },
    ]

    found = listed_users(bindings, known, {HERE})

    user = f"system:serviceaccount:{HERE}:builder"
    assert found == {THERE: {user}}
    (first, *_) = [q for q in asked(known, listed=found) if q.user == user]
    assert (first.role, first.namespace, first.expected) == ("service account", THERE, False)
    assert first.groups[1:] == ("system:serviceaccounts", f"system:serviceaccounts:{HERE}")


def test_who_is_listed_next_door_is_asked_about_there_by_every_act() -> None:
    found = asked(people(member("mia")), listed={THERE: {VIC}})
    assert facts(found, VIC, THERE) == {str(act): False for act in (*TELLING, *NEVER)}


def test_a_member_listed_here_by_somebody_else_may_no_more_than_their_role() -> None:
    known = people(member("ben", "viewer"), member("vic", "viewer"))
    found = asked(known, listed={HERE: {VIC}})
    assert facts(found, VIC, HERE)["create jobs"] is False
    assert facts(found, VIC, HERE)["list pods"] is True


def test_who_left_and_is_listed_here_by_somebody_else_may_nothing() -> None:
    found = asked(people(member("mia")), listed={HERE: {VIC}})
    assert facts(found, VIC, HERE) == {str(act): False for act in (*TELLING, *NEVER)}


def test_who_is_listed_for_the_whole_cluster_is_asked_about_where_it_lives() -> None:
    found = asked(people(member("mia")), listed={"": {MIA}})
    for namespace in ("default", "kube-system"):
        assert facts(found, MIA, namespace) == {str(act): False for act in (*TELLING, *NEVER)}
    assert facts(found, MIA, HERE)["list pods"] is True


def test_no_question_is_asked_twice() -> None:
    found = asked(people(member("mia")), listed={"default": {MIA}, HERE: {MIA}})
    keys = [(q.user, q.act, q.namespace) for q in found]
    assert len(keys) == len(set(keys))


def test_beyond_the_bound_the_namespaces_next_door_are_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verification, "MOST_QUESTIONS", 26)
    known = people(member("mia"), member("lea", "lead"))
    others = tuple(f"n{number}" for number in range(10))

    found, left_out = questions(known, Places(here=HERE, others=others))

    assert len(found) == 26
    assert left_out == 2 + 10 - 3
    assert "a sample, 9 more were not asked about" in _message(outcome("alpha", found, [], 9))


def test_a_person_is_asked_about_as_the_access_entry_presents_them() -> None:
    [first, *_] = asked(people(member("mia"), groups=("theirs",)))
    assert first.review() == {
        "user": MIA,
        "groups": ["system:authenticated", "theirs"],
        "resourceAttributes": {"verb": "list", "resource": "pods", "namespace": HERE},
    }


@pytest.mark.parametrize(
    ("act", "wanted"),
    [
        (Act("create", "", "pods/exec"), {"resource": "pods", "subresource": "exec"}),
        (Act("patch", "", "namespaces"), {"resource": "namespaces", "name": HERE}),
        (Act("create", rbac.RBAC, "rolebindings"), {"group": rbac.RBAC}),
    ],
)
def test_an_act_becomes_what_an_authorizer_sees(act: Act, wanted: dict[str, str]) -> None:
    question = Question(user=MIA, groups=(), role="m", act=act, namespace=HERE, expected=False)
    assert wanted.items() <= question.review()["resourceAttributes"].items()


def _message(answer: Any) -> str:
    (condition,) = answer.conditions
    return str(condition.message)


def test_when_all_answers_are_right_it_says_how_many_were_asked() -> None:
    found = asked(people(member("mia"), member("lea", "lead")))

    answer = outcome("alpha", found, [], 0)

    assert answer.conditions[0].status == "True"
    assert _message(answer) == (
        f"{len(found)} questions asked: a lead and a member may do here what the role allows, and "
        "nothing in 3 namespaces that are not the team's"
    )


def test_where_nobody_may_do_anything_it_says_so() -> None:
    found = asked(people(left=(leaver("noah"),)))
    answer = outcome("alpha", found, [], 0)
    assert _message(answer) == "1 questions asked: nobody of the team may do anything here"


def test_too_much_is_told_before_too_little_with_role_verb_place_and_what_to_do() -> None:
    found = asked(people(member("mia")))
    narrow = next(q for q in found if q.expected)
    wide = next(q for q in found if q.namespace == THERE)

    answer = outcome("alpha", found, [narrow, wide], 0)

    (condition,) = answer.conditions
    assert (condition.status, condition.reason) == ("False", "AccessTooWide")
    assert f"a member of the team may list pods in {THERE}, and must not" in condition.message
    assert f"kubectl get rolebindings -n {THERE}" in condition.message
    assert "commons team reconcile alpha" in condition.message
    assert "more are not" not in condition.message


def test_too_little_is_told_with_what_the_role_should_allow() -> None:
    found = asked(people(member("mia")))
    narrow = [q for q in found if q.expected]

    (condition,) = outcome("alpha", found, narrow, 0).conditions

    assert condition.reason == "AccessTooNarrow"
    assert f"a member of the team may not list pods in {HERE}" in condition.message
    assert f"and {len(narrow) - 1} answers more" in condition.message


def test_what_is_said_names_nobody() -> None:
    found = asked(people(member("mia"), left=(leaver("noah"),)), listed={THERE: {VIC}})
    said = json.dumps([outcome("alpha", found, [q], 0).payload() for q in found])
    assert not any(name in said for name in ("mia", "noah", "vic"))


def test_an_observed_cluster_is_said_to_be_observed() -> None:
    (condition,) = not_asked().conditions
    assert (condition.status, condition.reason) == ("True", "Observing")
