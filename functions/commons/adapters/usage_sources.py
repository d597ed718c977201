"""Which source of usage a cluster has: what its document says."""

from datetime import date
from typing import Any

from commons.adapters.usage_report_bucket import UsageReportBucket
from commons.adapters.usage_source import Capacity, UsageSource
from commons.domain.documents import ClusterDocument, UsageReportSpec


class UsageSources:
    """`today` is the UTC day; of a day that is not over only what is recorded counts."""

    def __init__(self, ledger: UsageSource, s3: Any, capacity: Capacity, today: date) -> None:
        self._ledger = ledger
        self._s3 = s3
        self._capacity = capacity
        self._today = today

    def of(self, document: ClusterDocument) -> UsageSource:
        source = document.usage_source
        return self._report(source) if isinstance(source, UsageReportSpec) else self._ledger

    def _report(self, source: UsageReportSpec) -> UsageSource:
        # as in bootstrap: what loads DuckDB is loaded with the first report
        from commons.adapters.usage_report import CsvUsage, RawUsage, SummaryUsage

        bucket, name = (
            UsageReportBucket(self._s3, source.bucket, source.prefix),
            source.cluster_name,
        )
        match source.form:
            case "raw":
                return RawUsage(bucket, name, self._today)
            case "summary":
                return SummaryUsage(bucket, name, self._today, self._capacity)
            case "csv":
                return CsvUsage(bucket, name, self._capacity)
