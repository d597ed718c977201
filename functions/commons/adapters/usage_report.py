"""AWS's usage report as a source of usage, in each of its three forms."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from commons.adapters.usage_report_bucket import StoredFile, UsageReportBucket
from commons.adapters.usage_report_reading import reading
from commons.adapters.usage_source import Capacity
from commons.domain.errors import RefusedInput
from commons.domain.ledger import covering
from commons.domain.usage_coverage import gaps, known_until
from commons.domain.usage_csv import CsvReport, parse
from commons.domain.usage_csv_days import choose
from commons.domain.usage_found import UsageFound, joined, whole
from commons.domain.usage_report import HOLD, Window, integrate
from commons.domain.usage_report_columns import PODS, QUEUES
from commons.domain.usage_summary import DayRow, Settled, refuse_above, settle
from commons.domain.usage_warnings import Held, doubts

_DAY = timedelta(days=1)
_LARGEST_CSV = 64 * 1024**2


class RawUsage:
    """The operator's own records, read as far back as a state can hold."""

    def __init__(self, bucket: UsageReportBucket, cluster_name: str, today: date) -> None:
        self._bucket = bucket
        self._cluster_name = cluster_name
        self._today = today

    def read(self, cluster: str, first: date, last: date) -> UsageFound:
        """What is written late lies with the day after."""
        until = min(last + _DAY, self._today)
        days = covering([first - HOLD, until])
        with reading(self._bucket, self._cluster_name) as report:
            report.add_states(QUEUES, days)
            report.add_states(PODS, days)
            report.add_heartbeats(covering([first, until]))
            window = Window(first, last, known_until(self._today, report.known.newest()))
            queues, pods = list(report.known.queue_runs()), list(report.known.pod_runs())
            silent = gaps(report.known.heartbeats(), window)
        told = doubts(
            (Held(run.namespace, run.instance_type, run.total) for run in queues),
            (Held(run.namespace, run.instance_type, run.held) for run in pods),
        )
        uses = integrate(queues, pods, window)
        warnings = (*report.warnings(), *told)
        return UsageFound(cluster=cluster, uses=uses, gaps=silent, warnings=warnings)


class SummaryUsage:
    """AWS's totals of each day."""

    def __init__(
        self, bucket: UsageReportBucket, cluster_name: str, today: date, capacity: Capacity
    ) -> None:
        self._bucket = bucket
        self._cluster_name = cluster_name
        self._today = today
        self._capacity = capacity

    def read(self, cluster: str, first: date, last: date) -> UsageFound:
        """A day without any row is a gap: AWS has not added it up."""
        days = covering([first, min(last + _DAY, self._today)])
        with reading(self._bucket, self._cluster_name) as report:
            rows = [row for row in report.totals(days) if first <= row.day <= last]
            report.add_heartbeats(days)
            window = Window(first, last, known_until(self._today, report.known.newest()))
            silent = gaps(report.known.heartbeats(), window)
        settled = _settled(cluster, rows, self._capacity)
        told = {row.day for row in rows}
        unread = [whole(day) for day in covering([first, last]) if day not in told]
        return UsageFound(
            cluster=cluster,
            uses=settled.uses,
            gaps=joined([*silent, *unread]),
            warnings=(*report.warnings(), *settled.warnings),
        )


class CsvUsage:
    """CSV files that people made with AWS's script."""

    def __init__(self, bucket: UsageReportBucket, cluster_name: str, capacity: Capacity) -> None:
        self._bucket = bucket
        self._cluster_name = cluster_name
        self._capacity = capacity

    def read(self, cluster: str, first: date, last: date) -> UsageFound:
        reports = [
            (self._parsed(file), file.stored) for file in self._bucket.csv_files(first, last)
        ]
        chosen = choose(reports, self._cluster_name, first, last)
        settled = _settled(cluster, chosen.rows, self._capacity)
        return UsageFound(
            cluster=cluster,
            uses=settled.uses,
            gaps=chosen.gaps,
            warnings=(*chosen.warnings, *settled.warnings),
        )

    def _parsed(self, file: StoredFile) -> CsvReport:
        if file.size > _LARGEST_CSV:
            raise RefusedInput(
                f"usage report {file.name}", [f"it has more than {_LARGEST_CSV} bytes"]
            )
        with TemporaryDirectory() as folder:
            [path] = self._bucket.download([file], Path(folder))
            try:
                text = path.read_bytes().decode()
            except UnicodeDecodeError as error:
                raise RefusedInput(f"usage report {file.name}", ["it is not UTF-8"]) from error
        return parse(file.name, text)


def _settled(cluster: str, rows: Sequence[DayRow], capacity: Capacity) -> Settled:
    what = f"the usage report of {cluster}"
    settled = settle(what, rows)
    if settled.doubtful:
        refuse_above(what, settled, capacity(cluster))
    return settled
