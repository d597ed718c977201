"""The ledger in DynamoDB: repetition, any order, midnight, workers that race or die."""

import random
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.conditions import Key as Where
from moto import mock_aws

from commons.adapters.ledger_items import Place
from commons.adapters.ledger_table import LedgerTable
from commons.adapters.usage_table import UsageTable
from commons.domain import tasks
from commons.domain.errors import ChangedMeanwhile
from commons.domain.task_events import TaskStateChanged
from commons.domain.tasks import Attempt, Key
from commons.domain.usage import Reading
from tests.adapters.usage_support import usage_table
from tests.unit.tasks_support import CLUSTER, NAMESPACE, NOW, P5, at, detail

PLACE = Place(CLUSTER, NAMESPACE)
FIRST, LAST = date(2026, 9, 1), date(2026, 10, 31)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        yield usage_table()


def attempt(state: str, time: str, **changes: Any) -> Attempt:
    found = tasks.attempt_of(TaskStateChanged.model_validate(detail(state, time, **changes)))
    assert found is not None
    return found


def record(table: Any, *attempts: Attempt, ceilings: Any = (), now: datetime = NOW) -> None:
    LedgerTable(table).record(PLACE, attempts, ceilings, now)


def hours(table: Any) -> dict[str, tuple[Decimal, Decimal]]:
    """(own, borrowed) by day."""
    found = UsageTable(table).daily_usage(CLUSTER, FIRST, LAST)
    assert all(each.own + each.borrowed == each.held for each in found)
    return {each.day.isoformat(): (each.own, each.borrowed) for each in found}


def everything(table: Any) -> list[dict[str, Any]]:
    """All items without what counts how often something was written."""
    found = sorted(table.scan()["Items"], key=lambda item: (item["pk"], item["sk"]))
    return [
        {k: v for k, v in item.items() if k not in ("revision", "changes", "covered")}
        for item in found
        if not item["sk"].startswith("ON#")
        and item.get("held") != 0
        # whether a day was counted too early depends on when, not on what
        and not item["pk"].startswith("UNFINISHED#")
    ]


def test_ts_02_repeated_events_leave_the_ledger_of_one_delivery(table: Any) -> None:
    for _ in range(3):
        record(table, attempt("Admitted", "10:00"))
    for _ in range(2):
        record(table, attempt("Finished", "11:30"))
    assert hours(table) == {"2026-10-02": (Decimal(12), Decimal(0))}
    assert len(table.query(KeyConditionExpression=Where("pk").eq(f"OPEN#{CLUSTER}"))["Items"]) == 0
    (item,) = table.query(
        KeyConditionExpression=Where("pk").eq(PLACE.pk) & Where("sk").begins_with("ATTEMPT#")
    )["Items"]
    assert (item["changes"], item["state"]) == (2, "Finished")
    assert (item["start"], item["end"]) == (at("10:00").isoformat(), at("11:30").isoformat())


def test_a_repeated_event_writes_no_attempt_again(table: Any) -> None:
    record(table, attempt("Admitted", "10:00"), now=at("12:00"))
    before = table.get_item(Key={"pk": PLACE.pk, "sk": "REVISION"})["Item"]
    record(table, attempt("Admitted", "10:00"), now=at("12:00"))
    assert table.get_item(Key={"pk": PLACE.pk, "sk": "REVISION"})["Item"] == before


def test_shuffled_and_doubled_delivery_leaves_the_same_ledger(table: Any) -> None:
    def story() -> list[tuple[list[Attempt], list[tuple[str, Reading]]]]:
        low, high = Reading(at("10:00"), Decimal(4)), Reading(at("22:00"), Decimal(16))
        other = {"workload": {"name": "b", "uid": "uid-2", "resourceVersion": "1"}}
        return [
            ([attempt("Admitted", "10:00")], [(P5, low)]),
            ([attempt("Evicted", "12:00")], [(P5, low)]),
            ([attempt("Admitted", "20:00", attempt=2)], [(P5, high)]),
            ([attempt("Finished", "2026-10-04T04:00:00", attempt=2)], [(P5, high)]),
            ([attempt("Admitted", "21:00", **other)], []),
            ([attempt("Finished", "23:00", **other)], []),
        ]

    for attempts, ceilings in story():
        record(table, *attempts, ceilings=ceilings)
    expected = everything(table)
    assert hours(table) == {
        # 4 own from 10 to 12; 4 of 8, then of 16, until 22:00, then all of 16 are own
        "2026-10-02": (Decimal(8 + 4 * 2 + 16 + 8), Decimal(8 + 4 + 12)),
        "2026-10-03": (Decimal(192), Decimal(0)),
        "2026-10-04": (Decimal(32), Decimal(0)),
    }
    chance = random.Random(7)  # noqa: S311 - a reproducible shuffle
    for _ in range(4):
        for item in table.scan()["Items"]:
            table.delete_item(Key={"pk": item["pk"], "sk": item["sk"]})
        shuffled = story() + story()[::2]
        chance.shuffle(shuffled)
        for attempts, ceilings in shuffled:
            record(table, *attempts, ceilings=ceilings)
        assert everything(table) == expected


def test_what_still_runs_is_carried_over_midnight_by_the_refresh(table: Any) -> None:
    ledger = LedgerTable(table)
    record(table, attempt("Admitted", "22:00"), now=at("23:00"))
    assert hours(table) == {"2026-10-02": (Decimal(8), Decimal(0))}
    assert ledger.namespaces_in_use(CLUSTER) == {NAMESPACE: [Key("uid-1", 1)]}
    ledger.refresh(PLACE, [Key("uid-1", 1)], at("2026-10-04T06:00:00"))
    assert [own for own, _ in hours(table).values()] == [16, 192, 48]
    record(table, attempt("Finished", "2026-10-03T01:00:00"), now=at("2026-10-04T07:00:00"))
    assert [own for own, _ in hours(table).values()] == [16, 8]
    assert ledger.namespaces_in_use(CLUSTER) == {}
    ledger.refresh(PLACE, [Key("uid-1", 1)], at("2026-10-05T06:00:00"))
    assert [own for own, _ in hours(table).values()] == [16, 8]


def test_a_refresh_that_dies_before_it_counts_is_made_good_by_the_next(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(table, attempt("Admitted", "22:00"), now=at("23:00"))
    broken = LedgerTable(table)

    def dies(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(broken._totals, "count", dies)
    with pytest.raises(OSError):  # noqa: PT011 - it has no text
        broken.refresh(PLACE, [Key("uid-1", 1)], at("2026-10-03T06:00:00"))
    LedgerTable(table).refresh(PLACE, [Key("uid-1", 1)], at("2026-10-03T06:00:00"))
    assert [own for own, _ in hours(table).values()] == [16, 48]


def test_a_record_that_dies_before_it_counts_is_made_good_by_the_redelivery(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ceiling = [(P5, Reading(at("10:00"), Decimal(2)))]
    record(table, attempt("Admitted", "10:00"), now=at("2026-10-04T12:00:00"))
    broken = LedgerTable(table)

    def dies(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(broken._totals, "count", dies)
    end = attempt("Finished", "11:00")
    with pytest.raises(OSError):  # noqa: PT011 - it has no text
        broken.record(PLACE, [end], ceiling, at("2026-10-04T12:00:00"))
    record(table, end, ceilings=ceiling, now=at("2026-10-04T12:10:00"))
    assert list(hours(table).values()) == [(2, 6)]


def test_the_earliest_reading_holds_before_it_and_a_later_one_only_from_its_moment(
    table: Any,
) -> None:
    record(table, attempt("Admitted", "10:00"), attempt("Finished", "14:00"))
    assert hours(table) == {"2026-10-02": (Decimal(32), Decimal(0))}
    record(table, ceilings=[(P5, Reading(at("2026-10-09T00:00:00"), Decimal(6)))])
    assert hours(table) == {"2026-10-02": (Decimal(24), Decimal(8))}
    record(table, ceilings=[(P5, Reading(at("13:00"), Decimal(0)))])
    assert hours(table) == {"2026-10-02": (Decimal(0), Decimal(32))}
    record(table, ceilings=[(P5, Reading(at("12:00"), Decimal(8)))])
    assert hours(table) == {"2026-10-02": (Decimal(24), Decimal(8))}


def test_a_total_made_from_an_older_revision_does_not_replace_a_newer_one(table: Any) -> None:
    record(table, attempt("Admitted", "10:00"), now=at("11:00"))
    slow = LedgerTable(table)
    read_revision = slow._totals.ceilings

    def overtaken(place: Place) -> Any:
        record(table, attempt("Finished", "10:30"), now=at("11:00"))
        slow._totals._attempts_on = lambda *_: [attempt("Admitted", "10:00")]  # type: ignore[method-assign]
        return read_revision(place)

    slow._totals.ceilings = overtaken  # type: ignore[method-assign]
    slow._totals.count(PLACE, [date(2026, 10, 2)], at("12:00"))
    assert hours(table) == {"2026-10-02": (Decimal(4), Decimal(0))}


def test_an_older_clock_does_not_replace_a_total_of_the_same_revision(table: Any) -> None:
    record(table, attempt("Admitted", "10:00"), now=at("12:00"))
    LedgerTable(table)._totals.count(PLACE, [date(2026, 10, 2)], at("11:00"))
    assert hours(table) == {"2026-10-02": (Decimal(16), Decimal(0))}


def test_an_attempt_that_others_write_at_the_same_time_is_merged_not_lost(table: Any) -> None:
    ledger = LedgerTable(table)
    read = ledger._get
    raced = []

    def race(pk: str, sk: str) -> Any:
        item = read(pk, sk)
        if sk.startswith("ATTEMPT#") and not raced:
            raced.append(True)
            record(table, attempt("Admitted", "10:00"))
        return item

    ledger._get = race  # type: ignore[method-assign]
    ledger.record(PLACE, [attempt("Finished", "11:00")], [], NOW)
    assert hours(table) == {"2026-10-02": (Decimal(8), Decimal(0))}


def test_giving_up_is_said(table: Any) -> None:
    ledger = LedgerTable(table)
    record(table, attempt("Admitted", "10:00"))
    ledger._get = lambda *_: None  # type: ignore[method-assign]
    with pytest.raises(ChangedMeanwhile, match="uid-1"):
        ledger.record(PLACE, [attempt("Finished", "11:00")], [], NOW)


def test_more_attempts_in_a_day_than_one_read_takes(table: Any) -> None:
    many = [
        attempt("Admitted", "10:00", workload={"name": "t", "uid": f"uid-{n}"}) for n in range(130)
    ]
    ends = [
        attempt("Finished", "11:00", workload={"name": "t", "uid": f"uid-{n}"}) for n in range(130)
    ]
    record(table, *many, *ends)
    assert hours(table) == {"2026-10-02": (Decimal(8 * 130), Decimal(0))}


def test_a_day_counted_before_it_was_over_is_counted_once_more_after_it(table: Any) -> None:
    ledger = LedgerTable(table)
    record(table, attempt("Admitted", "10:00"), attempt("Finished", "11:00"), now=at("12:00"))
    assert ledger.unfinished(CLUSTER, at("23:59")) == []
    midnight = at("2026-10-03T00:05:00")
    assert ledger.unfinished(CLUSTER, midnight) == [(PLACE, date(2026, 10, 2))]
    ledger.finish(PLACE, date(2026, 10, 2), midnight)
    assert ledger.unfinished(CLUSTER, midnight) == []
    (day,) = UsageTable(table).daily_usage(CLUSTER, FIRST, LAST)
    assert (day.held, day.as_of) == (8, midnight)


def test_a_day_that_was_over_when_it_was_counted_is_finished(table: Any) -> None:
    record(table, attempt("Admitted", "10:00"), attempt("Finished", "11:00"), now=NOW)
    assert LedgerTable(table).unfinished(CLUSTER, NOW) == []
