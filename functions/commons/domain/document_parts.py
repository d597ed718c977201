"""What documents are made of: the kinds of values, and the quota of a namespace."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StrictInt,
    StringConstraints,
    Tag,
    model_validator,
)

from commons.domain import host_paths

CLUSTER_ARN_PATTERN = r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:cluster/[a-z0-9]{12}$"
SLUG_PATTERN = r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$"
INSTANCE_TYPE_PATTERN = r"^ml\.[a-z0-9-]+\.[a-z0-9]+$"
BUCKET_PATTERN = r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"
FOLDER_PATTERN = r"^([A-Za-z0-9_=-][A-Za-z0-9_.=-]{0,127}/){0,16}$"
EKS_NAME_PATTERN = r"^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$"
ClusterArn = Annotated[str, StringConstraints(pattern=CLUSTER_ARN_PATTERN)]
Slug = Annotated[str, StringConstraints(pattern=SLUG_PATTERN)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=256)]
Amount = Annotated[float, Field(strict=True, gt=0, le=10_000_000, allow_inf_nan=False)]
Units = Annotated[StrictInt, Field(ge=0, le=10_000_000)]


def _priority_class(name: str) -> str:
    if name.endswith("-priority"):
        raise ValueError(f"must be {name.removesuffix('-priority')}: SageMaker adds -priority")
    return name


def _host_path(path: str) -> str:
    if fault := host_paths.fault_of(path):
        raise ValueError(fault)
    return path


PriorityName = Annotated[Slug, AfterValidator(_priority_class)]
HostPath = Annotated[str, AfterValidator(_host_path)]


class Part(BaseModel):
    """A piece of a document: unknown fields are faults, nothing changes after reading."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ResourceSpec(Part):
    """A share of one instance type, in exactly one unit."""

    instance_type: Annotated[str, StringConstraints(pattern=INSTANCE_TYPE_PATTERN)] = Field(
        description="As SageMaker writes it, for instance ml.p5.48xlarge; new ones are fine."
    )
    count: Units | None = Field(default=None, description="Whole instances.")
    accelerators: Units | None = Field(
        default=None, description="GPUs or Neuron devices; vCPU and memory follow by ratio."
    )
    vcpu: Amount | None = Field(default=None, description="vCPUs; memory follows by ratio.")
    memory_gib: Amount | None = Field(default=None, description="GiB; vCPU follows by ratio.")

    @model_validator(mode="after")
    def _one_unit(self) -> Self:
        units = (self.count, self.accelerators, self.vcpu, self.memory_gib)
        if sum(unit is not None for unit in units) != 1:
            raise ValueError("must have exactly one of count, accelerators, vcpu and memory_gib")
        return self


class SharingSpec(Part):
    """What happens with capacity that the namespace leaves idle, and with what others leave."""

    strategy: Literal["Lend", "DontLend", "LendAndBorrow"] = Field(
        default="LendAndBorrow",
        description="Default `LendAndBorrow`. `Lend` never borrows, `DontLend` does neither.",
    )
    borrow_limit: Annotated[StrictInt, Field(ge=0, le=10_000)] | None = Field(
        default=None,
        description="Percent of the own quota that may be borrowed. Empty: SageMaker's default.",
    )

    @model_validator(mode="after")
    def _limit_of_a_borrower(self) -> Self:
        if self.strategy == "DontLend" and self.borrow_limit is not None:
            raise ValueError("must have no borrow_limit: who does not lend cannot borrow either")
        return self


class QuotaSpec(Part):
    """The compute quota of one namespace."""

    resources: list[ResourceSpec] = Field(
        default=[],
        max_length=15,
        description="At most 15 rows, an instance type once. Empty: nothing of its own.",
    )
    sharing: SharingSpec = Field(
        default=SharingSpec(), description="Default: lends and borrows, SageMaker's own limit."
    )
    fair_share_weight: Annotated[StrictInt, Field(ge=0, le=100)] = Field(
        default=0, description="Weight from 0 to 100 when idle capacity is shared; default 0."
    )
    preempt_team_tasks: Literal["Never", "LowerPriority"] = Field(
        default="LowerPriority",
        description="Whether the namespace's own tasks push out those of lower priority.",
    )


class UsageReportSpec(Part):
    """AWS's HyperPod usage report, from which device-hours are taken in place of our ledger."""

    form: Literal["raw", "summary", "csv"] = Field(
        description="`raw`: the operator's own records, the exact form. `summary`: AWS's totals of "
        "each day. `csv`: reports that a person made with AWS's script."
    )
    bucket: Annotated[str, StringConstraints(pattern=BUCKET_PATTERN)] = Field(
        description="Bucket of the report; it must be one of the stack's UsageReportBuckets."
    )
    prefix: Annotated[str, StringConstraints(pattern=FOLDER_PATTERN)] = Field(
        default="",
        description="Folder in which raw/ and reports/ lie, or the CSV files, with its final "
        "slash. Empty, the default: the whole bucket.",
    )
    cluster_name: Annotated[str, StringConstraints(pattern=EKS_NAME_PATTERN)] = Field(
        description="What the report calls the cluster: `cluster=` in its folders, `Cluster Name` "
        "in a CSV file."
    )


# which of two forms was read: steps of our own in the path of a fault
LEDGER_TAG, REPORT_TAG = "<ledger>", "<report>"


def _kind_of_source(value: Any) -> str:
    """Which of the two is meant, so that a fault is told about that one alone."""
    return REPORT_TAG if isinstance(value, dict | UsageReportSpec) else LEDGER_TAG


UsageSource = Annotated[
    Annotated[Literal["ledger"], Tag(LEDGER_TAG)] | Annotated[UsageReportSpec, Tag(REPORT_TAG)],
    Discriminator(_kind_of_source),
]


class NamespaceSpec(Part):
    """A namespace of the team on one cluster."""

    cluster: ClusterArn = Field(description="ARN of the HyperPod cluster.")
    project: Slug | None = Field(
        default=None, description="Name of a project. Empty: the team's own namespace."
    )
    quota: QuotaSpec = Field(
        default=QuotaSpec(), description="Default: no capacity of its own, borrows what is idle."
    )
    priority_classes: Annotated[list[PriorityName], Field(max_length=10)] | None = Field(
        default=None,
        description="Names of the cluster's priority classes that tasks here may have. "
        "Default: every one. Empty: none.",
    )
    host_paths: list[HostPath] = Field(
        default=[],
        max_length=20,
        description="Paths of a node that pods here may mount, exactly as they stand; "
        "every team that is given one shares it. Default: none.",
    )
