"""The parts of objects that this server itself reads, so that it can read what it stores."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from local.kubernetes import errors, quantities
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document, name_of


def _quantity(value: str | int) -> str | int:
    quantities.parse(value)
    return value


type Quantity = Annotated[str | int, AfterValidator(_quantity)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", strict=True)


class _Rule(_Part):
    verbs: list[str]
    apiGroups: list[str] | None = None
    resources: list[str] | None = None
    resourceNames: list[str] | None = None
    nonResourceURLs: list[str] | None = None


class _Role(_Part):
    rules: list[_Rule] | None = None


class _Subject(_Part):
    kind: str
    name: str
    namespace: str | None = None
    apiGroup: str | None = None


class _Reference(_Part):
    kind: str
    name: str
    apiGroup: str | None = None


class _Binding(_Part):
    roleRef: _Reference
    subjects: list[_Subject] | None = None


class _Quota(_Part):
    name: str
    nominalQuota: Quantity


class _Flavor(_Part):
    name: str
    resources: list[_Quota]


class _Group(_Part):
    coveredResources: list[str]
    flavors: list[_Flavor]


class _ClusterQueueSpec(_Part):
    cohortName: str | None = None
    stopPolicy: Literal["None", "Hold", "HoldAndDrain"] = "None"
    resourceGroups: list[_Group] | None = None


class _ClusterQueue(_Part):
    spec: _ClusterQueueSpec = _ClusterQueueSpec()


class _LocalQueueSpec(_Part):
    clusterQueue: str = ""
    stopPolicy: Literal["None", "Hold", "HoldAndDrain"] = "None"


class _LocalQueue(_Part):
    spec: _LocalQueueSpec = _LocalQueueSpec()


class _Assignment(_Part):
    name: str
    flavors: dict[str, str] | None = None
    resourceUsage: dict[str, Quantity] | None = None


class _Admission(_Part):
    clusterQueue: str
    podSetAssignments: list[_Assignment]


class _Condition(_Part):
    type: str
    status: Literal["True", "False", "Unknown"]
    lastTransitionTime: str
    reason: str


class _WorkloadStatus(_Part):
    conditions: list[_Condition] | None = None
    admission: _Admission | None = None


class _WorkloadSpec(_Part):
    queueName: str | None = None
    active: bool = True


class _Workload(_Part):
    spec: _WorkloadSpec = _WorkloadSpec()
    status: _WorkloadStatus | None = None


class _ResourceQuotaSpec(_Part):
    hard: dict[str, Quantity] | None = None


class _ResourceQuota(_Part):
    spec: _ResourceQuotaSpec | None = None


class _Any(_Part):
    spec: dict[str, Any] | None = None
    status: dict[str, Any] | None = None


_SHAPES: dict[str, type[_Part]] = {
    "roles": _Role,
    "clusterroles": _Role,
    "rolebindings": _Binding,
    "clusterrolebindings": _Binding,
    "clusterqueues": _ClusterQueue,
    "localqueues": _LocalQueue,
    "workloads": _Workload,
    "resourcequotas": _ResourceQuota,
}


def check(kind: Kind, document: Document) -> None:
    """Raises Invalid for the first part that does not have its form."""
    try:
        _SHAPES.get(kind.plural, _Any).model_validate(document)
    except ValidationError as error:
        fault = error.errors()[0]
        field = ".".join(str(step) for step in fault["loc"])
        if not kind.custom:
            raise errors.unreadable(kind, kind.versions[0], f"{field}: {fault['msg']}") from error
        problem = f"Invalid value: {fault['msg']}"
        raise errors.invalid(
            kind, name_of(document), field, problem, "FieldValueInvalid"
        ) from error
