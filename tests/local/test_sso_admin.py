"""Permission sets, assignments and the role they bring, by boto3 against the real processes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.clients import client
from local.settings import Ports, urls
from tests.local.directory_process import STORE, Directory, conforms, eventually, running

ACCOUNT = "111122223333"
PATH = "/aws-reserved/sso.amazonaws.com/us-west-2/"
NO_PERMISSION_SET = "arn:aws:sso:::permissionSet/ssoins-7907a1b2c3d4e5f6/ps-0000000000000000"
NO_REQUEST = "00000000-0000-4000-8000-000000000000"
POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "eks:DescribeCluster", "Resource": "*"}],
    }
)


@pytest.fixture(scope="module")
def directory(gateway: Ports) -> Iterator[Directory]:
    with running(COMMONS_LOCAL_GATEWAY_URL=urls(gateway)["COMMONS_LOCAL_GATEWAY_URL"]) as part:
        yield part


@pytest.fixture
def access(directory: Directory) -> Any:
    return directory.client("sso-admin")


@pytest.fixture
def iam(gateway: Ports) -> Any:
    return client("iam", gateway)


@pytest.fixture
def group_id(directory: Directory, request: pytest.FixtureRequest) -> str:
    store = directory.client("identitystore")
    name = f"gpu-{request.node.name}"
    return str(store.create_group(IdentityStoreId=STORE, DisplayName=name)["GroupId"])


def instance_of(access: Any) -> str:
    return str(access.list_instances()["Instances"][0]["InstanceArn"])


def make_set(access: Any, name: str) -> dict[str, str]:
    answer = access.create_permission_set(
        InstanceArn=instance_of(access),
        Name=name,
        SessionDuration="PT4H",
        Tags=[{"Key": "team", "Value": "vision"}],
    )
    conforms("sso-admin", "CreatePermissionSet", answer)
    arn = answer["PermissionSet"]["PermissionSetArn"]
    access.put_inline_policy_to_permission_set(
        InstanceArn=instance_of(access), PermissionSetArn=arn, InlinePolicy=POLICY
    )
    return {"InstanceArn": instance_of(access), "PermissionSetArn": arn}


def target(of: dict[str, str], principal_id: str) -> dict[str, str]:
    return {
        **of,
        "TargetId": ACCOUNT,
        "TargetType": "AWS_ACCOUNT",
        "PrincipalType": "GROUP",
        "PrincipalId": principal_id,
    }


def settled(access: Any, kind: str, answer: dict[str, Any]) -> dict[str, Any]:
    key = f"AccountAssignment{kind}Status"
    describe = getattr(access, f"describe_account_assignment_{kind.lower()}_status")
    request = {f"AccountAssignment{kind}RequestId": answer[key]["RequestId"]}

    def ask() -> dict[str, Any]:
        status = describe(InstanceArn=instance_of(access), **request)
        conforms("sso-admin", f"DescribeAccountAssignment{kind}Status", status)
        return dict(status[key])

    return dict(eventually(ask, lambda status: status["Status"] != "IN_PROGRESS"))


def assign(access: Any, of: dict[str, str], principal_id: str) -> dict[str, Any]:
    answer = access.create_account_assignment(**target(of, principal_id))
    conforms("sso-admin", "CreateAccountAssignment", answer)
    assert answer["AccountAssignmentCreationStatus"]["Status"] == "IN_PROGRESS"
    return settled(access, "Creation", answer)


def unassign(access: Any, of: dict[str, str], principal_id: str) -> dict[str, Any]:
    answer = access.delete_account_assignment(**target(of, principal_id))
    conforms("sso-admin", "DeleteAccountAssignment", answer)
    assert answer["AccountAssignmentDeletionStatus"]["Status"] == "IN_PROGRESS"
    return settled(access, "Deletion", answer)


def roles(iam: Any, permission_set: str) -> list[dict[str, Any]]:
    listed = iam.list_roles(PathPrefix=PATH)["Roles"]
    return [r for r in listed if r["RoleName"].startswith(f"AWSReservedSSO_{permission_set}_")]


def test_there_is_one_instance_with_stable_ids(access: Any) -> None:
    answer = access.list_instances()
    conforms("sso-admin", "ListInstances", answer)
    [instance] = answer["Instances"]
    assert instance["IdentityStoreId"] == STORE
    described = access.describe_instance(InstanceArn=instance["InstanceArn"])
    conforms("sso-admin", "DescribeInstance", described)
    assert described["OwnerAccountId"] == ACCOUNT


def test_a_permission_set_is_described_updated_and_tagged(access: Any) -> None:
    of = make_set(access, "described")
    access.update_permission_set(**of, Description="of a team", SessionDuration="PT2H")
    answer = access.describe_permission_set(**of)
    conforms("sso-admin", "DescribePermissionSet", answer)
    described = answer["PermissionSet"]
    assert (described["Name"], described["Description"], described["SessionDuration"]) == (
        "described",
        "of a team",
        "PT2H",
    )
    resource = {"InstanceArn": of["InstanceArn"], "ResourceArn": of["PermissionSetArn"]}
    access.tag_resource(**resource, Tags=[{"Key": "owner", "Value": "commons"}])
    access.untag_resource(**resource, TagKeys=["team"])
    tags = access.list_tags_for_resource(**resource)
    conforms("sso-admin", "ListTagsForResource", tags)
    assert tags["Tags"] == [{"Key": "owner", "Value": "commons"}]
    assert access.get_inline_policy_for_permission_set(**of)["InlinePolicy"] == POLICY
    listed = access.list_permission_sets(InstanceArn=of["InstanceArn"])
    assert of["PermissionSetArn"] in listed["PermissionSets"]


def test_a_second_permission_set_of_a_name_is_a_conflict(access: Any) -> None:
    make_set(access, "twice")
    with pytest.raises(ClientError) as refusal:
        make_set(access, "twice")
    assert refusal.value.response["Error"]["Code"] == "ConflictException"


def test_a_name_that_is_too_long_is_refused(access: Any) -> None:
    with pytest.raises(ClientError) as refusal:
        make_set(access, "n" * 33)
    assert refusal.value.response["Error"]["Code"] == "ValidationException"


def test_the_first_assignment_brings_a_role_with_the_policy(
    access: Any, iam: Any, group_id: str
) -> None:
    of = make_set(access, "first")
    assert roles(iam, "first") == []
    assert assign(access, of, group_id)["Status"] == "SUCCEEDED"
    [role] = roles(iam, "first")
    assert role["Path"] == PATH
    assert len(role["RoleName"].removeprefix("AWSReservedSSO_first_")) == 16
    assert role["MaxSessionDuration"] == 4 * 3600
    policy = iam.get_role_policy(RoleName=role["RoleName"], PolicyName="AwsSSOInlinePolicy")
    assert policy["PolicyDocument"] == json.loads(POLICY)
    listed = access.list_account_assignments(**of, AccountId=ACCOUNT)
    conforms("sso-admin", "ListAccountAssignments", listed)
    assert [a["PrincipalId"] for a in listed["AccountAssignments"]] == [group_id]
    by_principal = access.list_account_assignments_for_principal(
        InstanceArn=of["InstanceArn"], PrincipalId=group_id, PrincipalType="GROUP"
    )
    conforms("sso-admin", "ListAccountAssignmentsForPrincipal", by_principal)
    assert len(by_principal["AccountAssignments"]) == 1


def test_the_role_stays_until_the_last_assignment_and_comes_back_with_another_name(
    directory: Directory, access: Any, iam: Any, group_id: str
) -> None:
    of = make_set(access, "last")
    store = directory.client("identitystore")
    other = store.create_group(IdentityStoreId=STORE, DisplayName="gpu-other")["GroupId"]
    for principal in (group_id, other):
        assign(access, of, principal)
    [before] = roles(iam, "last")
    assert unassign(access, of, group_id)["Status"] == "SUCCEEDED"
    assert [r["RoleName"] for r in roles(iam, "last")] == [before["RoleName"]]
    with pytest.raises(ClientError) as refusal:
        access.delete_permission_set(**of)
    assert refusal.value.response["Error"]["Code"] == "ConflictException"
    unassign(access, of, other)
    assert roles(iam, "last") == []
    assign(access, of, group_id)
    [after] = roles(iam, "last")
    assert after["RoleName"] != before["RoleName"]
    assert after["RoleId"] != before["RoleId"]
    unassign(access, of, group_id)
    access.delete_permission_set(**of)
    assert (
        of["PermissionSetArn"]
        not in access.list_permission_sets(InstanceArn=of["InstanceArn"])["PermissionSets"]
    )


def test_assigning_again_succeeds_and_changes_nothing(access: Any, iam: Any, group_id: str) -> None:
    of = make_set(access, "again")
    assign(access, of, group_id)
    [before] = roles(iam, "again")
    assert assign(access, of, group_id)["Status"] == "SUCCEEDED"
    assert roles(iam, "again") == [before]
    assert len(access.list_account_assignments(**of, AccountId=ACCOUNT)["AccountAssignments"]) == 1


def test_the_same_assignment_twice_at_once_is_a_conflict(access: Any, group_id: str) -> None:
    of = make_set(access, "at-once")
    first = access.create_account_assignment(**target(of, group_id))
    with pytest.raises(ClientError) as refusal:
        access.create_account_assignment(**target(of, group_id))
    assert refusal.value.response["Error"]["Code"] == "ConflictException"
    settled(access, "Creation", first)


def test_an_assignment_to_nobody_fails_with_its_reason(access: Any, iam: Any) -> None:
    of = make_set(access, "nobody")
    ended = assign(access, of, "34887428-4081-7042-c3c6-928d41300009")
    assert ended["Status"] == "FAILED"
    assert "Principal not found" in ended["FailureReason"]
    assert roles(iam, "nobody") == []


def test_a_changed_policy_reaches_the_role_when_it_is_provisioned(
    access: Any, iam: Any, group_id: str
) -> None:
    of = make_set(access, "provisioned")
    assign(access, of, group_id)
    changed = POLICY.replace("eks:DescribeCluster", "eks:ListClusters")
    access.put_inline_policy_to_permission_set(**of, InlinePolicy=changed)
    access.update_permission_set(**of, SessionDuration="PT1H30M")
    stale = access.list_accounts_for_provisioned_permission_set(
        **of, ProvisioningStatus="LATEST_PERMISSION_SET_NOT_PROVISIONED"
    )
    conforms("sso-admin", "ListAccountsForProvisionedPermissionSet", stale)
    assert stale["AccountIds"] == [ACCOUNT]
    answer = access.provision_permission_set(**of, TargetType="ALL_PROVISIONED_ACCOUNTS")
    conforms("sso-admin", "ProvisionPermissionSet", answer)
    key = "PermissionSetProvisioningStatus"

    def ask() -> str:
        status = access.describe_permission_set_provisioning_status(
            InstanceArn=of["InstanceArn"],
            ProvisionPermissionSetRequestId=answer[key]["RequestId"],
        )
        conforms("sso-admin", "DescribePermissionSetProvisioningStatus", status)
        return str(status[key]["Status"])

    eventually(ask, lambda status: status == "SUCCEEDED")
    [role] = roles(iam, "provisioned")
    policy = iam.get_role_policy(RoleName=role["RoleName"], PolicyName="AwsSSOInlinePolicy")
    assert policy["PolicyDocument"] == json.loads(changed)
    described = iam.get_role(RoleName=role["RoleName"])["Role"]
    assert described["MaxSessionDuration"] == 90 * 60
    listed = access.list_permission_sets_provisioned_to_account(
        InstanceArn=of["InstanceArn"],
        AccountId=ACCOUNT,
        ProvisioningStatus="LATEST_PERMISSION_SET_PROVISIONED",
    )
    conforms("sso-admin", "ListPermissionSetsProvisionedToAccount", listed)
    assert of["PermissionSetArn"] in listed["PermissionSets"]


def test_what_does_not_exist_is_not_found(access: Any, group_id: str) -> None:
    of = {
        "InstanceArn": instance_of(access),
        "PermissionSetArn": NO_PERMISSION_SET,
    }
    known = make_set(access, "known")
    for call, arguments in (
        (access.describe_permission_set, of),
        (access.create_account_assignment, target(of, group_id)),
        (access.delete_account_assignment, target(known, group_id)),
        (
            access.describe_account_assignment_creation_status,
            {"InstanceArn": of["InstanceArn"], "AccountAssignmentCreationRequestId": NO_REQUEST},
        ),
    ):
        with pytest.raises(ClientError) as refusal:
            call(**arguments)
        assert refusal.value.response["Error"]["Code"] == "ResourceNotFoundException"
