"""What people ask about a chargeback, read from the records and lines of one run."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from commons.adapters.chargeback_store import ChargebackStore
from commons.adapters.chargeback_table import ChargebackTable
from commons.adapters.table_items import Item
from commons.domain.chargeback_lines import ChargebackLine
from commons.domain.chargeback_query import Question, place
from commons.domain.chargeback_records import Record
from commons.domain.chargeback_run import RunRef
from commons.domain.errors import NotFound


class ChargebackReading:
    def __init__(self, table: ChargebackTable, store: ChargebackStore) -> None:
        self._table = table
        self._store = store

    def runs(self) -> list[Item]:
        """Every run there is, by period, the oldest first."""
        return self._table.runs()

    def current_ids(self) -> list[str]:
        """The current run of each period that has one."""
        periods = sorted({str(run["period"]) for run in self.runs()})
        pointers = (self._table.current(period) for period in periods)
        return [str(pointer["run_id"]) for pointer in pointers if pointer]

    def current_runs(self) -> list[Item]:
        current = self.current_ids()
        return [run for run in self.runs() if run["run_id"] in current]

    def run(self, period: str, run_id: str | None = None) -> Item:
        """A published run of the period; the current one if none is named. Raises NotFound."""
        if run_id is None:
            pointer = self._table.current(period)
            if pointer is None:
                raise NotFound(
                    f"There is no chargeback for {period}; GET /periods lists the months"
                )
            run_id = str(pointer["run_id"])
        found = self._table.run(RunRef(period=period, run_id=run_id))
        if found is None or "published_at" not in found:
            raise NotFound(
                f"{period} has no published run {run_id}; GET /runs lists them. One that was "
                "replaced is kept for 90 days"
            )
        return found

    def records(self, run: Item, asked: Question) -> Iterator[Record]:
        """Those that may answer the question, of the days only where it needs them."""
        of_period = self._table.records(run["run_id"])
        if not asked.of_days:
            yield from of_period
            return
        places = [(each.key.cluster, each.key.namespace) for each in of_period if _may(asked, each)]
        for cluster, namespace in dict.fromkeys(places):
            yield from self._table.day_records(run["run_id"], cluster, namespace)

    def lines(self, run: RunRef, asked: Question, after: str, limit: int) -> list[ChargebackLine]:
        """At most `limit` of those that the question chooses, behind `after` by their ids."""
        # loads DuckDB, which nothing else here needs
        from commons.adapters.line_files import read_page

        with TemporaryDirectory() as name:
            folder = Path(name)
            return read_page(self._store.lines(run, folder), folder, asked.only, after, limit)


def _may(asked: Question, record: Record) -> bool:
    """A day that is asked for is in records of days only, but whose it may be is known before."""
    return asked.chooses(place(record))
