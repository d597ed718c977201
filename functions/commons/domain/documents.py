"""Cluster and team documents: what people write down, and what is refused where it stands.

Rules that span several fields and must name the exact one are in `document_rules`.
"""

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt, StringConstraints, field_validator

from commons.domain.document_parts import (
    EKS_NAME_PATTERN,
    ClusterArn,
    NamespaceSpec,
    Part,
    PriorityName,
    QuotaSpec,
    ResourceSpec,
    SharingSpec,
    Slug,
    Text,
    UsageReportSpec,
    UsageSource,
)

__all__ = [
    "ClusterDocument",
    "CostCenter",
    "Groups",
    "MembershipGuard",
    "NamespaceSpec",
    "PriorityClass",
    "QuotaSpec",
    "ResourceSpec",
    "SharingSpec",
    "TeamDocument",
    "UsageReportSpec",
]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
SLURM = (
    "slurm is not supported: compute quotas, namespaces and access entries, on which the product "
    "rests, exist only for clusters orchestrated by EKS"
)


class PriorityClass(Part):
    """A priority that tasks may ask for; SageMaker calls it `<name>-priority` in the cluster."""

    name: PriorityName = Field(
        description="Name without the ending `-priority`, which SageMaker adds."
    )
    weight: Annotated[StrictInt, Field(ge=0, le=100)] = Field(
        description="Rank from 0 to 100; the higher goes first."
    )


class MembershipGuard(Part):
    """How many people may leave a team in one reconcile before a person must confirm it."""

    max_remove_percent: Annotated[StrictInt, Field(ge=0, le=100)] = Field(
        default=30, description="Share of the members; default 30. More is held. 100: no guard."
    )
    max_remove_count: Annotated[StrictInt, Field(ge=0)] = Field(
        default=20, description="Number of members; default 20. More is held."
    )


class ClusterDocument(Part):
    """One HyperPod cluster and the rules that hold for every team on it."""

    kind: Literal["Cluster"] = Field(description="Always `Cluster`.")
    cluster: ClusterArn = Field(description="ARN of the HyperPod cluster: its one key.")
    name: Text = Field(description="What people call the cluster; never a key.")
    eks_cluster: Annotated[str, StringConstraints(pattern=EKS_NAME_PATTERN)] = Field(
        description="Name of the EKS cluster that orchestrates it, in the same account."
    )
    orchestrator: Literal["eks"] = Field(
        default="eks", description="Must be `eks`, the default: Slurm has no task governance."
    )
    mode: Literal["observe", "enforce"] = Field(
        default="enforce",
        description="`observe` plans and reports and writes nothing; `enforce`, the default, acts.",
    )
    priority_classes: list[PriorityClass] = Field(
        default=[], max_length=10, description="At most ten. Empty, the default: no priorities."
    )
    fair_share: StrictBool = Field(
        default=True,
        description="Whether idle capacity is shared by the teams' weights; default true.",
    )
    idle_resource_sharing: StrictBool = Field(
        default=False,
        description="Whether capacity outside every quota may be borrowed; default false.",
    )
    overcommit: Literal["refuse", "warn", "allow"] = Field(
        default="refuse",
        description="What happens when quotas together exceed the cluster; default `refuse`.",
    )
    membership_guard: MembershipGuard = Field(
        default=MembershipGuard(), description="Default: 30 percent, 20 people."
    )
    usage_source: UsageSource = Field(
        default="ledger",
        description="Where device-hours come from: `ledger`, the default, is the product's own; "
        "else where AWS's usage report lies.",
    )

    @field_validator("orchestrator", mode="before")
    @classmethod
    def _not_slurm(cls, value: Any) -> Any:
        if isinstance(value, str) and value.strip().lower() == "slurm":
            raise ValueError(SLURM)
        return value


class Groups(Part):
    """Directory groups by role, by display name; a person with several roles has the highest."""

    viewer: list[Text] = Field(default=[], description="May look. Empty: nobody.")
    member: list[Text] = Field(default=[], description="May run tasks. Empty: nobody.")
    lead: list[Text] = Field(
        default=[], description="May also end tasks of the team. Empty: nobody."
    )


class CostCenter(Part):
    """Who pays, from a day on."""

    code: Text = Field(description="As finance writes it.")
    valid_from: date = Field(description="First UTC day, YYYY-MM-DD.")

    @field_validator("valid_from", mode="before")
    @classmethod
    def _a_day(cls, value: Any) -> Any:
        # a bare number would otherwise be taken for seconds since 1970
        if isinstance(value, str) and _DAY.fullmatch(value):
            return value
        raise ValueError("must be a day, YYYY-MM-DD")


class TeamDocument(Part):
    """One team: who is in it, what it may use where, and who pays."""

    kind: Literal["Team"] = Field(description="Always `Team`.")
    team: Slug = Field(
        description="Immutable id, at most 40 lower-case letters, digits and hyphens."
    )
    title: Text = Field(description="What people call the team.")
    state: Literal["active", "frozen", "leaving"] = Field(
        default="active",
        description="Default `active`. `frozen`: nothing new starts. `leaving`: what runs may end, "
        "then its people go. A team never leaves by losing its document.",
    )
    groups: Groups = Field(default=Groups(), description="Empty: nobody is in the team.")
    contacts: list[Text] = Field(default=[], description="Who is told. Empty: nobody.")
    approvers: list[Text] = Field(
        default=[], description="Who may approve what can lose work. Empty: nobody."
    )
    cost_centers: list[CostCenter] = Field(
        default=[], description="The newest that is valid counts. Empty: no cost centre."
    )
    namespaces: list[NamespaceSpec] = Field(
        default=[], description="One per cluster and project. Empty: people, but no namespace."
    )

    def clusters(self) -> list[str]:
        """ARNs of the team's clusters, each once, in order."""
        return sorted({spec.cluster for spec in self.namespaces})

    def wanted_groups(self) -> dict[str, str]:
        """Role by display name of a group; the highest role where a name is listed twice."""
        roles = {name: "viewer" for name in self.groups.viewer}
        roles |= {name: "member" for name in self.groups.member}
        return roles | {name: "lead" for name in self.groups.lead}
