"""Delivers a CUR 2.0 export to a bucket as Data Exports does: files first, then both manifests.

The layout is "create new": each execution has a folder of its own, named by its time and id.
"""

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from local.cost_rows import (
    COLUMNS,
    Nodes,
    Row,
    adjustment_row,
    control_plane_rows,
    foreign_rows,
    node_rows,
    volume_rows,
)

EXPORT = "org-cur2-hourly"


@dataclass(frozen=True)
class Execution:
    """One run of the export: `at` is when, `id` what AWS calls it."""

    id: str
    at: datetime
    export: str = EXPORT
    account: str = "111122223333"

    @property
    def folder(self) -> str:
        stamp = self.at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.at.microsecond // 1000:03}Z"
        return f"{stamp}-{self.id}"

    @property
    def arn(self) -> str:
        export_id = f"{self.export}-0a1b2c3d-0000-4000-8000-000000000001"
        return f"arn:aws:bcm-data-exports:us-east-1:{self.account}:export/{export_id}"


def company_rows(
    nodes: Sequence[Nodes], days: Sequence[date], eks_clusters: dict[str, str], late: bool = False
) -> list[Row]:
    """A plain bill: nodes, disks, the EKS fee, tax, a credit, and what is none of our business.

    `eks_clusters`: name by ARN of the HyperPod cluster.
    `late` is what a newer execution adds: an hour that was missing and the tax on it.
    """
    rows: list[Row] = []
    for cluster, name in eks_clusters.items():
        its_nodes = next(each for each in nodes if each.cluster == cluster)
        rows += control_plane_rows(its_nodes, days, name)
    for each in nodes:
        rows += node_rows(each, days)
        rows += volume_rows(each, days, Decimal("1.5733333333") * each.count)
        rows.append(adjustment_row(each, days[0], "Tax", Decimal("12.34")))
        rows.append(adjustment_row(each, days[0], "Credit", Decimal("-50")))
    if late:
        rows += list(node_rows(nodes[0], days[-1:]))[:1]
        rows.append(adjustment_row(nodes[0], days[-1], "Tax", Decimal("1.07")))
    return rows + list(foreign_rows(nodes[0].account, days))


def write_report(
    s3: Any,
    bucket: str,
    prefix: str,
    period: str,
    execution: Execution,
    rows: Sequence[Row],
    files: int = 3,
) -> list[str]:
    """Upload `rows` as Parquet files, then the manifest twice; the keys of the two manifests."""
    root = f"{prefix}{execution.export}"
    data = f"{root}/data/BILLING_PERIOD={period}/{execution.folder}"
    metadata = f"{root}/metadata/BILLING_PERIOD={period}"
    keys = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(files):
            path = Path(folder) / f"{execution.export}-{number + 1:05}.snappy.parquet"
            write_parquet(rows[number::files], path)
            keys.append(f"{data}/{path.name}")
            s3.put_object(Bucket=bucket, Key=keys[-1], Body=path.read_bytes())
    manifest = manifest_of(bucket, keys, execution)
    name = f"{execution.export}-Manifest.json"
    manifests = [f"{metadata}/{execution.folder}/{name}", f"{metadata}/{name}"]
    for key in manifests:
        s3.put_object(Bucket=bucket, Key=key, Body=manifest)
    return manifests


def manifest_of(
    bucket: str, keys: Iterable[str], execution: Execution, columns: Iterable[str] = COLUMNS
) -> bytes:
    """The manifest as Data Exports writes it: no period, no row counts."""
    kinds = {"DOUBLE": "double", "TIMESTAMP": "timestamp", "VARCHAR": "string"}
    document = {
        "executionId": execution.id,
        "exportArn": execution.arn,
        "columns": [{"name": c, "type": kinds.get(COLUMNS.get(c, ""), "map")} for c in columns],
        "dataFiles": [f"s3://{bucket}/{key}" for key in keys],
        "additionalOutputFiles": [],
    }
    return json.dumps(document).encode()


def write_parquet(rows: Iterable[Row], path: Path) -> None:
    """With the types of the real export: doubles, timestamps, maps."""
    lines = path.with_suffix(".ndjson")
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in COLUMNS.items())
    source = f"read_json('{lines}', format = 'newline_delimited', columns = {{{columns}}})"
    with duckdb.connect() as db:
        db.execute(f"COPY (SELECT * FROM {source}) TO '{path}' (FORMAT parquet)")  # noqa: S608
    lines.unlink()
