"""What a HyperPod cluster must be like before it is registered, and what had better be so."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from botocore.exceptions import ClientError

from cli.errors import BadInput
from commons.adapters.aws_errors import code_of
from commons.domain.documents import SLURM, ClusterDocument

OLDEST_KUBERNETES = (1, 30)
GOVERNANCE_ADDON = "amazon-sagemaker-hyperpod-taskgovernance"
_SIGN_IN = ("API", "API_AND_CONFIG_MAP")


@dataclass(frozen=True)
class Check:
    """`result` problem: it cannot work like this. `todo`: what a person can do."""

    name: str
    result: Literal["ok", "warning", "problem"]
    found: str
    todo: str = ""


def checks(document: ClusterDocument, sagemaker: Any, eks: Any) -> Iterator[Check]:
    """Read both sides of the cluster. Raises BadInput if there is no such cluster."""
    hyperpod = _described(
        sagemaker.describe_cluster, document.cluster, ClusterName=document.cluster
    )
    yield _status(hyperpod)
    yield _orchestrator(document, hyperpod)
    cluster = _described(eks.describe_cluster, document.eks_cluster, name=document.eks_cluster)
    yield _sign_in(cluster["cluster"])
    yield _version(cluster["cluster"])
    yield from _add_ons(document, eks)


def _described(call: Any, cluster: str, /, **arguments: str) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = call(**arguments)
    except ClientError as error:
        if "NotFound" not in code_of(error):
            raise
        raise BadInput(
            f"There is no cluster {cluster} in this account: correct the document"
        ) from error
    return answer


def _status(hyperpod: dict[str, Any]) -> Check:
    status = hyperpod["ClusterStatus"]
    todo = "" if status == "InService" else "quotas wait until it is InService"
    return Check("HyperPod", "warning" if todo else "ok", status, todo)


def _orchestrator(document: ClusterDocument, hyperpod: dict[str, Any]) -> Check:
    # the member Orchestrator alone proves nothing: it may hold Slurm
    arn = hyperpod.get("Orchestrator", {}).get("Eks", {}).get("ClusterArn")
    if arn is None:
        return Check("orchestrator", "problem", "not EKS", SLURM)
    name = arn.rpartition("/")[2]
    todo = "" if name == document.eks_cluster else f"write eks_cluster: {name}"
    return Check("orchestrator", "problem" if todo else "ok", f"EKS cluster {name}", todo)


def _sign_in(cluster: dict[str, Any]) -> Check:
    mode = cluster.get("accessConfig", {}).get("authenticationMode", "CONFIG_MAP")
    todo = "" if mode in _SIGN_IN else "change it to API_AND_CONFIG_MAP: access entries need it"
    return Check("sign-in", "problem" if todo else "ok", f"authentication mode {mode}", todo)


def _version(cluster: dict[str, Any]) -> Check:
    version = cluster["version"]
    old = tuple(int(part) for part in version.split(".")[:2]) < OLDEST_KUBERNETES
    todo = "task governance and admission policies need 1.30 or newer" if old else ""
    return Check("Kubernetes", "problem" if old else "ok", version, todo)


def _add_ons(document: ClusterDocument, eks: Any) -> Iterator[Check]:
    try:
        names = eks.list_addons(clusterName=document.eks_cluster)["addons"]
    except ClientError as error:
        yield Check("add-ons", "warning", f"cannot be read ({code_of(error)})")
        return
    there = GOVERNANCE_ADDON in names
    yield Check(
        "task governance",
        "ok" if there else "warning",
        "add-on installed" if there else "no such add-on",
        "" if there else f"install the add-on {GOVERNANCE_ADDON}: quotas need it",
    )
    yield _network_policies(document, eks, names)


def _network_policies(document: ClusterDocument, eks: Any, names: list[str]) -> Check:
    enforced = False
    if "vpc-cni" in names:
        answer = eks.describe_addon(clusterName=document.eks_cluster, addonName="vpc-cni")
        values = json.loads(answer["addon"].get("configurationValues") or "{}")
        enforced = str(values.get("enableNetworkPolicy", "")).lower() == "true"
    return Check(
        "network policies",
        "ok" if enforced else "warning",
        "enforced by vpc-cni" if enforced else "not known to be enforced",
        "" if enforced else "set enableNetworkPolicy of the add-on vpc-cni, or use another CNI",
    )
