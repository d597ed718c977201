"""A delivery of a cost report: its period, its files, what is newer, what is refused.

The manifest is delivered last. That of Data Exports carries no period: it stands in the key, in
whatever case and, from some tools, without the leading zero. EventBridge hands keys on as they are,
so nothing here is ever URL-decoded.
"""

import hashlib
import re
from contextlib import suppress
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from commons.domain.chargeback_run import ReportRef
from commons.domain.cost_columns import has_split_costs, missing_columns
from commons.domain.cost_manifest import Contents, period_of, read_manifest, spelt_oddly
from commons.domain.errors import RefusedInput

_RUN_FOLDER = re.compile(r"/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)-[^/]+/")
# the older reports call an assembly by its moment
_ASSEMBLY = re.compile(r"\d{8}T\d{6}Z")
_SEQUENCER_LENGTH = 64
_NO_SPLIT_COSTS = (
    "the export has no split cost allocation data: what runs on EC2 nodes of a cluster is charged "
    "to no namespace"
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

    report_id: str
    period: str
    export_arn: str
    execution_id: str
    delivery: Delivery
    order: Order
    # keys in the delivery's bucket, in the manifest's order, each once
    files: list[str]
    warnings: list[str] = []

    @property
    def ref(self) -> ReportRef:
        return ReportRef(period=self.period, report_id=self.report_id)


def read_report(delivery: Delivery, text: bytes) -> Report:
    """Raises RefusedInput with every fault of the manifest, each by name."""
    manifest = read_manifest(delivery.uri, text)
    period, warnings = _period(delivery, manifest)
    files, faults = _files(delivery, manifest, period, warnings)
    if manifest.columns:
        faults += missing_columns(manifest.columns)
        warnings += [] if has_split_costs(manifest.columns) else [_NO_SPLIT_COSTS]
    if faults:
        raise RefusedInput(f"manifest {delivery.uri}", faults)
    return Report(
        report_id=_report_id(manifest, text, period),
        period=period,
        export_arn=manifest.export_arn,
        execution_id=manifest.execution_id,
        delivery=delivery,
        order=_order(delivery, manifest, files),
        files=files,
        warnings=warnings,
    )


def _period(delivery: Delivery, manifest: Contents) -> tuple[str, list[str]]:
    """The period, and a warning if the key spells it oddly."""
    found = period_of(delivery.key)
    if found and manifest.period in (None, found.period):
        return found.period, list(spelt_oddly(delivery.uri, found))
    reason = "its key has no folder BILLING_PERIOD=YYYY-MM"
    if manifest.period:
        reason = f"it is of {manifest.period} but its key names "
        reason += found.period if found else "no period"
    raise RefusedInput(f"manifest {delivery.uri}", [reason])


def _files(
    delivery: Delivery, manifest: Contents, period: str, warnings: list[str]
) -> tuple[list[str], list[str]]:
    """Keys, each once however its period is spelt, and the faults."""
    keys: dict[str, str] = {}
    faults = []
    for uri in manifest.uris:
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        if not uri.startswith("s3://") or bucket != delivery.bucket:
            faults.append(f"data file {uri} is not in the bucket {delivery.bucket}")
            continue
        found = period_of(key)
        if not found:
            faults.append(f"data file {uri} has no folder BILLING_PERIOD=YYYY-MM in its key")
            continue
        if found.period != period:
            faults.append(f"data file {uri} belongs to {found.period}, the manifest to {period}")
        warnings += spelt_oddly(uri, found)
        if keys.setdefault(found.canonical_key, key) != key:
            warnings.append(f"{uri} is listed under two spellings and counted once")
    return list(keys.values()), faults


def _order(delivery: Delivery, manifest: Contents, files: list[str]) -> Order:
    """The folder's timestamp, also for the shared copy of the manifest; else the sequencer."""
    folders = [found[1] for key in [*files, delivery.key] if (found := _RUN_FOLDER.search(key))]
    if _ASSEMBLY.fullmatch(manifest.execution_id):
        folders.append(manifest.execution_id)
    for folder in folders:
        with suppress(ValueError):
            moment = datetime.fromisoformat(folder)
            return Order(kind="timestamp", value=moment.isoformat(timespec="microseconds"))
    # sequencers have different lengths and compare only when padded on the left
    return Order(kind="sequencer", value=delivery.sequencer.upper().rjust(_SEQUENCER_LENGTH, "0"))


def _report_id(manifest: Contents, text: bytes, period: str) -> str:
    """Deterministic: what is delivered twice is one report.

    The manifest's content stands for its ETag, which differs between the two copies under KMS.
    """
    content = hashlib.sha256(text).hexdigest()
    parts = [manifest.export_arn, period, manifest.execution_id, content]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
