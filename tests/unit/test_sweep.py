"""A sweep asks for a reconcile only where something differs."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from commons.domain.documents import ClusterDocument, MembershipGuard, NamespaceSpec, TeamDocument
from commons.domain.group_pins import GroupPin
from commons.domain.membership import Member, Membership, Person
from commons.domain.status import Condition
from commons.domain.sweep import Directory, KnownTeam, Observed, age_seconds, differences
from commons.domain.team import Access, NamespaceRecord, QuotaRecord, TeamStatus

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
ARN = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
ROLE = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_commons-v_1"


def known(**changes: Any) -> KnownTeam:
    """A team with one person, as a reconcile left it."""
    whole: dict[str, Any] = {
        "document": TeamDocument.model_validate(
            {"kind": "Team", "team": "v", "title": "V", "groups": {"member": ["gpu-v"]}}
        ),
        "clusters": [ClusterDocument(kind="Cluster", cluster=ARN, name="c", eks_cluster="e")],
        "members": {"u1": member("u1")},
        "pins": {"gpu-v": GroupPin(group_id="g1", role="member")},
        "access": [
            Access(
                account="111122223333",
                permission_set="commons-v",
                permission_set_arn="arn:ps",
                role_arn=ROLE,
                role_id="AROA1",
            )
        ],
        "namespaces": [
            NamespaceRecord(
                cluster=ARN, namespace="hyperpod-ns-v", quota=QuotaRecord(id="q1", version=3)
            )
        ],
        "status": TeamStatus(phase="Ready"),
        "guard": MembershipGuard(),
    }
    return KnownTeam(**(whole | changes))


def member(user_id: str, state: str = "active") -> Member:
    return Member.model_validate(
        {
            "user_id": user_id,
            "user_name": f"{user_id}@example.com",
            "role": "member",
            "state": state,
            "memberships": {f"m-{user_id}": "g1"},
        }
    )


def directory(*user_ids: str, disabled: str = "", group: str = "g1") -> Directory:
    members = tuple(Membership(membership_id=f"m-{u}", user_id=u) for u in user_ids)
    return Directory(
        people={
            u: Person(
                user_id=u,
                user_name=f"{u}@example.com",
                status="disabled" if u == disabled else "enabled",
            )
            for u in ("u1", "u2")
        },
        groups={group: "gpu-v"},
        memberships={group: members},
    )


def observed(**changes: Any) -> Observed:
    whole: dict[str, Any] = {
        "directory": directory("u1"),
        "quotas": {ARN: {"q1": 3}},
        "roles": {ROLE: "AROA1"},
        "entries": {ARN: frozenset({ROLE})},
    }
    return Observed(**(whole | changes))


def test_a_team_as_it_should_be_is_left_alone() -> None:
    assert differences(known(), observed()) == []


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"directory": directory("u1", "u2")}, "members"),
        ({"directory": directory("u1", disabled="u1")}, "members"),
        ({"quotas": {ARN: {"q1": 4}}}, "quota_changed"),
        ({"quotas": {ARN: {}}}, "quota_gone"),
        ({"roles": {}}, "role_gone"),
        ({"entries": {ARN: frozenset({"arn:other"})}}, "entry_gone"),
        ({"misshapen": frozenset({(ARN, "hyperpod-ns-v")})}, "namespace_changed"),
        ({"roles": {ROLE: "AROA2"}}, "role_renewed"),
        ({"trespassing": frozenset({(ARN, "v")})}, "listed_elsewhere"),
    ],
)
def test_each_difference_has_its_reason(found: dict[str, Any], reason: str) -> None:
    assert differences(known(), observed(**found)) == [reason]


def test_what_people_of_another_team_are_listed_for_is_that_team_s_matter() -> None:
    assert differences(known(), observed(trespassing=frozenset({(ARN, "w")}))) == []


def test_a_lost_event_of_somebody_who_left_is_made_good() -> None:
    two = {"u1": member("u1"), "u2": member("u2")}
    full = known(members=two | {f"x{n}": member(f"x{n}") for n in range(8)})
    people = directory("u1")
    everybody = {
        **people.people,
        **{
            f"x{n}": Person(user_id=f"x{n}", user_name=f"x{n}@example.com", status="enabled")
            for n in range(8)
        },
    }
    stay = tuple(
        Membership(membership_id=f"m-{u}", user_id=u) for u in ["u1", *(f"x{n}" for n in range(8))]
    )
    left = people.model_copy(update={"people": everybody, "memberships": {"g1": stay}})
    assert differences(full, observed(directory=left)) == ["members"]


def test_somebody_held_already_is_no_news() -> None:
    held = member("u1", "held").model_copy(update={"memberships": {}})
    assert differences(known(members={"u1": held}), observed(directory=directory())) == []


def test_a_group_that_has_come_meanwhile_is_found() -> None:
    waiting = known(pins={}, members={})
    assert "groups" in differences(waiting, observed(directory=directory()))


@pytest.mark.parametrize(
    ("phase", "reasons"),
    [
        (None, ["never_reconciled"]),
        ("Failed", ["not_ready"]),
        ("Converging", ["not_ready"]),
        ("Conflict", ["not_ready"]),
        ("Ready", []),
        ("Held", []),
        ("Blocked", []),
        ("Frozen", []),
    ],
)
def test_a_team_that_may_have_been_mended_is_tried_again(
    phase: str | None, reasons: list[str]
) -> None:
    assert differences(known(status=TeamStatus(phase=phase)), observed()) == reasons


@pytest.mark.parametrize(
    ("kind", "reason", "reasons"),
    [
        ("QuotaReady", "QuotaExceedsCapacity", ["not_ready"]),
        ("QuotaReady", "StillConverging", ["not_ready"]),
        ("NamespaceReady", "Blocked", ["not_ready"]),
        # its registration asks for a reconcile by itself
        ("ClusterRegistered", "Blocked", []),
    ],
)
def test_a_blocked_namespace_that_may_have_been_mended_is_tried_again(
    kind: str, reason: str, reasons: list[str]
) -> None:
    fault = Condition(type=kind, status="False", reason=reason, message="")
    bad = NamespaceRecord(cluster=ARN, namespace="hyperpod-ns-v", conditions=[fault])
    status = TeamStatus(phase="Blocked")
    document = known().document.model_copy(update={"namespaces": [NamespaceSpec(cluster=ARN)]})
    blocked = known(status=status, namespaces=[bad], document=document)
    assert differences(blocked, observed()) == reasons
    # what the document no longer lists is nobody's hope
    assert differences(known(status=status, namespaces=[bad]), observed()) == []


def test_a_team_under_way_is_not_disturbed() -> None:
    busy = TeamStatus(phase="Failed", execution_arn="arn:execution")
    assert differences(known(status=busy), observed(roles={})) == []


def test_a_cluster_that_did_not_answer_is_no_difference() -> None:
    assert differences(known(), observed(quotas={}, entries={})) == []


def test_a_cluster_that_is_only_observed_differs_for_good_and_is_left_alone() -> None:
    found = observed(
        quotas={ARN: {}},
        entries={ARN: frozenset()},
        misshapen=frozenset({(ARN, "hyperpod-ns-v")}),
    )
    assert differences(known(clusters=[]), found) == []


def test_a_namespace_of_another_team_is_no_difference() -> None:
    found = observed(misshapen=frozenset({(ARN, "hyperpod-ns-w")}))
    assert differences(known(), found) == []


def test_a_namespace_without_a_quota_yet_has_nothing_to_compare() -> None:
    fresh = NamespaceRecord(cluster=ARN, namespace="hyperpod-ns-v")
    assert differences(known(namespaces=[fresh]), observed(quotas={})) == []


def test_a_difference_is_at_most_as_old_as_the_last_look() -> None:
    hours = {"reconciled_at": 5, "swept_at": 3}
    times = {
        name: (NOW - timedelta(hours=n)).isoformat().replace("+00:00", "Z")
        for name, n in hours.items()
    }
    assert age_seconds(TeamStatus.model_validate(times), NOW) == 3 * 3600
    assert age_seconds(TeamStatus(), NOW) is None
