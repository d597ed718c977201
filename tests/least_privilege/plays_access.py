"""Plays of the steps that give a team its way in and its quota: what AWS has differs each time."""

import json
from typing import Any

from local import settings
from local.kubernetes.play import WORKLOAD
from tests.least_privilege.play import play
from tests.least_privilege.plays_directory import group_id
from tests.least_privilege.plays_teams import only_step, only_team
from tests.least_privilege.world import NAMESPACE, STEP, TEAM, World
from tests.stories.company import CLUSTER, kubernetes

ACCESS, QUOTA = "ReconcileAccessFunction", "ReconcileQuotaFunction"
SET_NAME = f"commons-{TEAM}"
EKS = settings.EKS_CLUSTER
OTHER_POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "sts:GetCallerIdentity", "Resource": "*"}],
    }
)


def instance(world: World) -> dict[str, str]:
    return {"InstanceArn": world.cloud.outputs["InstanceArn"]}


def permission_set(world: World) -> str | None:
    sso = world.client("sso-admin")
    for arn in sso.list_permission_sets(**instance(world))["PermissionSets"]:
        described = sso.describe_permission_set(**instance(world), PermissionSetArn=arn)
        if described["PermissionSet"]["Name"] == SET_NAME:
            return str(arn)
    return None


def whole(world: World) -> str:
    """The team's access as it should be; the ARN of its permission set."""
    world.ask(ACCESS, only_team(world))
    found = permission_set(world)
    assert found, "the access step made no permission set"
    return found


def role(world: World) -> dict[str, Any]:
    item = next(
        each
        for each in world.cloud.items("TeamTable", f"TEAM#{TEAM}")
        if each["sk"].startswith("ACCESS#")
    )
    return dict(item)


def entry(world: World) -> dict[str, str]:
    return {"clusterName": EKS, "principalArn": role(world)["role_arn"]}


@play(ACCESS)
def a_team_that_has_no_way_in_yet(world: World) -> dict[str, Any]:
    remove_assignments(world)
    if found := permission_set(world):
        world.client("sso-admin").delete_permission_set(**instance(world), PermissionSetArn=found)
    eks = world.client("eks")
    for arn in eks.list_access_entries(clusterName=EKS)["accessEntries"]:
        if f"{SET_NAME}_" in arn:
            eks.delete_access_entry(clusterName=EKS, principalArn=arn)
    world.drop(f"TEAM#{TEAM}", "ACCESS#")
    return only_team(world)


def remove_assignments(world: World) -> None:
    """All of them, and the role that then goes."""
    sso, found = world.client("sso-admin"), permission_set(world)
    if found is None:
        return
    place = {**instance(world), "PermissionSetArn": found}
    for each in sso.list_account_assignments(**place, AccountId=settings.ACCOUNT)[
        "AccountAssignments"
    ]:
        who = {name: each[name] for name in ("PrincipalType", "PrincipalId")}
        target = {"TargetId": settings.ACCOUNT, "TargetType": "AWS_ACCOUNT"}
        sso.delete_account_assignment(**place, **who, **target)
    world.eventually(lambda: not roles_of_set(world))


def roles_of_set(world: World) -> list[str]:
    known = world.client("iam").list_roles(PathPrefix="/aws-reserved/sso.amazonaws.com/")["Roles"]
    return [each["Arn"] for each in known if f"{SET_NAME}_" in each["RoleName"]]


@play(ACCESS)
def a_permission_set_that_somebody_changed(world: World) -> dict[str, Any]:
    sso, target = world.client("sso-admin"), {"PermissionSetArn": whole(world), **instance(world)}
    sso.update_permission_set(**target, SessionDuration="PT12H")
    sso.put_inline_policy_to_permission_set(**target, InlinePolicy=OTHER_POLICY)
    # what is provisioned is then what somebody changed, and bringing it back makes it outdated
    sso.provision_permission_set(**target, TargetType="ALL_PROVISIONED_ACCOUNTS")
    outdated = {**target, "ProvisioningStatus": "LATEST_PERMISSION_SET_NOT_PROVISIONED"}
    listed = sso.list_accounts_for_provisioned_permission_set
    world.eventually(lambda: not listed(**outdated)["AccountIds"])
    return only_team(world)


@play(ACCESS)
def a_permission_set_of_that_name_is_there_already(world: World) -> dict[str, Any]:
    whole(world)
    world.drop(f"TEAM#{TEAM}", "ACCESS#")
    return only_team(world)


@play(ACCESS)
def a_group_that_is_no_longer_of_the_team(world: World) -> dict[str, Any]:
    found, group = whole(world), group_id(world, "gpu-former")
    world.client("sso-admin").create_account_assignment(
        **instance(world),
        PermissionSetArn=found,
        TargetId=settings.ACCOUNT,
        TargetType="AWS_ACCOUNT",
        PrincipalType="GROUP",
        PrincipalId=group,
    )
    world.eventually(lambda: group in assigned(world, found))
    item = role(world)
    world.table().put_item(Item={**item, "group_ids": [*item["group_ids"], group]})
    return only_team(world)


def assigned(world: World, found: str) -> list[str]:
    answer = world.client("sso-admin").list_account_assignments(
        **instance(world), PermissionSetArn=found, AccountId=settings.ACCOUNT
    )
    return [each["PrincipalId"] for each in answer["AccountAssignments"]]


@play(ACCESS)
def an_entry_that_somebody_changed(world: World) -> dict[str, Any]:
    whole(world)
    world.client("eks").update_access_entry(**entry(world), username="somebody:{{SessionName}}")
    return only_team(world)


@play(ACCESS)
def an_entry_that_says_nothing_of_its_team(world: World) -> dict[str, Any]:
    whole(world)
    eks = world.client("eks")
    arn = eks.describe_access_entry(**entry(world))["accessEntry"]["accessEntryArn"]
    eks.tag_resource(resourceArn=arn, tags={"gpu.commons/team": "somebody"})
    return only_team(world)


@play(ACCESS)
def an_entry_of_a_role_that_is_gone(world: World) -> dict[str, Any]:
    whole(world)
    former = f"{role(world)['role_arn'].rpartition('_')[0]}_0123456789abcdef"
    world.client("eks").create_access_entry(
        clusterName=EKS, principalArn=former, tags={"gpu.commons/team": TEAM}
    )
    world.table().put_item(Item={**role(world), "role_id": "AROAFORMER"})
    return only_team(world)


@play(QUOTA, cold=True)
def a_namespace_that_has_no_quota_yet(world: World) -> dict[str, Any]:
    forget_quota(world)
    remove_tasks(world)  # a quota stays while something of it runs
    if found := quota(world):
        sagemaker = world.client("sagemaker")
        sagemaker.delete_compute_quota(ComputeQuotaId=found["ComputeQuotaId"])
        world.eventually(lambda: not quota(world))
    return only_step(world)


@play(QUOTA)
def a_quota_that_somebody_changed(world: World) -> dict[str, Any]:
    world.ask(QUOTA, dict(STEP))
    found = world.eventually(lambda: settled(quota(world)))
    world.client("sagemaker").update_compute_quota(
        ComputeQuotaId=found["ComputeQuotaId"],
        TargetVersion=found["ComputeQuotaVersion"],
        ComputeQuotaTarget={"TeamName": TEAM, "FairShareWeight": 7},
    )
    world.eventually(lambda: settled(quota(world)))
    forget_quota(world)
    return only_step(world)


def remove_tasks(world: World) -> None:
    client = kubernetes(world.cloud)
    for each in client.list(WORKLOAD, namespace=NAMESPACE):
        client.delete(WORKLOAD, each.metadata.name, namespace=NAMESPACE)


def quota(world: World) -> dict[str, Any] | None:
    answer = world.client("sagemaker").list_compute_quotas(ClusterArn=CLUSTER)
    for each in answer["ComputeQuotaSummaries"]:
        if each["ComputeQuotaTarget"]["TeamName"] == TEAM and each["Status"] != "Deleted":
            return dict(each)
    return None


def settled(found: dict[str, Any] | None) -> dict[str, Any] | None:
    """A quota to which nothing is happening any more."""
    return found if found and found["Status"] in ("Created", "Updated") else None


def forget_quota(world: World) -> None:
    """As if nobody had yet written which quota the namespace has."""
    for item in world.drop(f"TEAM#{TEAM}", f"NAMESPACE#{CLUSTER}#{NAMESPACE}"):
        world.table().put_item(Item={**item, "quota": None})
