"""What AWS judges a call of the directory part by: actions, and the resources of each.

A permission is needed for every one of them. As the service authorization reference has it; a test
compares this with the copy of it that cfn-lint ships.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from local.services.clusters import clusters
from local.services.fixtures import IDENTITY_STORE_ID
from local.settings import ACCOUNT, REGION

Params = dict[str, Any]


class Judged(NamedTuple):
    """An IAM action and the ARNs that a permission must cover; "*" where AWS knows none."""

    action: str
    resources: list[str]


_PREFIXES = {"identitystore": "identitystore", "sso-admin": "sso", "sagemaker": "sagemaker"}
_TAGGING = {"sso-admin": "TagResource", "sagemaker": "AddTags"}
_HYPERPOD_IDS = {
    "ComputeQuotaId": "compute-quota",
    "ClusterSchedulerConfigId": "cluster-scheduler-config",
    "DomainId": "domain",
}
_OF_NO_RESOURCE = {"ListClusters", "ListComputeQuotas", "ListClusterSchedulerConfigs"}


def judged(service: str, action: str, params: Params) -> list[Judged]:
    """What a call needs, by the service's name in the SDK and the operation."""
    of_service = {"identitystore": _directory, "sso-admin": _access, "sagemaker": _hyperpod}
    actions = [action]
    if action.startswith("Create") and params.get("Tags"):  # to tag is a permission of its own
        actions.append(_TAGGING[service])
    resources = list(of_service[service](action, params)) or ["*"]
    return [Judged(f"{_PREFIXES[service]}:{each}", resources) for each in actions]


def _directory(action: str, params: Params) -> Iterator[str]:
    store = str(params.get("IdentityStoreId", IDENTITY_STORE_ID)).rpartition("/")[2]
    yield f"arn:aws:identitystore::{ACCOUNT}:identitystore/{store}"
    for kind, identity in (*_looked_for(action), *_named(params)):
        yield f"arn:aws:identitystore:::{kind}/{str(identity).rpartition('/')[2]}"


def _looked_for(action: str) -> Iterator[tuple[str, str]]:
    """Those of whom nobody knows before the call who they are."""
    if action in ("ListUsers", "GetUserId"):
        yield "user", "*"
    if action in ("ListGroups", "GetGroupId"):
        yield "group", "*"
    if action.startswith("ListGroupMemberships") or action.endswith(("MembershipId", "InGroups")):
        yield "membership", "*"


def _named(params: Params) -> Iterator[tuple[str, Any]]:
    named = {**params, **(params.get("MemberId") or {})}
    for kind, name in (("user", "UserId"), ("group", "GroupId"), ("membership", "MembershipId")):
        if name in named:
            yield kind, named[name]
    for group in params.get("GroupIds") or []:
        yield "group", group


def _access(action: str, params: Params) -> Iterator[str]:
    names = ("InstanceArn", "PermissionSetArn", "ResourceArn")
    yield from dict.fromkeys(params[name] for name in names if name in params)
    if action == "CreatePermissionSet":
        yield f"arn:aws:sso:::permissionSet/{params.get('InstanceArn', '').rpartition('/')[2]}/*"
    account = params.get("TargetId") or params.get("AccountId")
    if account or action == "ProvisionPermissionSet":  # it may go to every account that has it
        yield f"arn:aws:sso:::account/{account or '*'}"


def _hyperpod(action: str, params: Params) -> Iterator[str]:
    if action in _OF_NO_RESOURCE:
        return
    if "ResourceArn" in params:
        yield params["ResourceArn"]
    if cluster := params.get("ClusterArn") or params.get("ClusterName"):
        yield _cluster(cluster)
    for name, kind in _HYPERPOD_IDS.items():
        if name in params or action == f"Create{name.removesuffix('Id')}":
            yield f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:{kind}/{params.get(name, '*')}"


def _cluster(name_or_arn: str) -> str:
    known = (each["ClusterArn"] for each in clusters.all() if each["ClusterName"] == name_or_arn)
    plain = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/{name_or_arn.rpartition('/')[2]}"
    return next(known, plain)
