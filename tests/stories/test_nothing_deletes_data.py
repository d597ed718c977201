"""No role of the product deletes data, even if its own policy were to grant everything.

Nor do its two identities in a cluster.
"""

import base64
import json
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from lightkube.resources.authorization_v1 import SubjectAccessReview

from local import settings
from tests.stories.company import kubernetes, register_cluster
from tests.stories.conftest import Cloud

Keys = dict[str, str]

_ADMIN = "arn:aws:iam::aws:policy/AdministratorAccess"

# names that nobody has: who may not is refused before anybody looks
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("backup", "delete_backup_vault", {"BackupVaultName": "vault"}),
    ("cloudformation", "delete_stack", {"StackName": "no-stack"}),
    ("dynamodb", "delete_table", {"TableName": "no-table"}),
    ("dynamodb", "update_table", {"TableName": "no-table", "DeletionProtectionEnabled": False}),
    (
        "dynamodb",
        "update_time_to_live",
        {
            "TableName": "no-table",
            "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "pk"},
        },
    ),
    ("ec2", "delete_volume", {"VolumeId": "vol-0123456789abcdef0"}),
    ("ec2", "delete_snapshot", {"SnapshotId": "snap-0123456789abcdef0"}),
    ("ec2", "terminate_instances", {"InstanceIds": ["i-0123456789abcdef0"]}),
    ("ecr", "delete_repository", {"repositoryName": "no-images"}),
    ("efs", "delete_file_system", {"FileSystemId": "fs-01234567"}),
    ("eks", "delete_cluster", {"name": "no-cluster"}),
    ("eks", "delete_nodegroup", {"clusterName": "no-cluster", "nodegroupName": "no-nodes"}),
    ("iam", "delete_role_permissions_boundary", {"RoleName": "no-role"}),
    ("iam", "attach_role_policy", {"RoleName": "no-role", "PolicyArn": _ADMIN}),
    ("kms", "schedule_key_deletion", {"KeyId": "00000000-0000-4000-8000-000000000000"}),
    ("logs", "delete_log_group", {"logGroupName": "no-logs"}),
    ("s3", "delete_bucket", {"Bucket": "no-bucket"}),
    ("s3", "delete_object", {"Bucket": settings.COST_REPORT_BUCKET, "Key": "of-a-team"}),
    ("s3", "delete_object", {"Bucket": "no-bucket", "Key": "of-a-team", "VersionId": "1"}),
    (
        "s3",
        "put_bucket_versioning",
        {"Bucket": "no-bucket", "VersioningConfiguration": {"Status": "Suspended"}},
    ),
    (
        "s3",
        "put_bucket_lifecycle_configuration",
        {
            "Bucket": "no-bucket",
            "LifecycleConfiguration": {
                "Rules": [{"Status": "Enabled", "Prefix": "", "Expiration": {"Days": 1}}]
            },
        },
    ),
    ("sagemaker", "delete_cluster", {"ClusterName": "no-cluster"}),
    ("sagemaker", "delete_compute_quota", {"ComputeQuotaId": "abcdefghijkl"}),
    ("sagemaker", "delete_domain", {"DomainId": "d-abcdefghijkl"}),
    (
        "sagemaker",
        "delete_user_profile",
        {"DomainId": "d-abcdefghijkl", "UserProfileName": "nobody"},
    ),
]
KEPT = {
    "": (
        "namespaces",
        "persistentvolumeclaims",
        "persistentvolumes",
        "pods",
        "secrets",
        "configmaps",
        "services",
    ),
    "apps": ("deployments", "statefulsets", "daemonsets"),
    "batch": ("jobs", "cronjobs"),
    "kueue.x-k8s.io": ("clusterqueues", "localqueues", "workloads", "resourceflavors"),
    "sagemaker.amazonaws.com": ("hyperpodpytorchjobs",),
    "workspace.jupyter.org": ("workspaces",),
    "inference.sagemaker.aws.amazon.com": ("inferenceendpointconfigs", "jumpstartmodels"),
    "apiextensions.k8s.io": ("customresourcedefinitions",),
}
GLOBAL = {
    "namespaces",
    "persistentvolumes",
    "clusterqueues",
    "resourceflavors",
    "customresourcedefinitions",
}
# of services that no part of the local cloud answers
JUDGED_ONLY = ["fsx:DeleteFileSystem", "fsx:DeleteVolume", "fsx:DeleteBackup"]


@pytest.fixture(scope="module")
def roles(cloud: Cloud) -> dict[str, str]:
    """Every role of the stack: name by logical id."""
    pages = cloud.client("cloudformation").get_paginator("list_stack_resources")
    return {
        one["LogicalResourceId"]: one["PhysicalResourceId"]
        for page in pages.paginate(StackName=settings.STACK)
        for one in page["StackResourceSummaries"]
        if one["ResourceType"] == "AWS::IAM::Role"
    }


def test_every_role_of_the_stack_has_the_boundary(cloud: Cloud, roles: dict[str, str]) -> None:
    iam = cloud.client("iam")
    assert len(roles) > 20
    for logical, name in roles.items():
        boundary = iam.get_role(RoleName=name)["Role"].get("PermissionsBoundary", {})
        assert "KeepsData" in str(boundary), logical


def test_no_role_deletes_data_even_if_its_own_policy_grants_everything(
    cloud: Cloud, roles: dict[str, str]
) -> None:
    passed = []
    for logical, name in roles.items():
        with granted_everything(cloud, name):
            keys = session(cloud, roles, logical)
            clients = cache(partial(client, cloud, keys))
            # that it may do all the rest shows that it is the boundary that denies
            clients("dynamodb").list_tables()
            passed += [f"{logical}: {told}" for told in deletions(clients)]
            passed += [f"{logical}: {a}" for a in JUDGED_ONLY if not judged(cloud, keys, a)]
    assert passed == []


@pytest.mark.parametrize("who", ["reader", "writer"])
def test_in_a_cluster_the_product_deletes_no_namespace_volume_queue_or_task(
    cloud: Cloud, who: str
) -> None:
    register_cluster(cloud)
    client = kubernetes(cloud)

    def may(verb: str, group: str, resource: str) -> bool:
        asked = {"group": group, "resource": resource, "verb": verb, "name": "anything"}
        spec = {
            "user": f"commons:{who}",
            "groups": [f"commons:{who}s", "system:authenticated"],
            "resourceAttributes": {**asked, "namespace": "" if resource in GLOBAL else "any"},
        }
        review = SubjectAccessReview.from_dict({"spec": spec})
        return bool(client.create(review).status.allowed)

    allowed = [
        f"{verb} {resource}.{group}"
        for group, resources in KEPT.items()
        for resource in resources
        for verb in ("delete", "deletecollection")
        if may(verb, group, resource)
    ]
    assert allowed == []
    # that it is asked rightly shows in what each may
    assert may("list", "kueue.x-k8s.io", "workloads")


def deletions(clients: Callable[[str], Any]) -> Iterator[str]:
    """Every deletion that was not denied."""
    for service, operation, parameters in CALLS:
        try:
            getattr(clients(service), operation)(**parameters)
            yield f"{service} {operation} succeeded"
        except ClientError as error:
            if not denied(str(error)):
                yield f"{service} {operation}: {error}"


def denied(said: str) -> bool:
    return "not authorized to perform" in said and "explicit deny" in said


@contextmanager
def granted_everything(cloud: Cloud, role: str) -> Iterator[None]:
    iam = cloud.client("iam")
    statement = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.put_role_policy(RoleName=role, PolicyName="everything", PolicyDocument=document)
    try:
        yield
    finally:
        iam.delete_role_policy(RoleName=role, PolicyName="everything")


def session(cloud: Cloud, roles: dict[str, str], logical: str) -> Keys:
    """The role's session; the cluster's roles are taken as their function takes them."""
    taker = {
        "ClusterReaderRole": "ReconcileQuotaFunctionRole",
        "ClusterWriterRole": "ReconcileNamespaceFunctionRole",
    }.get(logical)
    sts = client(cloud, session(cloud, roles, taker), "sts") if taker else cloud.client("sts")
    arn = f"arn:aws:iam::{settings.ACCOUNT}:role/{roles[logical]}"
    keys = sts.assume_role(RoleArn=arn, RoleSessionName="tries")["Credentials"]
    return {
        "aws_access_key_id": keys["AccessKeyId"],
        "aws_secret_access_key": keys["SecretAccessKey"],
        "aws_session_token": keys["SessionToken"],
    }


def client(cloud: Cloud, keys: Keys, service: str) -> Any:
    urls = settings.client_environment(cloud.state.ports)
    url = urls.get(f"AWS_ENDPOINT_URL_{service.upper()}", urls["AWS_ENDPOINT_URL"])
    once = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
    return boto3.client(service, endpoint_url=url, region_name=settings.REGION, config=once, **keys)


def judged(cloud: Cloud, keys: Keys, action: str) -> bool:
    """Whether the gateway's evaluator denies a call that nothing here answers."""
    signed = AWSRequest("POST", "http://127.0.0.1:1/", data=b"{}", headers={"Host": "127.0.0.1"})
    SigV4Auth(Credentials(*keys.values()), "fsx", settings.REGION).add_auth(signed)
    asked = {
        "method": "POST",
        "path": "/",
        "headers": list(signed.headers.items()),
        "body": base64.b64encode(b"{}").decode(),
        "service": "fsx",
        "action": action,
        "resources": ["*"],
    }
    url = f"{settings.urls(cloud.state.ports)['COMMONS_LOCAL_EVENTS_URL']}/judge"
    request = urllib.request.Request(url, json.dumps(asked).encode())  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
        return denied(str(json.load(answer)["refusal"]))
