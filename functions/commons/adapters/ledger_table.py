"""The usage ledger in the `usage` table: attempts and ceilings, and the totals made from them.

A change of an attempt or a ceiling and the namespace's revision are one transaction. Every step
can be done again: a message that comes back finds what is done and does the rest.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Any

from boto3.dynamodb.conditions import Key as Where

from commons.adapters import ledger_items as items
from commons.adapters.ledger_items import Item, Place
from commons.adapters.ledger_totals import TotalsTable
from commons.adapters.table_writes import transact
from commons.adapters.usage_table import query
from commons.domain import ledger, tasks
from commons.domain.errors import ChangedMeanwhile
from commons.domain.tasks import Attempt, Key
from commons.domain.usage import Reading

_TRIES = 5


class LedgerTable:
    def __init__(self, table: Any) -> None:
        self._table = table
        self._totals = TotalsTable(table)

    def record(
        self,
        place: Place,
        attempts: Iterable[Attempt],
        readings: Iterable[tuple[str, Reading]],
        now: datetime,
    ) -> None:
        """Merge into the ledger what events tell of one namespace, and count its days again.

        Raises ChangedMeanwhile if others wrote the same attempt again and again.
        """
        self._table.put_item(Item={"pk": f"CLUSTER#{place.cluster}", "sk": f"NS#{place.namespace}"})
        fresh = [each for each in dict.fromkeys(readings) if self._add(place, *each)]
        days = self._days_under(place, fresh)
        for attempt in tasks.fold(attempts).values():
            days |= set(self._merge(place, attempt, now))
        self._to_finish(place, days, now)
        self._totals.count(place, days, now)
        for instance_type, reading in fresh:
            self._table.update_item(
                Key={"pk": place.pk, "sk": items.reading_sk(instance_type, reading.since)},
                UpdateExpression="SET counted = :yes",
                ExpressionAttributeValues={":yes": True},
            )

    def namespaces_in_use(self, cluster: str) -> dict[str, list[Key]]:
        """Attempts that hold devices now, by namespace."""
        found = query(self._table, Where("pk").eq(f"OPEN#{cluster}"))
        grouped = groupby(found, key=lambda item: item["sk"].partition("#")[0])
        return {name: [items.key_of(item["sk"]) for item in group] for name, group in grouped}

    def refresh(self, place: Place, keys: Iterable[Key], now: datetime) -> None:
        """Carry attempts that still run on to `now`, over midnight too."""
        carried: list[Attempt] = []
        days: set[date] = set()
        for key in keys:
            item = self._get(place.pk, items.attempt_sk(key))
            if item and item["covered"]:
                attempt = items.attempt_from(item)
                last = date.fromisoformat(item["covered"][-1])
                fresh = [day for day in ledger.days_of(attempt, now) if day >= last]
                self._point(place, key, fresh)
                days |= set(fresh)
                carried.append(attempt)
        self._totals.count(place, days, now)
        # only now: an attempt that says "covered to today" is never asked about yesterday again
        for attempt in carried:
            self._merge(place, attempt, now)

    def unfinished(self, cluster: str, now: datetime) -> list[tuple[Place, date]]:
        """Days that are over and were last counted before they were."""
        today = now.astimezone(UTC).date().isoformat()
        over = Where("pk").eq(f"UNFINISHED#{cluster}") & Where("sk").lt(today)
        found = [item["sk"].split("#", 1) for item in query(self._table, over)]
        return [(Place(cluster, name), date.fromisoformat(day)) for day, name in found]

    def finish(self, place: Place, day: date, now: datetime) -> None:
        """Count a day that is over for the last time, unless a late event touches it."""
        self._totals.count(place, [day], now)
        self._table.delete_item(Key=_unfinished_key(place, day))

    def _to_finish(self, place: Place, days: Iterable[date], now: datetime) -> None:
        today = now.astimezone(UTC).date()
        for day in days:
            if day >= today:
                self._table.put_item(Item=_unfinished_key(place, day))

    def _merge(self, place: Place, new: Attempt, now: datetime) -> list[date]:
        """Write the attempt as it is known now; the days whose totals it may change."""
        for _ in range(_TRIES):
            item = self._get(place.pk, items.attempt_sk(new.key)) or {}
            known = items.attempt_from(item) if item else None
            merged = known.merge(new) if known else new
            # a day that was once counted stays covered: its total must shrink with the attempt
            seen = [date.fromisoformat(day) for day in item.get("covered", [])]
            days = ledger.covering([*seen, *ledger.days_of(merged, now)])
            covered = [day.isoformat() for day in (*days[:1], *days[-1:])]
            same = known == merged and covered == item.get("covered")
            if same or self._write(place, merged, covered, int(item.get("changes", 0))):
                self._point(place, merged.key, days)
                return days
        raise _too_often(place, f"attempt {new.number} of {new.uid}")

    def _write(self, place: Place, attempt: Attempt, covered: list[str], changes: int) -> bool:
        key = {"pk": place.pk, "sk": items.attempt_sk(attempt.key)}
        content = {**key, **items.attempt_item(attempt), "covered": covered, "changes": changes + 1}
        open_key = {
            "pk": f"OPEN#{place.cluster}",
            "sk": f"{place.namespace}#{attempt.uid}#{attempt.number}",
        }
        return transact(
            self._table,
            {"Put": {"Item": content, **_unchanged(changes)}},
            {"Put": {"Item": open_key}} if attempt.open else {"Delete": {"Key": open_key}},
            _next_revision(place),
        )

    def _point(self, place: Place, key: Key, days: Sequence[date]) -> None:
        with self._table.batch_writer() as batch:
            for day in days:
                batch.put_item(Item={"pk": place.pk, "sk": items.pointer_sk(day, key)})

    def _add(self, place: Place, instance_type: str, reading: Reading) -> bool:
        """Remember a reading; False if the totals already know it."""
        key = {"pk": place.pk, "sk": items.reading_sk(instance_type, reading.since)}
        for _ in range(_TRIES):
            known = self._get(key["pk"], key["sk"])
            if known:
                return not known.get("counted")
            put = {"Put": {"Item": {**key, "devices": reading.devices}}}
            if transact(self._table, put, _next_revision(place)):
                return True
        raise _too_often(place, f"the ceiling of {instance_type}")

    def _days_under(self, place: Place, fresh: Sequence[tuple[str, Reading]]) -> set[date]:
        """Days in use on which one of the readings can be in force."""
        ceilings = self._totals.ceilings(place) if fresh else {}
        spans = [ledger.reach(reading, ceilings[name]) for name, reading in fresh]
        return {day for span in spans for day in self._totals.days_in_use(place, *span)}

    def _get(self, pk: str, sk: str) -> Item | None:
        answer = self._table.get_item(Key={"pk": pk, "sk": sk}, ConsistentRead=True)
        item: Item | None = answer.get("Item")
        return item


def _unfinished_key(place: Place, day: date) -> Item:
    return {"pk": f"UNFINISHED#{place.cluster}", "sk": f"{day.isoformat()}#{place.namespace}"}


def _unchanged(changes: int) -> Item:
    if not changes:
        return {"ConditionExpression": "attribute_not_exists(pk)"}
    return {
        "ConditionExpression": "changes = :seen",
        "ExpressionAttributeValues": {":seen": changes},
    }


def _next_revision(place: Place) -> Item:
    return {
        "Update": {
            "Key": {"pk": place.pk, "sk": "REVISION"},
            "UpdateExpression": "ADD revision :one",
            "ExpressionAttributeValues": {":one": 1},
        }
    }


def _too_often(place: Place, what: str) -> ChangedMeanwhile:
    return ChangedMeanwhile(f"In {place.namespace} others wrote {what} {_TRIES} times meanwhile")
