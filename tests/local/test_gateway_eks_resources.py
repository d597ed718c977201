"""By which resource the gateway judges calls on access entries."""

from urllib.parse import quote

from local.gateway_eks_resources import _with_entries

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
