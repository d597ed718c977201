"""A delivery of Data Exports (CUR 2.0): its manifest, its period, what is newer, what is refused.

The manifest is delivered last and carries no period: that stands in the key, in whatever case and,
from some tools, without the leading zero. EventBridge hands keys on as they are, so nothing here
is ever URL-decoded.
"""

import hashlib
import re
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from commons.domain.errors import RefusedInput

_PERIOD = re.compile(r"(?:^|/)billing_period=([^/]*)/", re.IGNORECASE)
_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_RUN_FOLDER = re.compile(r"/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)-[^/]+/")
_SEQUENCER_LENGTH = 64

REQUIRED_COLUMNS = (
    "bill_payer_account_id",
    "line_item_currency_code",
    "line_item_line_item_type",
    "line_item_product_code",
    "line_item_resource_id",
    "line_item_unblended_cost",
    "line_item_usage_account_id",
    "line_item_usage_amount",
    "line_item_usage_start_date",
    "line_item_usage_type",
)


class Delivery(BaseModel):
    """The object event of a manifest, as far as it matters."""

    model_config = ConfigDict(frozen=True)

    bucket: str
    key: str
    etag: str = ""
    # hex digits that S3 raises with every write of the same key
    sequencer: str = ""

    @property
    def uri(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


class Column(BaseModel):
    name: str


class Manifest(BaseModel):
    """What Data Exports writes; fields that we do not read may come and go."""

    model_config = ConfigDict(frozen=True)

    execution_id: str = Field(alias="executionId", min_length=1)
    export_arn: str = Field(alias="exportArn", min_length=1)
    columns: list[Column] = []
    data_files: list[str] = Field(alias="dataFiles", min_length=1)


class Order(BaseModel):
    """What makes one execution newer than another of the same kind."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["timestamp", "sequencer"]
    value: str

    def older_than(self, other: "Order") -> bool:
        """Only orders of one kind compare; after a change of the delivery mode the new one wins."""
        return self.kind == other.kind and self.value < other.value


class Report(BaseModel):
    """One execution of an export for one period, ready to be planned."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    period: str
    export_arn: str
    execution_id: str
    delivery: Delivery
    order: Order
    # keys in the delivery's bucket, in the manifest's order, each once
    files: list[str]
    warnings: list[str] = []


def read_report(delivery: Delivery, text: bytes, rule_version: str) -> Report:
    """Raises RefusedInput with every fault of the manifest, each by name."""
    manifest = _parse(delivery, text)
    period, warnings = _period(delivery.key, delivery.uri)
    files, faults = _files(delivery, manifest, period, warnings)
    faults += missing_columns([column.name for column in manifest.columns])
    if faults:
        raise RefusedInput(f"manifest {delivery.uri}", faults)
    return Report(
        run_id=_run_id(manifest, text, period, rule_version),
        period=period,
        export_arn=manifest.export_arn,
        execution_id=manifest.execution_id,
        delivery=delivery,
        order=_order(delivery, files),
        files=files,
        warnings=warnings,
    )


def missing_columns(names: list[str]) -> list[str]:
    """A sentence per required column that is not there; an empty list of names says nothing."""
    present = {name.lower() for name in names}
    absent = [name for name in REQUIRED_COLUMNS if name not in present]
    return [f"column {name} is missing" for name in absent] if names else []


def _parse(delivery: Delivery, text: bytes) -> Manifest:
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, e['loc'])) or 'it'}: {e['msg']}" for e in error.errors()]
        raise RefusedInput(f"manifest {delivery.uri}", faults) from error


def _period(key: str, name: str) -> tuple[str, list[str]]:
    found = _PERIOD.search(key)
    month = _MONTH.fullmatch(found[1]) if found else None
    if not found or not month or not 1 <= int(month[2]) <= 12:
        reason = "its key has no folder BILLING_PERIOD=YYYY-MM"
        raise RefusedInput(f"manifest {name}", [reason])
    period = f"{month[1]}-{int(month[2]):02}"
    odd = [] if found[1] == period else [f"{name} spells the period {period} as {found[1]}"]
    return period, odd


def _files(
    delivery: Delivery, manifest: Manifest, period: str, warnings: list[str]
) -> tuple[list[str], list[str]]:
    """Keys, each once however its period is spelt, and the faults."""
    keys: dict[str, str] = {}
    faults = []
    for uri in manifest.data_files:
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        if not uri.startswith("s3://") or bucket != delivery.bucket:
            faults.append(f"data file {uri} is not in the bucket {delivery.bucket}")
            continue
        try:
            its_period, odd = _period(key, uri)
        except RefusedInput:
            faults.append(f"data file {uri} has no folder BILLING_PERIOD=YYYY-MM in its key")
            continue
        if its_period != period:
            faults.append(f"data file {uri} belongs to {its_period}, the manifest to {period}")
        warnings += odd
        if keys.setdefault(_PERIOD.sub(f"/billing_period={period}/", key), key) != key:
            warnings.append(f"{uri} is listed under two spellings and counted once")
    return list(keys.values()), faults


def _order(delivery: Delivery, files: list[str]) -> Order:
    """The folder's timestamp, also for the shared copy of the manifest; else the sequencer."""
    for key in [*files, delivery.key]:
        if found := _RUN_FOLDER.search(key):
            moment = datetime.fromisoformat(found[1])
            return Order(kind="timestamp", value=moment.isoformat(timespec="microseconds"))
    # sequencers have different lengths and compare only when padded on the left
    return Order(kind="sequencer", value=delivery.sequencer.upper().rjust(_SEQUENCER_LENGTH, "0"))


def _run_id(manifest: Manifest, text: bytes, period: str, rule_version: str) -> str:
    """Deterministic: the same inputs under the same rule are the same run.

    The manifest's content stands for its ETag, which differs between the two copies under KMS.
    """
    content = hashlib.sha256(text).hexdigest()
    parts = [manifest.export_arn, period, manifest.execution_id, content, rule_version]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
