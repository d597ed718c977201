"""The way of a team into a cluster, as plain values."""

import json

import pytest

from commons.domain.access import inline_policy, permission_set_of
from commons.domain.access_plan import accounts_of, assignable, assignment_changes, wanted_set
from commons.domain.documents import ClusterDocument
from commons.domain.group_pins import GroupPin

ROLE = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/"


def cluster(
    identity: str = "ab12cd34ef56", eks: str = "hp-eks", mode: str = "enforce"
) -> ClusterDocument:
    arn = f"arn:aws:sagemaker:us-west-2:111122223333:cluster/{identity}"
    values = {"kind": "Cluster", "cluster": arn, "name": "x", "eks_cluster": eks, "mode": mode}
    return ClusterDocument.model_validate(values)


@pytest.mark.parametrize(
    ("principal", "name"),
    [
        (f"{ROLE}AWSReservedSSO_commons-a_0123456789abcdef", "commons-a"),
        (f"{ROLE}eu-west-1/AWSReservedSSO_commons-a_0123456789abcdef", "commons-a"),
        (f"{ROLE}AWSReservedSSO_with_underscores_ab", "with_underscores"),
        ("arn:aws:iam::111122223333:role/AWSReservedSSO_commons-a_0123456789abcdef", None),
        (f"{ROLE}SomethingElse_ab", None),
        ("arn:aws:iam::111122223333:user/ada", None),
    ],
)
def test_ac_01_a_role_says_its_permission_set_with_and_without_a_region(
    principal: str, name: str | None
) -> None:
    assert permission_set_of(principal) == name


def test_the_policy_allows_what_the_command_line_needs_and_nothing_more() -> None:
    policy = json.loads(inline_policy([cluster(), cluster("zz12cd34ef56", "hp-2")]))

    actions = {action for statement in policy["Statement"] for action in statement["Action"]}
    assert actions == {"eks:DescribeCluster", "sagemaker:DescribeCluster", "sagemaker:ListClusters"}
    assert {s["Effect"] for s in policy["Statement"]} == {"Allow"}
    assert len(policy["Statement"][0]["Resource"]) == 4
    assert "*" not in policy["Statement"][0]["Resource"]


def test_the_order_of_clusters_does_not_change_the_policy() -> None:
    one, two = cluster(), cluster("zz12cd34ef56", "hp-2")

    assert inline_policy([one, two]) == inline_policy([two, one])


@pytest.mark.parametrize("team", ["a", "a" * 24, "a" * 25, "a" * 40])
def test_the_name_of_a_permission_set_is_never_too_long(team: str) -> None:
    assert len(wanted_set(team, [cluster()]).name) <= 32


def test_an_account_is_acted_on_unless_all_of_its_clusters_are_observed() -> None:
    seen = cluster(mode="observe")
    (mixed,) = accounts_of([seen, cluster("zz12cd34ef56")], "111122223333")
    (observed,) = accounts_of([seen], "111122223333")

    assert mixed.act
    assert not observed.act
    assert accounts_of([], "111122223333") == []


def test_groups_that_are_gone_are_not_assigned() -> None:
    pins = {
        "a": GroupPin(group_id="g2", role="lead"),
        "b": GroupPin(group_id="g1", role="member"),
        "c": GroupPin(group_id="g3", role="member", missing=True),
    }

    assert assignable(pins) == ["g1", "g2"]


@pytest.mark.parametrize(
    ("wanted", "assigned", "ours", "add", "drop"),
    [
        (["a"], [], [], ["a"], []),
        (["a"], ["a"], ["a"], [], []),
        (["a"], ["a", "b"], ["a", "b"], [], ["b"]),
        (["a"], ["a", "b"], ["a"], [], []),  # somebody else assigned it
        (["a"], ["a"], ["a", "b"], [], []),  # gone already
        ([], ["a"], ["a"], [], []),  # with the last one the role would go
        (["b"], ["a"], ["a"], ["b"], ["a"]),
    ],
)
def test_only_our_own_assignments_are_taken_back(
    wanted: list[str], assigned: list[str], ours: list[str], add: list[str], drop: list[str]
) -> None:
    assert assignment_changes(wanted, assigned, ours) == (add, drop)
