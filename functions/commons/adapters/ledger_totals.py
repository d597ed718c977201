"""Daily totals in the `usage` table, made again from the attempts and ceilings of the day.

A total is written with the namespace's revision it was made from, and never over one that was made
from a later revision: two workers at once leave the total that knows the changes of both.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from itertools import batched
from typing import Any

from boto3.dynamodb.conditions import Attr
from boto3.dynamodb.conditions import Key as Where

from commons.adapters import ledger_items as items
from commons.adapters.ledger_items import Item, Place
from commons.adapters.table_writes import put_if
from commons.adapters.usage_table import query
from commons.domain import ledger
from commons.domain.tasks import Attempt
from commons.domain.usage import DeviceHours, Reading

_GET_AT_ONCE = 100


class TotalsTable:
    def __init__(self, table: Any) -> None:
        self._table = table

    def count(self, place: Place, days: Iterable[date], now: datetime) -> None:
        """Make the totals of the days again; what still runs is counted up to `now`."""
        # read first: what changes after it makes a later revision
        answer = self._table.get_item(Key={"pk": place.pk, "sk": "REVISION"}, ConsistentRead=True)
        revision = int(answer.get("Item", {}).get("revision", 0))
        ceilings = self.ceilings(place)
        for day in sorted(days):
            attempts = self._attempts_on(place, day)
            for name, hours in ledger.totals(attempts, ceilings, day, now).items():
                self._put(f"DAY#{day.isoformat()}#{name}", place, hours, revision, now)

    def ceilings(self, place: Place) -> Mapping[str, list[Reading]]:
        """Every reading of the namespace's queue, by instance type."""
        found: dict[str, list[Reading]] = {}
        condition = Where("pk").eq(place.pk) & Where("sk").begins_with("CEILING#")
        for name, reading in map(items.reading_from, query(self._table, condition)):
            found.setdefault(name, []).append(reading)
        return found

    def days_in_use(self, place: Place, first: date, last: date) -> set[date]:
        """Days on which an attempt may have held devices, both ends included."""
        span = Where("sk").between(f"ON#{first.isoformat()}", f"ON#{last.isoformat()}#~")
        found = query(self._table, Where("pk").eq(place.pk) & span)
        return {date.fromisoformat(item["sk"].split("#", 2)[1]) for item in found}

    def _put(self, sk: str, place: Place, hours: DeviceHours, revision: int, now: datetime) -> None:
        as_of = now.astimezone(UTC).isoformat()
        older = (
            Attr("pk").not_exists()
            | Attr("revision").lt(revision)
            | (Attr("revision").eq(revision) & Attr("as_of").lte(as_of))
        )
        item = {"pk": place.pk, "sk": sk, **hours.model_dump(), "as_of": as_of}
        put_if(self._table, {**item, "revision": revision}, older)

    def _attempts_on(self, place: Place, day: date) -> list[Attempt]:
        condition = Where("pk").eq(place.pk) & Where("sk").begins_with(f"ON#{day.isoformat()}#")
        keys = [
            {"pk": place.pk, "sk": items.attempt_sk(items.key_of(item["sk"]))}
            for item in query(self._table, condition)
        ]
        found: list[Item] = []
        for batch in batched(keys, _GET_AT_ONCE, strict=False):
            wanted = {self._table.name: {"Keys": list(batch), "ConsistentRead": True}}
            while wanted:
                answer = self._table.meta.client.batch_get_item(RequestItems=wanted)
                found += answer["Responses"].get(self._table.name, [])
                wanted = answer.get("UnprocessedKeys", {})
        return [items.attempt_from(item) for item in found]
