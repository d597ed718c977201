"""Builds the adapters, once per process; the only place that knows both the settings and them.

Handlers call `bootstrap.team_table()`; a test replaces the attribute by a function that answers a
fake. Adapters are imported where they are built, so that a function pays only for what it uses.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
from aws_lambda_powertools import Logger
from botocore.config import Config

from commons import settings

if TYPE_CHECKING:
    from decimal import Decimal

    from commons.adapters.access_entries import AccessEntries
    from commons.adapters.access_reviews import AccessReviews
    from commons.adapters.chargeback_claims import ChargebackClaims
    from commons.adapters.chargeback_inputs import ChargebackInputs
    from commons.adapters.chargeback_reading import ChargebackReading
    from commons.adapters.chargeback_store import ChargebackStore
    from commons.adapters.chargeback_table import ChargebackTable
    from commons.adapters.cost_reports import CostReports
    from commons.adapters.document_store import DocumentStore
    from commons.adapters.event_bus import EventBus
    from commons.adapters.identity_store import IdentityStore
    from commons.adapters.kubernetes import Kubernetes
    from commons.adapters.ledger_table import LedgerTable
    from commons.adapters.member_table import MemberTable
    from commons.adapters.messages import Message
    from commons.adapters.namespace_quota import NamespaceQuota
    from commons.adapters.namespace_shape import NamespaceShape
    from commons.adapters.observations import Observations
    from commons.adapters.refusals import Refusals
    from commons.adapters.runner import Runner
    from commons.adapters.team_access import TeamAccess
    from commons.adapters.team_lookup import TeamLookup
    from commons.adapters.team_table import TeamTable
    from commons.adapters.usage_sources import UsageSources
    from commons.adapters.usage_table import UsageTable
    from commons.adapters.watch_table import WatchTable
    from commons.domain.documents import ClusterDocument
    from commons.domain.errors import RefusedInput

logger = Logger()


def now() -> datetime:
    """The clock, in UTC. Everything below takes the time as an argument."""
    return datetime.now(UTC)


@cache
def _client(service: str, region: str | None = None) -> Any:
    # standard mode retries throttling with jitter; a call that hangs must not eat all the time
    retries = {"mode": "standard", "max_attempts": 5}
    config = Config(retries=retries, connect_timeout=5, read_timeout=20)
    if service == "s3":
        # links too: else some Regions still get the signature that others refuse
        config = config.merge(Config(signature_version="s3v4"))
    return boto3.client(service, region_name=region, config=config)


@cache
def event_bus() -> EventBus:
    from commons.adapters.event_bus import EventBus

    return EventBus(_client("events"))


@cache
def _table(name: str) -> Any:
    return boto3.resource("dynamodb").Table(name)


@cache
def team_table() -> TeamTable:
    from commons.adapters.team_table import TeamTable

    return TeamTable(_table(settings.Teams.read().team_table_name))


@cache
def member_table() -> MemberTable:
    from commons.adapters.member_table import MemberTable

    return MemberTable(_table(settings.Teams.read().team_table_name))


@cache
def identity_store() -> IdentityStore:
    from commons.adapters.identity_store import IdentityStore

    return IdentityStore(_client("identitystore"), settings.Directory.read().identity_store_id)


def team_access() -> TeamAccess:
    """A new one for each invocation, because it keeps what was done."""
    from commons.adapters.access_entries import AccessEntries
    from commons.adapters.iam_roles import IamRoles
    from commons.adapters.permission_sets import PermissionSets
    from commons.adapters.team_access import TeamAccess

    instance = settings.IdentityCenter.read().instance_arn
    return TeamAccess(
        PermissionSets(_client("sso-admin"), instance),
        IamRoles(_client("iam")),
        lambda region: AccessEntries(_client("eks", region)),
    )


@cache
def refusals() -> Refusals:
    from commons.adapters.refusals import Refusals

    return Refusals(_table(settings.Teams.read().team_table_name))


@cache
def document_store() -> DocumentStore:
    from commons.adapters.document_store import DocumentStore

    return DocumentStore(_client("s3"), settings.Documents.read().configuration_bucket_name)


@cache
def runner() -> Runner:
    from commons.adapters.executions import Executions
    from commons.adapters.runner import Runner

    machine = settings.Runner.read().reconcile_team_machine_arn
    return Runner(team_table(), Executions(_client("stepfunctions"), machine))


@cache
def team_lookup() -> TeamLookup:
    from commons.adapters.team_lookup import TeamLookup

    return TeamLookup(team_table(), identity_store(), settings.Directory.read().group_prefix)


@cache
def observations() -> Observations:
    from commons.adapters.access_entries import AccessEntries
    from commons.adapters.access_reviews import AccessReviews
    from commons.adapters.cluster_observations import ClusterObservations
    from commons.adapters.compute_quotas import ComputeQuotas
    from commons.adapters.iam_roles import IamRoles
    from commons.adapters.namespace_shape import NamespaceShape
    from commons.adapters.observations import Observations

    clusters = ClusterObservations(
        lambda region: ComputeQuotas(_client("sagemaker", region)),
        lambda region: AccessEntries(_client("eks", region)),
        lambda cluster: NamespaceShape(cluster_reader(cluster, "sweep-teams")),
        lambda cluster: AccessReviews(cluster_reader(cluster, "sweep-teams")),
        logger,
    )
    return Observations(
        team_table(),
        member_table(),
        identity_store(),
        IamRoles(_client("iam")),
        clusters,
        settings.Directory.read().group_prefix,
    )


def refuse(message: Message, refused: RefusedInput) -> None:
    """Put a message that would fail for ever where `commons doctor` finds it."""
    # the reasons may quote what was sent, which may be somebody's name: they are in the table only
    logger.warning("event refused", faults=len(refused.reasons), message_id=message.id)
    refusals().record("event", refused.what, refused.reasons, now(), message.source())


def count(metric: str, reason: str) -> None:
    """One more of a metric that operators watch; imported late, because few batches need it."""
    from aws_lambda_powertools.metrics import MetricUnit, single_metric

    with single_metric(name=metric, unit=MetricUnit.Count, value=1) as one:
        one.add_dimension(name="reason", value=reason)


@cache
def cost_reports() -> CostReports:
    from commons.adapters.cost_reports import CostReports

    return CostReports(_client("s3"))


@cache
def chargeback_store() -> ChargebackStore:
    from commons.adapters.chargeback_store import ChargebackStore

    return ChargebackStore(_client("s3"), settings.Chargeback.read().chargeback_bucket_name)


@cache
def chargeback_table() -> ChargebackTable:
    from commons.adapters.chargeback_table import ChargebackTable

    return ChargebackTable(_table(settings.ChargebackRecords.read().chargeback_table_name))


@cache
def chargeback_reading() -> ChargebackReading:
    from commons.adapters.chargeback_reading import ChargebackReading

    return ChargebackReading(chargeback_table(), chargeback_store())


@cache
def chargeback_claims() -> ChargebackClaims:
    from commons.adapters.chargeback_claims import ChargebackClaims
    from commons.adapters.executions import Executions

    # only asks how executions are; which machine they belong to stands in their ARNs
    return ChargebackClaims(chargeback_table(), Executions(_client("stepfunctions"), ""))


@cache
def chargeback_inputs() -> ChargebackInputs:
    from commons.adapters.chargeback_inputs import ChargebackInputs

    # what a usage report tells depends on the day, which a warm function must not keep
    return ChargebackInputs(
        team_table(), usage_table(), lambda document: usage_sources().of(document)
    )


def cluster_reader(cluster: ClusterDocument, purpose: str) -> Kubernetes:
    """The cluster's Kubernetes API under the role that only reads; `purpose` names the session."""
    role_arn = settings.ClusterReader.read().cluster_reader_role_arn
    return _kubernetes(cluster.cluster, cluster.eks_cluster, role_arn, purpose)


def cluster_writer(cluster: ClusterDocument, purpose: str) -> Kubernetes:
    """The same under the role that shapes namespaces."""
    role_arn = settings.ClusterWriter.read().cluster_writer_role_arn
    return _kubernetes(cluster.cluster, cluster.eks_cluster, role_arn, purpose)


@cache
def _kubernetes(cluster_arn: str, eks_cluster: str, role_arn: str, purpose: str) -> Kubernetes:
    from commons.adapters.eks_sign_in import connector
    from commons.adapters.kubernetes import Kubernetes
    from commons.domain.names import region_of

    region, session = region_of(cluster_arn), f"commons-{purpose}"
    connect = connector(_client("sts"), role_arn, region, eks_cluster, session)
    return Kubernetes(connect, f"the EKS cluster {eks_cluster}", role_arn)


@cache
def ledger_table() -> LedgerTable:
    from commons.adapters.ledger_table import LedgerTable

    return LedgerTable(_table(settings.Usage.read().usage_table_name))


@cache
def watch_table() -> WatchTable:
    from commons.adapters.watch_table import WatchTable

    return WatchTable(_table(settings.Usage.read().usage_table_name))


def access_entries(cluster: ClusterDocument) -> AccessEntries:
    from commons.adapters.access_entries import AccessEntries
    from commons.domain.names import region_of

    return AccessEntries(_client("eks", region_of(cluster.cluster)))


def access_reviews(cluster: ClusterDocument) -> AccessReviews:
    from commons.adapters.access_reviews import AccessReviews

    return AccessReviews(cluster_reader(cluster, "verify-namespace"))


def namespace_quota(cluster: ClusterDocument) -> NamespaceQuota:
    """A new one for each invocation, because it keeps what was done."""
    from commons.adapters.compute_quotas import ComputeQuotas
    from commons.adapters.namespace_quota import NamespaceQuota
    from commons.domain.names import region_of

    quotas = ComputeQuotas(_client("sagemaker", region_of(cluster.cluster)))
    return NamespaceQuota(quotas, cluster_reader(cluster, "reconcile-quota"))


def namespace_shape(cluster: ClusterDocument) -> NamespaceShape:
    from commons.adapters.namespace_shape import NamespaceShape

    return NamespaceShape(cluster_writer(cluster, "reconcile-namespace"))


@cache
def usage_table() -> UsageTable:
    from commons.adapters.usage_table import UsageTable

    return UsageTable(_table(settings.Usage.read().usage_table_name))


def usage_sources() -> UsageSources:
    """A new one for each invocation, because it knows which day it is."""
    from commons.adapters.compute_quotas import ComputeQuotas
    from commons.adapters.ledger_usage import LedgerUsage
    from commons.adapters.usage_sources import UsageSources
    from commons.domain.capacity import capacity
    from commons.domain.names import region_of

    def devices(cluster: str) -> dict[str, Decimal]:
        return capacity(ComputeQuotas(_client("sagemaker", region_of(cluster))).nodes(cluster))

    return UsageSources(LedgerUsage(usage_table()), _client("s3"), devices, now().date())
