"""The `chargeback` table: executions, runs, the pointer of each period, and records.

Items (pk / sk):
  EXECUTION#<export arn>#<period>#<execution id> / EXECUTION   run_id, status, owner
  PERIOD#<yyyy-mm> / RUN#<run id>                              kind=run; a run and its totals
  PERIOD#<yyyy-mm> / CURRENT                                   run_id and order of the current run
  RUN#<run id> / NS#<cluster>#<namespace>#<team>#<cost centre>   record of the period
  RUN#<run id>#NS#<cluster>#<namespace> / DAY#<day>#<cost centre>   record of a day
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase

from commons.adapters.chargeback_items import day_partition, item_of, record_of
from commons.adapters.table_items import Item, TableItems, absent
from commons.domain.chargeback_records import Record
from commons.domain.chargeback_run import Outcome, RunRef
from commons.domain.cost_report import Order, Report
from commons.domain.errors import ChangedMeanwhile

# ends after which the same execution may be tried again
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

    def holder(self, report: Report) -> Item | None:
        """Who processes, or has processed, the execution: run_id, status, owner."""
        return self._get(_execution(report), "EXECUTION")

    def claim(self, report: Report, owner: str, instead_of: str | None, now: datetime) -> bool:
        """Take the execution for a state machine execution; False if it is taken or done.

        What was refused or failed may be tried again, and `instead_of`, an owner known to be dead,
        be replaced. The same owner may claim twice: a step that is retried goes on.
        """
        free = absent("pk") | Attr("status").is_in(_CLOSED) | Attr("owner").eq(owner)
        free |= Attr("run_id").ne(report.run_id)
        if instead_of:
            free |= Attr("owner").eq(instead_of) & Attr("status").eq("running")
        values = {"run_id": report.run_id, "status": "running", "owner": owner}
        taken = self._put({"pk": _execution(report), "sk": "EXECUTION", **values}, free)
        if taken:
            self._put(_run_item(report, owner, now))
        return taken

    def is_running(self, ref: RunRef) -> bool:
        return (self.run(ref) or {}).get("status") == "running"

    def end(self, ref: RunRef, status: str, reasons: list[str]) -> None:
        """End a run that is under way without a result; one that has ended keeps its first end."""
        values = {"status": status, "reasons": reasons}
        self._set_run(ref, values, Attr("status").eq("running"))
        run = self.run(ref) or {}
        if run.get("status") in _CLOSED:
            self._end_execution(run, run["status"])

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
        pointer = self.current(ref.period) or {}
        if pointer and order.older_than(_order(pointer)):
            return Flip(current=False, superseded=ref)
        seen = pointer.get("run_id")
        # a step that is tried again finds its own flip, and who was current before
        previous = pointer.get("previous") if seen == ref.run_id else seen
        item: Item = {"pk": f"PERIOD#{ref.period}", "sk": "CURRENT", "run_id": ref.run_id}
        item |= {"previous": previous, "order_kind": order.kind, "order_value": order.value}
        unchanged = Attr("run_id").eq(seen) if seen else absent("pk")
        if not self._put({**item, "flipped_at": now.isoformat()}, unchanged):
            raise ChangedMeanwhile(f"another run of {ref.period} became current just now")
        self._end_execution(self.run(ref) or {}, "published")
        return Flip(True, RunRef(period=ref.period, run_id=previous) if previous else None)

    def _complete(self, ref: RunRef, outcome: Outcome, status: str, now: datetime) -> None:
        known = (self.run(ref) or {}).get("warnings", [])
        values = outcome.model_dump() | {"status": status, "published_at": now.isoformat()}
        values["warnings"] = list(dict.fromkeys([*known, *outcome.warnings]))
        self._set_run(ref, values)

    def supersede(self, ref: RunRef, expires_at: int) -> None:
        """Mark a run that is not current (any more): its items go at that time (epoch seconds)."""
        self._set_run(ref, {"status": "superseded", "expires_at": expires_at})
        self._end_execution(self.run(ref) or {}, "superseded")
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

    def _end_execution(self, run: Item, status: str) -> None:
        if run:
            self._set(str(run["execution_pk"]), "EXECUTION", {"status": status})


def _order(pointer: Item) -> Order:
    return Order(kind=pointer["order_kind"], value=pointer["order_value"])


def _execution(report: Report) -> str:
    return f"EXECUTION#{report.export_arn}#{report.period}#{report.execution_id}"


def _run_item(report: Report, owner: str, now: datetime) -> dict[str, Any]:
    return {
        "pk": f"PERIOD#{report.period}",
        "sk": f"RUN#{report.run_id}",
        "kind": "run",
        "period": report.period,
        "run_id": report.run_id,
        "status": "running",
        "execution_pk": _execution(report),
        "execution_id": report.execution_id,
        "export_arn": report.export_arn,
        "manifest": report.delivery.uri,
        "order_kind": report.order.kind,
        "order_value": report.order.value,
        "owner": owner,
        "started_at": now.isoformat(),
        "warnings": report.warnings,
    }
