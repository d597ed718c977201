"""One reading of AWS's usage report: the files of one cluster, a few at a time, on disk."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from itertools import batched
from pathlib import Path
from tempfile import TemporaryDirectory

from commons.adapters.usage_report_bucket import UsageReportBucket
from commons.adapters.usage_report_records import Files, Records, records
from commons.domain.usage_report_columns import HEARTBEATS, SUMMARY
from commons.domain.usage_summary import DayRow

_AT_ONCE = 1_000


@contextmanager
def reading(bucket: UsageReportBucket, cluster_name: str) -> Iterator["Reading"]:
    """What it has on disk is gone afterwards."""
    with TemporaryDirectory() as folder, records(Path(folder), cluster_name) as known:
        yield Reading(bucket, cluster_name, Path(folder), known)


class Reading:
    def __init__(
        self, bucket: UsageReportBucket, cluster_name: str, folder: Path, known: Records
    ) -> None:
        self._bucket = bucket
        self._cluster_name = cluster_name
        self._folder = folder
        self.known = known
        self._seen: set[str] = set()

    def add_states(self, table: str, days: Sequence[date]) -> None:
        """Of queues or pods."""
        for files in self._files(table, days):
            self.known.add_states(table, files)

    def add_heartbeats(self, days: Sequence[date]) -> None:
        for files in self._files(HEARTBEATS, days):
            self.known.add_heartbeats(files)

    def totals(self, days: Sequence[date]) -> list[DayRow]:
        return [row for files in self._files(SUMMARY, days) for row in self.known.totals(files)]

    def warnings(self) -> list[str]:
        """About a name that the report does not know: then everything would look idle."""
        others = sorted(self._seen - {self._cluster_name})
        if self._cluster_name in self._seen or not others:
            return []
        return [f"the report has no cluster {self._cluster_name}; it has {others[0]!r}"]

    def _files(self, table: str, days: Sequence[date]) -> Iterator[Files]:
        """With the names they are known by. They are gone when the next ones are asked for."""
        for listed in self._bucket.days(table, days).values():
            self._seen.update(file.cluster for file in listed if file.cluster is not None)
            ours = [file for file in listed if file.cluster in (None, self._cluster_name)]
            for batch in batched(ours, _AT_ONCE, strict=False):
                paths = self._bucket.download(batch, self._folder)
                yield [(file.name, path) for file, path in zip(batch, paths, strict=True)]
                for path in paths:
                    path.unlink()
