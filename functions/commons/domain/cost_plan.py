"""Which files are read together: batches that fit a function's disk and time."""

import hashlib
import json
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from commons.domain.cost_report import Report

# downloaded at about 60 MB/s, this takes ten seconds; a larger file is a batch of its own
BATCH_BYTES = 512 * 1024 * 1024
BATCH_FILES = 50
_DIGEST_LENGTH = 16


class DataFile(BaseModel):
    """A listed object as it was when the plan was made."""

    model_config = ConfigDict(frozen=True)

    key: str
    etag: str
    size: int


class Plan(BaseModel):
    """Stored in S3; the state machine carries only indexes into `batches`."""

    model_config = ConfigDict(frozen=True)

    report: Report
    batches: list[list[DataFile]]

    def name(self, batch: int) -> str:
        """Of a batch and what its files are: a file that is replaced makes it another one."""
        files = [file.model_dump() for file in self.batches[batch]]
        digest = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:_DIGEST_LENGTH]
        return f"batch-{batch:05}-{digest}"


def plan(report: Report, files: Sequence[DataFile]) -> Plan:
    """Files in the manifest's order; empty objects, as overwriting leaves behind, are left out."""
    batches: list[list[DataFile]] = [[]]
    room = BATCH_BYTES
    for file in files:
        if not file.size:
            continue
        if batches[-1] and (file.size > room or len(batches[-1]) == BATCH_FILES):
            batches.append([])
            room = BATCH_BYTES
        batches[-1].append(file)
        room -= file.size
    return Plan(report=report, batches=[batch for batch in batches if batch])
