"""What the HTTP API answers about a chargeback: amounts and hours as text with ten places."""

from pydantic import BaseModel, ConfigDict, Field

Amount = str


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


class DeviceHours(Answer):
    """Held is own, within the quota, and borrowed together."""

    held: Amount
    own: Amount
    borrowed: Amount


class PeriodEntry(Answer):
    """A month and the run that is current for it."""

    period: str = Field(description="YYYY-MM.")
    status: str = Field(description="open until the month has ended, then provisional.")
    run_id: str
    currency: str
    total: Amount = Field(description="What is charged back.")
    source_total: Amount = Field(description="What the bill has; equal to the total.")
    published_at: str = Field(description="ISO 8601, UTC.")


class BridgeStep(Answer):
    """A step from what is charged back to the invoice, or (`sum`) what all before it make."""

    name: str
    amount: Amount
    sum: bool


class Period(PeriodEntry):
    """The control totals of a month: in scope and outside are the whole report."""

    basis: str
    report_total: Amount
    outside_total: Amount
    scheduled_total: Amount
    corrections_total: Amount
    lines: int
    bridge: list[BridgeStep]
    warnings: list[str]
    exports: list[str] = Field(description="Formats of the files of the run.")


class Run(Answer):
    """A run that there was: published, refused, failed or under way."""

    period: str
    run_id: str
    status: str
    current: bool
    total: Amount | None = Field(description="None until it is published.")
    started_at: str
    reasons: list[str]
    warnings: list[str]


class SummaryGroup(Answer):
    """`key`: a value for each dimension of `by`; none where nobody is charged."""

    key: dict[str, str | None]
    amount: Amount
    device_hours: DeviceHours


class Summary(Answer):
    """`amount` and `device_hours` are of all groups that the filters choose, on every page."""

    period: str
    run_id: str
    status: str
    currency: str
    amount: Amount
    device_hours: DeviceHours
    groups: list[SummaryGroup]
    cursor: str | None = Field(description="Ask with it for what follows; none on the last page.")


class Line(Answer):
    """amount = pool_amount · numerator ÷ denominator · factor, settled at ten places."""

    line_id: str
    cluster: str
    namespace: str
    team: str | None
    project: str | None
    cost_center: str | None
    period: str
    day: str
    instance_type: str | None
    component: str
    amount: Amount
    currency: str
    device_hours: DeviceHours
    estimated: bool
    run_id: str
    rule_version: str
    manifest: str
    pool: str
    method: str
    numerator: Amount
    denominator: Amount
    factor: Amount
    pool_amount: Amount
    rows: int
    corrects: str | None


class Lines(Answer):
    """Lines in the order of their ids."""

    period: str
    run_id: str
    lines: list[Line]
    cursor: str | None = Field(description="Ask with it for what follows; none on the last page.")


class ExportLink(Answer):
    """Where a file of a run can be fetched, without any credentials, for a short time."""

    period: str
    run_id: str
    format: str
    file: str
    url: str
    expires_at: str = Field(description="ISO 8601, UTC.")
