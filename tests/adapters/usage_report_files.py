"""Files as the operator of AWS's usage report and its daily job write them, in a bucket on moto."""

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

BUCKET = "usage-report"
NAME = "hp-eks"
_HOUR = timedelta(hours=1)
Row = Mapping[str, Any]

QUEUE = {
    "instance_type": "VARCHAR",
    "timestamp": "TIMESTAMP",
    "namespace": "VARCHAR",
    "resource_version": "VARCHAR",
    "team": "VARCHAR",
    "gpu_total": "DOUBLE",
    "gpu_borrowed": "DOUBLE",
    "cpu_total": "DOUBLE",
    "cpu_borrowed": "DOUBLE",
    "neuron_core_total": "DOUBLE",
    "neuron_core_borrowed": "DOUBLE",
}
POD = {
    "pod": "VARCHAR",
    "timestamp": "TIMESTAMP",
    "namespace": "VARCHAR",
    "resource_version": "VARCHAR",
    "status": "VARCHAR",
    "owner": "VARCHAR",
    "instance_type": "VARCHAR",
    "job_type": "VARCHAR",
    "assigned_node": "VARCHAR",
    "CPU": "DOUBLE",
    "GPU": "DOUBLE",
    "neuron_core": "DOUBLE",
    "priority_class": "VARCHAR",
}
HEARTBEAT = {"timestamp": "TIMESTAMP", "cluster": "VARCHAR"}
TOTAL = {
    "report_date": "DATE",
    "namespace": "VARCHAR",
    "team": "VARCHAR",
    "instance_type": "VARCHAR",
} | {
    f"{kind}_{name}_utilization_hours": "DOUBLE"
    for name in ("neuron_core", "gpu", "vcpu")
    for kind in ("total", "allocated", "borrowed")
}
_COLUMNS = {
    "raw/clusterqueue": QUEUE,
    "raw/pod": POD,
    "raw/heartdub": HEARTBEAT,
    "reports/summary": TOTAL,
}


def queue_row(at: datetime, total: float, borrowed: float = 0, **more: Any) -> Row:
    return {
        "instance_type": "ml.p5.48xlarge",
        "timestamp": at,
        "namespace": "hyperpod-ns-team-a",
        "resource_version": "100",
        "team": "team-a",
        "gpu_total": total,
        "gpu_borrowed": borrowed,
        "cpu_total": 12 * total,
        "cpu_borrowed": 12 * borrowed,
        "neuron_core_total": 0.0,
        "neuron_core_borrowed": 0.0,
        **more,
    }


def pod_row(at: datetime, gpus: float, status: str = "Running", **more: Any) -> Row:
    return {
        "pod": "train-0",
        "timestamp": at,
        "namespace": "research",
        "resource_version": "100",
        "status": status,
        "owner": "train",
        "instance_type": "ml.p5.48xlarge",
        "job_type": "Job",
        "assigned_node": "hyperpod-i-1",
        "CPU": 12 * gpus,
        "GPU": gpus,
        "neuron_core": 0.0,
        "priority_class": "",
        **more,
    }


def total_row(
    day: date, namespace: str, team: str, hours: float, borrowed: float = 0, **more: Any
) -> Row:
    """Of GPUs, with 12 vCPUs each. Without a team nothing is allocated or borrowed."""
    gpu = (hours, hours - borrowed if team else 0.0, borrowed)
    row: dict[str, Any] = {
        "report_date": day,
        "namespace": namespace,
        "team": team,
        "instance_type": "ml.p5.48xlarge",
    }
    for kind, amount in zip(("total", "allocated", "borrowed"), gpu, strict=True):
        row[f"{kind}_neuron_core_utilization_hours"] = 0.0
        row[f"{kind}_gpu_utilization_hours"] = amount
        row[f"{kind}_vcpu_utilization_hours"] = 12 * amount
    return row | more


def parquet(rows: Sequence[Row], columns: Mapping[str, str]) -> bytes:
    """Columns that no row has are not in the file; unknown ones are doubles."""
    names = [name for name in columns if any(name in row for row in rows)]
    names += sorted({name for row in rows for name in row} - set(names))
    kinds = ", ".join(f'"{name}" {columns.get(name, "DOUBLE")}' for name in names)
    marks = ", ".join("?" for _ in names)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as db:
        path = Path(folder, "x.parquet")
        db.execute(f"CREATE TABLE rows ({kinds})")
        values = [[_plain(row.get(name)) for name in names] for row in rows]
        db.executemany(f"INSERT INTO rows VALUES ({marks})", values)  # noqa: S608 - marks
        db.execute(f"COPY rows TO '{path}' (FORMAT parquet, COMPRESSION snappy)")
        return path.read_bytes()


def _plain(value: Any) -> Any:
    # timestamps are UTC, and have no zone in the files
    return value.astimezone(UTC).replace(tzinfo=None) if isinstance(value, datetime) else value


class Report:
    """A bucket with files of the report. Every call of `add` makes new files."""

    def __init__(self, s3: Any, bucket: str = BUCKET, prefix: str = "") -> None:
        self.s3, self.bucket, self.prefix = s3, bucket, prefix
        self._count = 0

    def add(
        self, table: str, rows: Iterable[Row], cluster: str = NAME, hour: int | None = None
    ) -> list[str]:
        """Rows by the hour of their timestamps, or all in this hour; the keys of the files."""
        parts: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            moment = row["report_date"] if table == "reports/summary" else row["timestamp"]
            at = hour if hour is not None else getattr(moment, "hour", 0)
            parts[_folder(table, moment, at, cluster)].append(row)
        keys = []
        for folder, found in parts.items():
            keys.append(
                self.put(f"{folder}/{self._count:05}.parquet", parquet(found, _COLUMNS[table]))
            )
        return keys

    def heartbeats(self, start: datetime, end: datetime, cluster: str = NAME) -> None:
        """Two each hour; the operator has one folder for all clusters."""
        hours = range((end - start) // _HOUR)
        moments = [start + _HOUR * n + timedelta(minutes=m) for n in hours for m in (2, 32)]
        self.add("raw/heartdub", [{"timestamp": at, "cluster": cluster} for at in moments], hour=0)

    def put(self, key: str, body: bytes) -> str:
        self._count += 1
        self.s3.put_object(Bucket=self.bucket, Key=self.prefix + key, Body=body)
        return self.prefix + key


def _folder(table: str, day: date, hour: int, cluster: str) -> str:
    folder = f"{table}/year={day:%Y}/month={day:%m}/day={day:%d}"
    if table.startswith("raw/"):
        folder += f"/hour={hour:02}"
    return folder if table == "raw/heartdub" else f"{folder}/cluster={cluster}"
