"""What a call of the directory part is judged by, against the service authorization reference."""

import json
from importlib.resources import files
from typing import Any

import pytest
from botocore.session import get_session

from local.services.resources import judged

INSTANCE = "arn:aws:sso:::instance/ssoins-0123456789abcdef"
PERMISSION_SET = "arn:aws:sso:::permissionSet/ssoins-0123456789abcdef/ps-0123456789abcdef"
CLUSTER = "arn:aws:sagemaker:us-west-2:111122223333:cluster/ab12cd34ef56"
QUOTA = "arn:aws:sagemaker:us-west-2:111122223333:compute-quota/q1"

# one value for each parameter that may name a resource
PARAMS = {
    "IdentityStoreId": "d-9067a1b2c3",
    "UserId": "u1",
    "GroupId": "g1",
    "MembershipId": "m1",
    "MemberId": {"UserId": "u1"},
    "GroupIds": ["g1"],
    "InstanceArn": INSTANCE,
    "PermissionSetArn": PERMISSION_SET,
    "TargetId": "111122223333",
    "AccountId": "111122223333",
    "ClusterArn": CLUSTER,
    "ClusterName": "ab12cd34ef56",
    "ComputeQuotaId": "q1",
    "ClusterSchedulerConfigId": "c1",
}
# what the product or its local cloud may call; the other operations of each are never judged here
SERVED = {
    "identitystore": ("User", "Group"),
    "sso-admin": ("PermissionSet", "AccountAssignment"),
    "sagemaker": ("ComputeQuota", "ClusterSchedulerConfig", "ListCluster", "DescribeCluster"),
}
UNSERVED = {"ListClusterEvents", "DescribeClusterEvent", "DescribeClusterNode"}


def reference(prefix: str) -> dict[str, list[str]]:
    """Resource types by lower-case action."""
    text = files("cfnlint.data.AdditionalSpecs").joinpath("Policies.json").read_text()
    return {name: a.get("Resources", []) for name, a in json.loads(text)[prefix]["Actions"].items()}


def operations() -> list[tuple[str, str]]:
    return [
        (service, name)
        for service, parts in SERVED.items()
        for name in get_session().get_service_model(service).operation_names
        if any(part in name for part in parts) and name not in UNSERVED
    ]


def request(service: str, action: str) -> dict[str, Any]:
    shape = get_session().get_service_model(service).operation_model(action).input_shape
    return {name: value for name, value in PARAMS.items() if shape and name in shape.members}


def kind(arn: str) -> str:
    """The resource type that the reference has for an ARN, in lower case."""
    resource = arn.split(":", 5)[5]
    if arn.startswith("arn:aws:identitystore:") and resource in ("user/*", "group/*"):
        return f"all{resource.removesuffix('/*')}s"
    name = resource.partition("/")[0].lower()
    return "groupmembership" if name == "membership" else name


ALIKE = {  # the reference tells one from all, which is the same for who is not known before
    "alluser": "user",
    "allusers": "user",
    "allgroups": "group",
    "allgroupmemberships": "groupmembership",
}
LEFT_OUT = {
    # named by the membership alone: the service finds out whose it is
    ("DescribeGroupMembership", "group"),
    ("DescribeGroupMembership", "user"),
    ("DeleteGroupMembership", "group"),
    ("DeleteGroupMembership", "user"),
}


@pytest.mark.parametrize(("service", "action"), operations())
def test_each_call_is_judged_by_the_resources_of_the_reference(service: str, action: str) -> None:
    prefix = "sso" if service == "sso-admin" else service
    (first,) = judged(service, action, request(service, action))
    assert first.action == f"{prefix}:{action}"
    found = {kind(arn) for arn in first.resources if arn != "*"}
    wanted = {each.lower() for each in reference(prefix)[action.lower()]}
    wanted -= {each for name, each in LEFT_OUT if name == action}
    assert {ALIKE.get(each, each) for each in found} == {ALIKE.get(each, each) for each in wanted}


def test_what_is_tagged_is_what_the_call_names() -> None:
    params = {"InstanceArn": INSTANCE, "ResourceArn": PERMISSION_SET}
    assert judged("sso-admin", "TagResource", params)[0].resources == [INSTANCE, PERMISSION_SET]
    assert judged("sagemaker", "AddTags", {"ResourceArn": QUOTA})[0].resources == [QUOTA]


def test_to_make_something_with_tags_needs_the_permission_to_tag() -> None:
    tags = [{"Key": "a", "Value": "b"}]
    made = judged("sso-admin", "CreatePermissionSet", {"InstanceArn": INSTANCE, "Tags": tags})
    assert [each.action for each in made] == ["sso:CreatePermissionSet", "sso:TagResource"]
    made = judged("sagemaker", "CreateComputeQuota", {"ClusterArn": CLUSTER, "Tags": tags})
    assert [each.action for each in made] == ["sagemaker:CreateComputeQuota", "sagemaker:AddTags"]
    assert len(judged("sagemaker", "CreateComputeQuota", {"ClusterArn": CLUSTER, "Tags": []})) == 1


def test_who_provisions_everywhere_needs_every_account() -> None:
    params = {"InstanceArn": INSTANCE, "PermissionSetArn": PERMISSION_SET}
    everywhere = judged("sso-admin", "ProvisionPermissionSet", params)[0].resources
    assert "arn:aws:sso:::account/*" in everywhere
    one = judged("sso-admin", "ProvisionPermissionSet", {**params, "TargetId": "111122223333"})
    assert "arn:aws:sso:::account/111122223333" in one[0].resources


def test_a_cluster_is_judged_by_its_arn_also_where_it_is_named() -> None:
    by_arn = judged("sagemaker", "DescribeCluster", {"ClusterName": CLUSTER})[0].resources
    assert by_arn == [CLUSTER]
