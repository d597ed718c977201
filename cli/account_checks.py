"""What an AWS account must have for the product to work by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

import boto3

from cli import stack

GOVERNANCE_ADDON = "amazon-sagemaker-hyperpod-taskgovernance"
# Amazon EKS user guide: fixed, 3,000 access entries a cluster
ENTRIES_A_CLUSTER = 3000
# IAM Identity Center user guide: permission sets provisioned in one account, before it is raised
PERMISSION_SETS_AN_ACCOUNT = 500
# Data Exports answers in one Region only
EXPORTS_REGION = "us-east-1"

Verdict = Literal["ok", "problem", "skipped"]


@dataclass(frozen=True)
class Finding:
    """One check: what was looked at, how it is, and what to do if it is not well."""

    check: str
    status: Verdict
    message: str
    todo: str = ""


def is_local() -> bool:
    """The endpoint is on this machine: a local cloud, which has no trail and no export."""
    host = urlsplit(stack.client("cloudformation").meta.endpoint_url).hostname
    return host in {"127.0.0.1", "localhost", "::1"}


def account(clusters: list[dict[str, Any]]) -> Iterator[Finding]:
    """Checks of the account and of each registered cluster (its document)."""
    if is_local():
        nothing = "a local cloud has none"
        yield Finding("trail", "skipped", nothing)
        yield Finding("cost export", "skipped", nothing)
    else:
        yield trail()
        yield cost_export()
    yield report_bucket()
    yield permission_sets()
    for document in clusters:
        yield from cluster(document)


def trail() -> Finding:
    """Directory changes reach EventBridge only through a trail that logs."""
    trails = stack.client("cloudtrail")
    for found in trails.describe_trails()["trailList"]:
        if trails.get_trail_status(Name=found["TrailARN"])["IsLogging"]:
            return Finding("trail", "ok", f"{found['Name']} logs")
    return Finding(
        "trail",
        "problem",
        "no trail logs, so changes in the directory wait for the sweep",
        "create a trail for management events in this Region and start its logging",
    )


def cost_export() -> Finding:
    exports = boto3.client("bcm-data-exports", region_name=EXPORTS_REGION)
    bucket = stack.output("CostReportBucket")
    for found in exports.list_exports()["Exports"]:
        export = exports.get_export(ExportArn=found["ExportArn"])["Export"]
        if export["DestinationConfigurations"]["S3Destination"]["S3Bucket"] == bucket:
            return Finding("cost export", "ok", f"{export['Name']} delivers to {bucket}")
    return Finding(
        "cost export",
        "problem",
        f"no export delivers to {bucket}, so there is nothing to charge",
        "create a CUR 2.0 export with resource ids, hourly, Parquet, to that bucket",
    )


def report_bucket() -> Finding:
    bucket = stack.output("CostReportBucket")
    answer = stack.client("s3").get_bucket_notification_configuration(Bucket=bucket)
    if "EventBridgeConfiguration" in answer:
        return Finding("report bucket", "ok", f"{bucket} tells EventBridge")
    return Finding(
        "report bucket",
        "problem",
        f"{bucket} does not send its events to EventBridge, so no report is noticed",
        "turn on Amazon EventBridge in the bucket's properties",
    )


def permission_sets() -> Finding:
    center = stack.client("sso-admin")
    pages = center.get_paginator("list_permission_sets").paginate(
        InstanceArn=stack.output("InstanceArn")
    )
    count = sum(len(page["PermissionSets"]) for page in pages)
    return distance("permission sets", count, PERMISSION_SETS_AN_ACCOUNT)


def cluster(document: dict[str, Any]) -> Iterator[Finding]:
    """EKS sign-in mode, the governance add-on, and the room for access entries."""
    name, arn = document["eks_cluster"], document["cluster"]
    eks = boto3.client("eks", region_name=arn.split(":")[3])
    mode = eks.describe_cluster(name=name)["cluster"]["accessConfig"]["authenticationMode"]
    good = mode in {"API", "API_AND_CONFIG_MAP"}
    yield Finding(
        f"{name}: sign-in",
        "ok" if good else "problem",
        f"authentication mode {mode}",
        "" if good else "change it to API_AND_CONFIG_MAP; access entries need it",
    )
    pages = eks.get_paginator("list_access_entries").paginate(clusterName=name)
    entries = sum(len(page["accessEntries"]) for page in pages)
    yield distance(f"{name}: access entries", entries, ENTRIES_A_CLUSTER)
    addons = eks.list_addons(clusterName=name)["addons"]
    installed = GOVERNANCE_ADDON in addons
    yield Finding(
        f"{name}: add-ons",
        "ok" if installed else "problem",
        f"task governance is {'installed' if installed else 'missing'}",
        "" if installed else f"install the add-on {GOVERNANCE_ADDON}",
    )


def distance(check: str, used: int, limit: int) -> Finding:
    """How far a service limit is; a problem from nine tenths on."""
    near = used * 10 >= limit * 9
    todo = "ask AWS to raise the limit, or split the teams over accounts" if near else ""
    return Finding(check, "problem" if near else "ok", f"{used} of {limit}", todo)
