"""The `chargeback` table: reports, runs, the pointer of each period, and records.

Items (pk / sk):
  PERIOD#<yyyy-mm> / REPORT#<report id>                        what it is; status, owner: who has it
  PERIOD#<yyyy-mm> / RUN#<run id>                              kind=run; a run and its totals
  PERIOD#<yyyy-mm> / CURRENT                                   run_id and order of the current run
  RUN#<run id> / NS#<cluster>#<namespace>#<team>#<cost centre>   record of the period
  RUN#<run id>#NS#<cluster>#<namespace> / DAY#<day>#<cost centre>   record of a day
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from boto3.dynamodb.conditions import Attr, ConditionBase

from commons.adapters.chargeback_items import day_partition, item_of, record_of, run_item
from commons.adapters.table_items import Item, TableItems, absent
from commons.domain.chargeback_records import Record
from commons.domain.chargeback_run import Outcome, ReportRef, RunRef
from commons.domain.cost_report import Order, Report
from commons.domain.errors import ChangedMeanwhile

# ends after which the same report may be tried again
_CLOSED = ("refused", "failed")


@dataclass(frozen=True, slots=True)
class Flip:
    """Whether the run is current now, and which run no longer is, if any."""

    current: bool
    superseded: RunRef | None


class ChargebackTable(TableItems):
    def current(self, period: str) -> Item | None:
        """The pointer of a period: run_id, order_kind, order_value."""
        return self._get(f"PERIOD#{period}", "CURRENT")

    def is_older(self, report: Report) -> bool:
        """Whether the period already shows a newer execution."""
        pointer = self.current(report.period)
        return pointer is not None and report.order.older_than(_order(pointer))

    def run(self, ref: RunRef) -> Item | None:
        return self._get(f"PERIOD#{ref.period}", f"RUN#{ref.run_id}")

    def runs(self) -> list[Item]:
        """Every run there is, by period, the oldest first."""
        order = ("period", "started_at", "order_value")
        return sorted(self._of_kind("run"), key=lambda run: [run[name] for name in order])

    def report(self, ref: ReportRef) -> Item | None:
        """What is known of a report, and who works on it, or has: status, owner."""
        return self._get(*_report_key(ref))

    def claim(self, report: Report, owner: str, instead_of: str | None, now: datetime) -> bool:
        """Take the report for a state machine execution; False if it is taken or done.

        What was refused or failed may be tried again, and `instead_of`, an owner known to be dead,
        be replaced. The same owner may claim twice: a step that is retried goes on.
        """
        free = absent("pk") | Attr("status").is_in(_CLOSED) | Attr("owner").eq(owner)
        pk, sk = _report_key(report.ref)
        item = run_item(report, owner, now) | {"pk": pk, "sk": sk}
        return self._put(item, free | _left_by(instead_of))

    def release(self, ref: ReportRef, owner: str, status: str) -> None:
        """The owner is done with the report. It stays as it is if somebody else works on it, or
        its end is known: a later run of it is not its end."""
        own = Attr("owner").eq(owner) & Attr("status").eq("running")
        self._set(*_report_key(ref), {"status": status}, own)

    def begin(
        self, ref: RunRef, report: Report, owner: str, instead_of: str | None, now: datetime
    ) -> bool:
        """Put a run under way; False if another owner makes it just now."""
        free = absent("pk") | Attr("status").ne("running") | Attr("owner").eq(owner)
        item = run_item(report, owner, now)
        key = {"pk": f"PERIOD#{ref.period}", "sk": f"RUN#{ref.run_id}", "kind": "run"}
        return self._put(item | key | {"run_id": ref.run_id}, free | _left_by(instead_of))

    def is_running(self, ref: RunRef) -> bool:
        return (self.run(ref) or {}).get("status") == "running"

    def end(self, ref: RunRef, status: str, reasons: list[str]) -> None:
        """End a run that is under way without a result; one that has ended keeps its first end."""
        values = {"status": status, "reasons": reasons}
        self._set_run(ref, values, Attr("status").eq("running"))

    def end_nameless(self, ref: ReportRef, status: str, reasons: list[str]) -> None:
        """End what never became a run, since its inputs could not be taken: it is listed under the
        id of its report."""
        known = self.report(ref)
        if known:
            key = {"sk": f"RUN#{ref.report_id}", "kind": "run", "run_id": ref.report_id}
            self._put(known | key | {"status": status, "reasons": reasons})

    def put_records(self, ref: RunRef, records: Iterable[Record]) -> None:
        """Keys are unique: the caller has combined what belongs to one record."""
        self._batch([item_of(ref, record) for record in records], [])

    def records(self, run_id: str) -> list[Record]:
        """Records of the period, by cluster and namespace, over as many pages as there are."""
        return [record_of(item) for item in self._below(f"RUN#{run_id}", "NS#")]

    def day_records(self, run_id: str, cluster: str, namespace: str) -> list[Record]:
        pk = day_partition(run_id, cluster, namespace)
        return [record_of(item) for item in self._below(pk, "DAY#")]

    def make_current(
        self, ref: RunRef, order: Order, outcome: Outcome, status: str, now: datetime
    ) -> Flip:
        """Flip the pointer of the period by one conditional write, unless it shows a newer run.

        The run's own item is completed first: a pointer never leads to a half run. Raises
        ChangedMeanwhile if somebody else flipped it in between.
        """
        self._complete(ref, outcome, status, now)
        pointer, started = self.current(ref.period) or {}, (self.run(ref) or {})["started_at"]
        # of two runs of one report the one with the later inputs counts
        if pointer and (order.older_than(_order(pointer)) or _is_later(pointer, order, started)):
            return Flip(current=False, superseded=ref)
        seen = pointer.get("run_id")
        # a step that is tried again finds its own flip, and who was current before
        previous = pointer.get("previous") if seen == ref.run_id else seen
        item: Item = {"pk": f"PERIOD#{ref.period}", "sk": "CURRENT", "run_id": ref.run_id}
        item |= {"previous": previous, "order_kind": order.kind, "order_value": order.value}
        item["started_at"] = started
        unchanged = Attr("run_id").eq(seen) if seen else absent("pk")
        if not self._put({**item, "flipped_at": now.isoformat()}, unchanged):
            raise ChangedMeanwhile(f"another run of {ref.period} became current just now")
        return Flip(True, RunRef(period=ref.period, run_id=previous) if previous else None)

    def _complete(self, ref: RunRef, outcome: Outcome, status: str, now: datetime) -> None:
        known = (self.run(ref) or {}).get("warnings", [])
        values = outcome.model_dump() | {"status": status, "published_at": now.isoformat()}
        values["warnings"] = list(dict.fromkeys([*known, *outcome.warnings]))
        self._set_run(ref, values)

    def supersede(self, ref: RunRef, expires_at: int) -> None:
        """Mark a run that is not current (any more): its items go at that time (epoch seconds)."""
        self._set_run(ref, {"status": "superseded", "expires_at": expires_at})
        self._batch([{**item, "expires_at": expires_at} for item in self._items(ref)], [])

    def _items(self, ref: RunRef) -> Iterator[Item]:
        seen: set[str] = set()
        for item in self._below(f"RUN#{ref.run_id}", "NS#"):
            yield item
            pk = day_partition(ref.run_id, item["cluster"], item["namespace"])
            if pk not in seen:
                seen.add(pk)
                yield from self._below(pk, "DAY#")

    def _set_run(self, ref: RunRef, values: Item, condition: ConditionBase | None = None) -> None:
        self._set(f"PERIOD#{ref.period}", f"RUN#{ref.run_id}", values, condition)


def _order(pointer: Item) -> Order:
    return Order(kind=pointer["order_kind"], value=pointer["order_value"])


def _is_later(pointer: Item, order: Order, started: str) -> bool:
    """Whether the current run is of the same report, with inputs that were taken later."""
    return _order(pointer) == order and str(pointer["started_at"]) > started


def _report_key(ref: ReportRef) -> tuple[str, str]:
    return f"PERIOD#{ref.period}", f"REPORT#{ref.report_id}"


def _left_by(owner: str | None) -> ConditionBase:
    """Whether the item is what a dead owner left behind; with None, nothing is."""
    return Attr("owner").eq(owner or "") & Attr("status").eq("running")
