"""Which teams a cluster's bindings let into places that are not theirs."""

from typing import Any

import pytest

from commons.domain.trespass import trespassing

OWNERS = {"ns-a": "a", "ns-a-x": "a", "ns-b": "b", "default": None, "kube-system": None, "m": None}
ANN = {"kind": "User", "name": "commons:a:ann"}
ACCOUNT = {"kind": "ServiceAccount", "name": "s", "namespace": "ns-a"}


def binding(namespace: str | None, *subjects: dict[str, str]) -> dict[str, Any]:
    where = {"namespace": namespace} if namespace else {}
    return {"metadata": {"name": "b", **where}, "subjects": list(subjects) or None}


@pytest.mark.parametrize("where", ["ns-b", "default", "kube-system", None])
@pytest.mark.parametrize("who", [ANN, ACCOUNT])
def test_whoever_is_listed_elsewhere_names_their_team(who: dict[str, str], where: Any) -> None:
    assert trespassing([binding(where, who)], OWNERS) == {"a"}


@pytest.mark.parametrize("where", ["ns-a", "ns-a-x", "m"])
@pytest.mark.parametrize("who", [ANN, ACCOUNT])
def test_at_home_and_where_nobody_is_at_home_they_may_be(who: dict[str, str], where: str) -> None:
    assert trespassing([binding(where, who)], OWNERS) == frozenset()


@pytest.mark.parametrize(
    "who",
    [
        {"kind": "User", "name": "commons:writer"},
        {"kind": "User", "name": "system:kube-scheduler"},
        {"kind": "User", "name": "somebody:a:ann"},
        {"kind": "Group", "name": "commons:a:ann"},
        {"kind": "ServiceAccount", "name": "s", "namespace": "kube-system"},
        {"kind": "ServiceAccount", "name": "s"},
        {},
    ],
)
def test_whoever_is_no_team_s_is_nobody_s_matter(who: dict[str, str]) -> None:
    assert trespassing([binding("ns-b", who), binding(None, who)], OWNERS) == frozenset()


def test_of_several_each_is_named_once() -> None:
    bob = {"kind": "User", "name": "commons:b:bob"}
    found = [binding("ns-b", ANN, bob), binding("ns-a", ANN, bob), binding("default")]
    assert trespassing(found, OWNERS) == {"a", "b"}
