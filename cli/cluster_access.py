"""Lets our two roles into a cluster: their access entries, and what they may do there."""

from typing import Any

import boto3
import lightkube
from lightkube.config.kubeconfig import KubeConfig
from lightkube.config.models import Cluster, User

from commons.adapters.access_entries import AccessEntries
from commons.adapters.eks_sign_in import FIELD_MANAGER, make_token
from commons.adapters.kubernetes import Kubernetes
from commons.domain import admission, cluster_roles
from commons.domain.access import ROLE_ID_TAG, Entry, EntryChange
from commons.domain.documents import ClusterDocument
from commons.domain.names import region_of


def let_in(document: ClusterDocument, reader_arn: str, writer_arn: str) -> list[str]:
    """Make or mend both entries; returns what was done."""
    entries = AccessEntries(regional("eks", document.cluster))
    done = []
    for kind, group, arn in (
        ("reader", cluster_roles.READERS, reader_arn),
        ("writer", cluster_roles.WRITERS, writer_arn),
    ):
        observed = entries.get(document.eks_cluster, arn)
        for change in plan(arn, role_id(arn), kind, group, observed):
            entries.apply(document.eks_cluster, change)
            done.append(f"{change.verb} access entry of {kind}")
    return done


def plan(
    arn: str, unique_id: str, kind: str, group: str, observed: Entry | None
) -> list[EntryChange]:
    """Groups of others are kept. An entry outlives its role, but does not know the role's heir."""
    wanted = EntryChange(
        verb="create",
        principal=arn,
        username=f"commons:{kind}:{{{{SessionName}}}}",
        groups=(group,),
        tags={ROLE_ID_TAG: unique_id},
    )
    if observed is None:
        return [wanted]
    if observed.tags.get(ROLE_ID_TAG, unique_id) != unique_id:
        kept = (*observed.groups, *(g for g in wanted.groups if g not in observed.groups))
        return [
            EntryChange(verb="delete", principal=arn),
            wanted.model_copy(update={"groups": kept}),
        ]
    if group in observed.groups and observed.username == wanted.username:
        return []
    groups = tuple(dict.fromkeys((*observed.groups, group)))
    return [wanted.model_copy(update={"verb": "update", "groups": groups, "tags": {}})]


def apply_rules(document: ClusterDocument) -> None:
    """ClusterRoles, then admission policies; what an older version had and this has not goes.

    With the caller's own credentials, which must be an administrator's of the cluster.
    """
    kubernetes = as_caller(document)
    for manifest in (*cluster_roles.manifests(), *admission.manifests()):
        kubernetes.apply(manifest)
    for kind in reversed(admission.KINDS):
        for policy in admission.outdated(kubernetes.list(kind)):
            kubernetes.delete(policy)


def as_caller(document: ClusterDocument) -> Kubernetes:
    """The cluster, signed in with the caller's own credentials."""
    return Kubernetes(lambda: _sign_in(document), document.eks_cluster, "your own credentials")


def role_id(arn: str) -> str:
    """The unique id of a role, which tells it from another that had its name before."""
    name = arn.rpartition("/")[2]
    return str(boto3.client("iam").get_role(RoleName=name)["Role"]["RoleId"])


def regional(service: str, cluster_arn: str) -> Any:
    """A client in the cluster's Region."""
    return boto3.client(service, region_name=region_of(cluster_arn))


def sign_in(eks: Any, sts: Any, eks_cluster: str) -> lightkube.Client:
    """A client with the caller's own credentials, as `aws eks get-token` signs in."""
    cluster = eks.describe_cluster(name=eks_cluster)["cluster"]
    certificate = cluster["certificateAuthority"]["data"]
    token = make_token(sts, eks_cluster)
    config = KubeConfig.from_one(
        cluster=Cluster(server=cluster["endpoint"], certificate_auth_data=certificate),
        user=User(token=token),
    )
    return lightkube.Client(config=config, field_manager=FIELD_MANAGER, trust_env=False)


def _sign_in(document: ClusterDocument) -> lightkube.Client:
    eks, sts = (regional(service, document.cluster) for service in ("eks", "sts"))
    return sign_in(eks, sts, document.eks_cluster)
