"""What an account has before the product: Identity Center, an EKS cluster, a report bucket."""

import json
import ssl
import time
import urllib.request
from pathlib import Path
from typing import Any

from local.clients import client
from local.settings import COST_REPORT_BUCKET, EKS_CLUSTER, REGION, Ports, kubernetes_endpoint
from local.state import State

_ACTIVE_SECONDS = 10.0
_TASK_GOVERNANCE = "amazon-sagemaker-hyperpod-taskgovernance"


class FixtureFailed(Exception):
    """Something every account has could not be made."""


def create(started: State, folder: Path) -> dict[str, str]:
    """Make the fixtures and say what they are called."""
    ports = started.ports
    return {
        **_identity_center(ports),
        **_eks_cluster(ports, _kubernetes_version(started, folder)),
        "cost_report_bucket": _cost_report_bucket(ports),
    }


def _identity_center(ports: Ports) -> dict[str, str]:
    instances = client("sso-admin", ports).list_instances()["Instances"]
    if not instances:
        raise FixtureFailed("the directory has no Identity Center instance")
    return {
        "identity_store_id": instances[0]["IdentityStoreId"],
        "instance_arn": instances[0]["InstanceArn"],
    }


def _eks_cluster(ports: Ports, version: str) -> dict[str, str]:
    eks = client("eks", ports)
    eks.create_cluster(
        name=EKS_CLUSTER,
        version=version,
        roleArn=_cluster_role(client("iam", ports)),
        resourcesVpcConfig={"subnetIds": _subnets(client("ec2", ports))},
        accessConfig={
            "authenticationMode": "API",
            "bootstrapClusterCreatorAdminPermissions": True,
        },
    )
    until = time.monotonic() + _ACTIVE_SECONDS
    while (cluster := eks.describe_cluster(name=EKS_CLUSTER)["cluster"])["status"] != "ACTIVE":
        if time.monotonic() > until:
            raise FixtureFailed(f"EKS cluster {EKS_CLUSTER} is {cluster['status']}")
        time.sleep(0.05)
    # what the local cloud plays of it: a quota makes its namespace and its queues
    eks.create_addon(clusterName=EKS_CLUSTER, addonName=_TASK_GOVERNANCE)
    return {
        "eks_cluster": EKS_CLUSTER,
        "eks_cluster_arn": cluster["arn"],
        "kubernetes_version": version,
    }


def _kubernetes_version(started: State, folder: Path) -> str:
    endpoint = kubernetes_endpoint(started.ports, started.kubernetes, EKS_CLUSTER)
    trusted = ssl.create_default_context(cafile=str(folder / "kubernetes" / "ca.crt"))
    url = f"{endpoint}/version"
    with urllib.request.urlopen(url, timeout=_ACTIVE_SECONDS, context=trusted) as answer:  # noqa: S310 - our own server
        told = json.load(answer)
    return f"{told['major']}.{told['minor'].rstrip('+')}"


def _cluster_role(iam: Any) -> str:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "eks.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }
    trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    role = iam.create_role(RoleName=f"{EKS_CLUSTER}-cluster", AssumeRolePolicyDocument=trust)
    return str(role["Role"]["Arn"])


def _subnets(ec2: Any) -> list[str]:
    vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    return [
        ec2.create_subnet(
            VpcId=vpc, CidrBlock=f"10.20.{number}.0/24", AvailabilityZone=f"{REGION}{zone}"
        )["Subnet"]["SubnetId"]
        for number, zone in enumerate("ab")
    ]


def _cost_report_bucket(ports: Ports) -> str:
    s3 = client("s3", ports)
    s3.create_bucket(
        Bucket=COST_REPORT_BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION}
    )
    s3.put_bucket_notification_configuration(
        Bucket=COST_REPORT_BUCKET, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    return COST_REPORT_BUCKET
