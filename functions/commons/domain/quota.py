"""Compute quotas: what a namespace's document asks of SageMaker, and how far it is from that.

SageMaker answers with amounts filled in that nobody gave (four accelerators come back with vCPUs
and memory), so only what the document says is compared.
"""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict

from commons.domain import instance_types
from commons.domain.documents import NamespaceSpec, QuotaSpec, ResourceSpec
from commons.domain.errors import ProvisioningFailed, StillConverging
from commons.domain.names import quota_name, quota_team_name
from commons.domain.team import QuotaRecord
from commons.domain.usage import QuotaVersion

TEAM_TAG = "gpu.commons/team"
_UNITS = {
    "count": "Count",
    "accelerators": "Accelerators",
    "vcpu": "VCpu",
    "memory_gib": "MemoryInGiB",
}
_UNDER_WAY = {"Creating", "Updating", "Deleting"}
_UPDATABLE = {"Created", "Updated", "UpdateFailed"}


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Quota(Frozen):
    """A compute quota as SageMaker describes it; `rows` is ComputeQuotaResources as it came."""

    id: str
    name: str
    team_name: str
    version: int
    status: str
    rows: list[dict[str, Any]] = []
    strategy: str = ""
    borrow_limit: int | None = None
    preempt_team_tasks: str = ""
    fair_share_weight: int = 0
    activation: str = "Enabled"
    created_at: datetime
    modified_at: datetime | None = None
    reason: str = ""

    def devices(self) -> dict[str, Decimal]:
        """Devices by instance type; a type without figures is left out."""
        return _sum((row["InstanceType"], _row_devices(row)) for row in self.rows)


def create_request(team: str, spec: NamespaceSpec) -> dict[str, Any]:
    """Parameters of CreateComputeQuota."""
    return {
        "Name": quota_name(spec.cluster, team, spec.project),
        "ClusterArn": spec.cluster,
        **_content(team, spec),
        "Tags": [{"Key": TEAM_TAG, "Value": team}],
    }


def update_request(team: str, spec: NamespaceSpec, quota: Quota) -> dict[str, Any]:
    """Parameters of UpdateComputeQuota; a version that somebody has overtaken is refused."""
    content = _content(team, spec)
    return {"ComputeQuotaId": quota.id, "TargetVersion": quota.version, **content}


def _content(team: str, spec: NamespaceSpec) -> dict[str, Any]:
    sharing: dict[str, Any] = {"Strategy": spec.quota.sharing.strategy}
    if spec.quota.sharing.borrow_limit is not None:
        sharing["BorrowLimit"] = spec.quota.sharing.borrow_limit
    return {
        "Description": f"Kept by GPU Commons for team {team}; changes made elsewhere are undone.",
        "ComputeQuotaConfig": {
            "ComputeQuotaResources": [_row(each) for each in spec.quota.resources],
            "ResourceSharingConfig": sharing,
            "PreemptTeamTasks": spec.quota.preempt_team_tasks,
        },
        "ComputeQuotaTarget": {
            "TeamName": quota_team_name(team, spec.project),
            "FairShareWeight": spec.quota.fair_share_weight,
        },
        "ActivationState": "Enabled",
    }


def _row(spec: ResourceSpec) -> dict[str, Any]:
    given = {api: getattr(spec, name) for name, api in _UNITS.items()}
    amounts = {api: value for api, value in given.items() if value is not None}
    return {"InstanceType": spec.instance_type, **amounts}


def differences(wanted: QuotaSpec, quota: Quota) -> list[str]:
    """What is not as the document says, in words; what it does not say is nobody's business."""
    limit = wanted.sharing.borrow_limit
    checks = {
        "resources": _resources_differ(wanted.resources, quota.rows),
        "sharing strategy": wanted.sharing.strategy != quota.strategy,
        "borrow limit": limit is not None and limit != quota.borrow_limit,
        "preemption": wanted.preempt_team_tasks != quota.preempt_team_tasks,
        "fair share weight": wanted.fair_share_weight != quota.fair_share_weight,
        "activation": quota.activation != "Enabled",
    }
    return [name for name, differs in checks.items() if differs]


def _resources_differ(wanted: Iterable[ResourceSpec], rows: list[dict[str, Any]]) -> bool:
    given = {row["InstanceType"]: row for row in map(_row, wanted)}
    found = {row["InstanceType"]: row for row in rows}
    if given.keys() != found.keys() or len(rows) != len(found):
        return True
    return any(found[name].get(key) != row[key] for name, row in given.items() for key in row)


def must_be_updated(wanted: QuotaSpec, quota: Quota) -> list[str]:
    """Reasons to update it now; empty if it is as it should be.

    Raises StillConverging while something is under way, and ProvisioningFailed for what only
    deleting it would mend: that may take the namespace and its data along, so a person decides.
    """
    if quota.status in _UNDER_WAY:
        raise StillConverging(f"The compute quota {quota.name} is {quota.status}")
    if quota.status not in _UPDATABLE:
        raise ProvisioningFailed(
            f"The compute quota {quota.name} ({quota.id}) is {quota.status}: "
            f"{quota.reason or 'no reason given'}. Deleting it may delete its namespace and the "
            "data in it, so look first, then delete it, and it is made again"
        )
    failed = [f"last update failed: {quota.reason}"] if quota.status == "UpdateFailed" else []
    return failed + differences(wanted, quota)


def version_of(quota: Quota) -> QuotaVersion:
    """What the version grants, and from when on."""
    changed = quota.modified_at if quota.version > 1 else None
    return QuotaVersion(
        effective_from=changed or quota.created_at,
        version=quota.version,
        resources=quota.devices(),
        strategy=quota.strategy,
    )


def ended(record: QuotaRecord, now: datetime) -> QuotaVersion:
    """What follows the last version of a quota that was deleted: nothing is granted."""
    return QuotaVersion(
        effective_from=now, version=record.version + 1, resources={}, strategy="DontLend"
    )


def record_of(quota: Quota) -> QuotaRecord:
    """What is remembered: the rows as SageMaker filled them, under the names documents use."""
    rows = [
        {
            "instance_type": row["InstanceType"],
            **{name: row[api] for name, api in _UNITS.items() if row.get(api) is not None},
        }
        for row in quota.rows
    ]
    return QuotaRecord(id=quota.id, version=quota.version, resources=rows)


def wanted_devices(spec: QuotaSpec) -> dict[str, Decimal]:
    """Devices by instance type that a document asks for; a type without figures is left out."""
    return _sum((each.instance_type, _row_devices(_row(each))) for each in spec.resources)


def _row_devices(row: dict[str, Any]) -> Decimal | None:
    amounts = {
        name: Decimal(str(row[api])) for name, api in _UNITS.items() if row.get(api) is not None
    }
    return instance_types.quota_devices(row["InstanceType"], **amounts)


def _sum(pairs: Iterable[tuple[str, Decimal | None]]) -> dict[str, Decimal]:
    total: dict[str, Decimal] = {}
    for name, devices in pairs:
        if devices is not None:
            total[name] = total.get(name, Decimal(0)) + devices
    return total
