"""What is known of a team beside its document: people, groups, access, namespaces, its runner."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.status import Condition


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Accepted[Document: ClusterDocument | TeamDocument](Record):
    """The last good version of a document. `version` is the sequencer of the upload's event."""

    document: Document
    key: str
    version: str
    etag: str
    uploaded_at: str
    accepted_at: str


class Access(Record):
    """The way of a team into one account; `group_ids` are the groups that we assigned."""

    account: str
    permission_set: str
    permission_set_arn: str
    role_arn: str | None = None
    role_id: str | None = None
    group_ids: list[str] = []

    def with_groups(self, group_ids: Iterable[str]) -> Self:
        """With more groups that are ours to take away again."""
        return self.model_copy(update={"group_ids": sorted({*self.group_ids, *group_ids})})


class QuotaRecord(Record):
    """A compute quota as it is in SageMaker."""

    id: str
    version: int
    resources: list[dict[str, Any]] = []


class NamespaceRecord(Record):
    """A namespace of a team, as the last reconcile left it."""

    cluster: str
    namespace: str
    project: str | None = None
    phase: str = "Converging"
    conditions: list[Condition] = []
    access_entry: str | None = None
    quota: QuotaRecord | None = None


class TeamStatus(Record):
    """`requested` counts requests; an execution that saw fewer is followed by another.

    `claimed` is the count when the recorded execution was claimed. `runs` counts executions,
    `failures` those in a row that ended without an outcome. `swept_at`: last found as it should be.
    """

    phase: str | None = None
    conditions: list[Condition] = []
    requested: int = 0
    execution_arn: str | None = None
    claimed: int = 0
    runs: int = 0
    failures: int = 0
    reconciled_at: str | None = None
    document_version: str | None = None
    swept_at: str | None = None


def plain(value: Any) -> Any:
    """DynamoDB's numbers as int or float, all the way down."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def stored(value: Any) -> Any:
    """The other way: DynamoDB takes no float, and each becomes the decimal it is written as."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {key: stored(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [stored(inner) for inner in value]
    return value
