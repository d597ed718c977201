"""What the gateway makes of access entries: by what they are judged, and their tags."""

import json
from urllib.parse import quote

import pytest

from local.gateway_eks_entries import _with_entries, _with_tags, _without_reserved

CLUSTER = "arn:aws:eks:us-west-2:111122223333:cluster/hp-eks"
ROLE = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/X"


def resource(path: str, service: str = "eks") -> str:
    return _with_entries(lambda *_: CLUSTER)(service, "GET", path)


def test_one_entry_is_judged_by_its_own_arn():
    found = resource(f"/clusters/hp-eks/access-entries/{quote(ROLE, safe='')}")

    assert found.startswith("arn:aws:eks:us-west-2:111122223333:access-entry/hp-eks/role/")


def test_creating_and_listing_entries_is_judged_by_the_cluster():
    assert resource("/clusters/hp-eks/access-entries") == CLUSTER


def test_tags_are_judged_by_what_they_are_on():
    arn = "arn:aws:eks:us-west-2:111122223333:access-entry/hp-eks/role/1/x/2"

    assert resource(f"/tags/{quote(arn, safe='')}") == arn


def test_other_services_are_left_alone():
    assert resource("/clusters/a/access-entries/b", service="ecs") == CLUSTER


def test_an_entry_shows_the_tags_it_has_now():
    entry = {"accessEntryArn": "arn", "tags": {"a": "old", "b": "kept"}}
    body = json.dumps({"accessEntry": entry}).encode()

    _, _, answer = _with_tags(lambda *_: (200, {}, body), {"arn": {"a": "new"}})("hp-eks", "role")

    assert json.loads(answer)["accessEntry"]["tags"] == {"a": "new", "b": "kept"}


def test_an_entry_that_is_not_there_stays_an_error():
    answer = _with_tags(lambda *_: (404, {}, b'{"message": "no"}'), {})("hp-eks", "role")

    assert answer == (404, {}, b'{"message": "no"}')


@pytest.mark.parametrize(
    "body",
    [
        {"kubernetesGroups": ["ours", "System:masters"]},
        {"kubernetesGroups": [], "username": "eks:admin"},
    ],
)
def test_ac_07_names_that_eks_keeps_are_refused(body):
    status, _, answer = _without_reserved(lambda *_: (200, {}, b"{}"))("hp-eks", "role", body)

    assert status == 400
    assert b"InvalidParameterException" in answer
    assert b"ours" not in answer


def test_other_names_are_taken():
    body = {"kubernetesGroups": ["ours"], "username": "commons:eks:{{SessionName}}"}

    assert _without_reserved(lambda *_: (200, {}, b"{}"))("hp-eks", body) == (200, {}, b"{}")
    assert _without_reserved(lambda *_: (200, {}, b"{}"))("hp-eks", {}) == (200, {}, b"{}")
