"""The chargeback bucket: manifests and plans, partial sums, lines and exports of every run.

Folders of a report: manifests, plans and partials, each then `period=<YYYY-MM>/report_id=<id>/`.
They know no rule: every run of the report reads the same. Folders of a run: inputs, outcomes, lines
and exports, each then `period=<YYYY-MM>/run_id=<id>/`; lines have `cluster_id=<id>/` below, as
Parquet partitions.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from commons.adapters.aws_errors import translated
from commons.domain.chargeback_inputs import Inputs
from commons.domain.chargeback_run import Outcome, ReportRef, RunRef
from commons.domain.cost_plan import Plan
from commons.domain.cost_report import Report
from commons.domain.export_names import CSV, HTML

_CHUNK = 1024 * 1024


class ChargebackStore:
    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self.bucket = bucket

    def save_report(self, report: Report, manifest: bytes) -> None:
        """The manifest itself is kept as it came, for who asks later what was read."""
        self._put(f"{_folder('manifests', report.ref)}/manifest.json", manifest)
        self._put_model(f"{_folder('manifests', report.ref)}/report.json", report)

    def report(self, ref: ReportRef) -> Report:
        text = self._get(f"{_folder('manifests', ref)}/report.json")
        return Report.model_validate_json(text)

    def save_plan(self, ref: ReportRef, plan: Plan) -> None:
        self._put_model(_plan(ref), plan)

    def plan(self, ref: ReportRef) -> Plan:
        return Plan.model_validate_json(self._get(_plan(ref)))

    def save_partial(self, ref: ReportRef, plan: Plan, batch: int, path: Path) -> None:
        """The same batch again writes the same object."""
        self._upload(path, _partial(ref, plan, batch))

    def missing_partials(self, ref: ReportRef, plan: Plan) -> list[int]:
        """The batches of which there is no sum yet."""
        there = set(self._keys(f"{_folder('partials', ref)}/"))
        batches = range(len(plan.batches))
        return [batch for batch in batches if _partial(ref, plan, batch) not in there]

    def is_summed_up(self, ref: ReportRef) -> bool:
        """Whether there is a plan, and the sums of all its batches."""
        return _plan(ref) in self._keys(_plan(ref)) and not self.missing_partials(
            ref, self.plan(ref)
        )

    def partials(self, ref: ReportRef, plan: Plan, folder: Path) -> list[Path]:
        """Downloads the sums of every batch; one that is missing is an error, never nothing."""
        paths = [folder / f"partial-{batch:05}.parquet" for batch in range(len(plan.batches))]
        for batch, path in enumerate(paths):
            self._download(_partial(ref, plan, batch), path)
        return paths

    def save_inputs(self, run: RunRef, inputs: Inputs) -> None:
        self._put_model(f"{_folder('inputs', run)}/inputs.json", inputs)

    def inputs(self, run: RunRef) -> Inputs:
        return Inputs.model_validate_json(self._get(f"{_folder('inputs', run)}/inputs.json"))

    def save_outcome(self, run: RunRef, outcome: Outcome) -> None:
        self._put_model(f"{_folder('outcomes', run)}/outcome.json", outcome)

    def outcome(self, run: RunRef) -> Outcome:
        return Outcome.model_validate_json(self._get(f"{_folder('outcomes', run)}/outcome.json"))

    def save_lines(self, run: RunRef, folders: Sequence[Path]) -> None:
        """Each folder is `cluster_id=<id>` with the lines of that cluster.

        An attempt that died half-way may have left others behind: those are removed.
        """
        below = f"{_folder('lines', run)}/"
        files = {f"{below}{path.parent.name}/{path.name}": path for path in _parquet_in(folders)}
        for key, path in files.items():
            self._upload(path, key)
        for key in self._keys(below):
            if key not in files:
                with translated(f"removing {key}"):
                    self._client.delete_object(Bucket=self.bucket, Key=key)

    def lines(self, run: RunRef, folder: Path) -> list[Path]:
        """Downloads the lines of a run."""
        paths = []
        for number, key in enumerate(self._keys(f"{_folder('lines', run)}/")):
            paths.append(folder / f"lines-{number:05}.parquet")
            self._download(key, paths[-1])
        return paths

    def save_export(self, run: RunRef, path: Path) -> None:
        self._upload(path, f"{_folder('exports', run)}/{path.name}")

    def export_uri(self, run: RunRef, name: str = CSV) -> str:
        return f"s3://{self.bucket}/{_folder('exports', run)}/{name}"

    def has_export(self, run: RunRef, name: str) -> bool:
        key = f"{_folder('exports', run)}/{name}"
        return key in self._keys(key)

    def export_link(self, run: RunRef, name: str, seconds: int) -> str:
        """A URL by which whoever has it fetches that one file, for so many seconds."""
        # a page opens in the browser, anything else is saved under the name of its month
        saved = f'attachment; filename="{run.period}-{name}"'
        shown = {"ResponseContentType": "text/html; charset=utf-8"}
        headers = shown if name == HTML else {"ResponseContentDisposition": saved}
        place = {"Bucket": self.bucket, "Key": f"{_folder('exports', run)}/{name}"}
        link = self._client.generate_presigned_url(
            "get_object", Params={**place, **headers}, ExpiresIn=seconds
        )
        return str(link)

    def download_export(self, run: RunRef, name: str, path: Path) -> None:
        self._download(f"{_folder('exports', run)}/{name}", path)

    def _keys(self, prefix: str) -> list[str]:
        with translated(f"listing {prefix}"):
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket, Prefix=prefix
            )
            return [each["Key"] for page in pages for each in page.get("Contents", [])]

    def _put_model(self, key: str, model: BaseModel) -> None:
        self._put(key, model.model_dump_json().encode())

    def _put(self, key: str, body: bytes) -> None:
        with translated(f"writing {key}"):
            self._client.put_object(Bucket=self.bucket, Key=key, Body=body)

    def _get(self, key: str) -> bytes:
        with translated(f"reading {key}"):
            return bytes(self._client.get_object(Bucket=self.bucket, Key=key)["Body"].read())

    def _upload(self, path: Path, key: str) -> None:
        with translated(f"writing {key}"), path.open("rb") as source:
            self._client.put_object(Bucket=self.bucket, Key=key, Body=source)

    def _download(self, key: str, path: Path) -> None:
        with translated(f"reading {key}"), path.open("wb") as target:
            answer = self._client.get_object(Bucket=self.bucket, Key=key)
            for chunk in answer["Body"].iter_chunks(_CHUNK):
                target.write(chunk)


def _parquet_in(folders: Sequence[Path]) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.glob("*.parquet"))]


def _folder(what: str, of: ReportRef | RunRef) -> str:
    name, value = ("run_id", of.run_id) if isinstance(of, RunRef) else ("report_id", of.report_id)
    return f"{what}/period={of.period}/{name}={value}"


def _plan(ref: ReportRef) -> str:
    return f"{_folder('plans', ref)}/plan.json"


def _partial(ref: ReportRef, plan: Plan, batch: int) -> str:
    return f"{_folder('partials', ref)}/{plan.name(batch)}.parquet"
