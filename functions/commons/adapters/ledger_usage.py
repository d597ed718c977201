"""The product's own ledger as a source of usage."""

from collections.abc import Iterable
from datetime import date

from commons.adapters.usage_table import UsageTable
from commons.domain.usage import DailyUsage, day_bounds
from commons.domain.usage_found import Gap, NamespaceUse, UsageFound, joined


class LedgerUsage:
    def __init__(self, usage: UsageTable) -> None:
        self._usage = usage

    def read(self, cluster: str, first: date, last: date) -> UsageFound:
        """A day of which a total was last added up before it was over is a gap from then on."""
        daily = self._usage.daily_usage(cluster, first, last)
        uses = sorted(map(_use, daily), key=lambda use: (use.day, use.namespace, use.instance_type))
        return UsageFound(cluster=cluster, uses=tuple(uses), gaps=joined(_unfinished(daily)))


def _use(daily: DailyUsage) -> NamespaceUse:
    return NamespaceUse(
        namespace=daily.namespace,
        instance_type=daily.instance_type,
        day=daily.day,
        own=daily.own,
        borrowed=daily.borrowed,
    )


def _unfinished(daily: Iterable[DailyUsage]) -> Iterable[Gap]:
    for each in daily:
        start, end = day_bounds(each.day)
        if each.as_of < end:
            yield Gap(start=max(start, each.as_of), end=end)
