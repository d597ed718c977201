"""Device-hours are exact, conserved, carried across midnight and the same in every time zone."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain import usage
from commons.domain.usage import DeviceHours, Interval, Reading

START = datetime(2026, 10, 1, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text + "Z")


def hours(held: str, own: str, borrowed: str) -> DeviceHours:
    return DeviceHours(held=Decimal(held), own=Decimal(own), borrowed=Decimal(borrowed))


def on(day: str, *intervals: Interval, ceilings: tuple[Reading, ...] = ()) -> DeviceHours:
    return usage.device_hours(intervals, ceilings, *usage.day_bounds(date.fromisoformat(day)))


def test_a_job_over_two_midnights_gets_each_day_its_share() -> None:
    job = Interval(at("2026-10-02T14:00:00"), at("2026-10-04T10:00:00"), Decimal(8))
    assert [on(f"2026-10-0{n}", job).held for n in range(1, 6)] == [0, 80, 192, 80, 0]


def test_what_is_above_the_own_ceiling_is_borrowed_from_that_moment_on() -> None:
    first = Interval(at("2026-10-02T00:00:00"), at("2026-10-03T00:00:00"), Decimal(8))
    second = Interval(at("2026-10-02T12:00:00"), at("2026-10-03T00:00:00"), Decimal(8))
    ceiling = Reading(at("2026-10-01T00:00:00"), Decimal(8))
    assert on("2026-10-02", first, second, ceilings=(ceiling,)) == hours("288", "192", "96")


def test_qu_12_own_and_borrowed_use_are_kept_apart() -> None:
    own = Interval(at("2026-10-02T10:00:00"), at("2026-10-02T12:00:00"), Decimal(4))
    more = Interval(at("2026-10-02T10:00:00"), at("2026-10-02T11:00:00"), Decimal(2))
    ceiling = (Reading(at("2026-10-02T00:00:00"), Decimal(4)),)
    assert on("2026-10-02", own, more, ceilings=ceiling) == hours("10", "8", "2")
    other = Interval(at("2026-10-02T11:00:00"), at("2026-10-02T12:00:00"), Decimal(4))
    assert on("2026-10-02", other, ceilings=ceiling) == hours("4", "4", "0")


def test_a_changed_ceiling_holds_from_its_moment_and_the_first_one_before_it() -> None:
    job = Interval(at("2026-10-02T10:00:00"), at("2026-10-02T14:00:00"), Decimal(8))
    readings = (
        Reading(at("2026-10-02T13:00:00"), Decimal(8)),
        Reading(at("2026-10-02T12:00:00"), Decimal(2)),
    )
    assert on("2026-10-02", job, ceilings=readings) == hours("32", "14", "18")


def test_without_a_queue_everything_is_own_and_with_a_ceiling_of_zero_everything_is_borrowed() -> (
    None
):
    job = Interval(at("2026-10-02T10:00:00"), at("2026-10-02T11:00:00"), Decimal(8))
    assert on("2026-10-02", job) == hours("8", "8", "0")
    assert on("2026-10-02", job, ceilings=(Reading(START, Decimal(0)),)) == hours("8", "0", "8")


def test_hours_have_ten_places() -> None:
    job = Interval(at("2026-10-02T10:00:00"), at("2026-10-02T10:00:01"), Decimal(1))
    assert on("2026-10-02", job).held == Decimal("0.0002777778")


moments = st.integers(0, 4 * 86_400).map(lambda seconds: START + timedelta(seconds=seconds))
devices = st.decimals(0, 1000, places=2)
readings = st.lists(st.builds(Reading, moments, devices), max_size=4)
spans = st.builds(lambda a, b, n: Interval(min(a, b), max(a, b), n), moments, moments, devices)


@given(st.lists(spans, max_size=6), readings)
def test_own_and_borrowed_are_held_and_never_negative(
    intervals: list[Interval], ceilings: list[Reading]
) -> None:
    for day in usage.utc_days(START, START + timedelta(days=5)):
        got = usage.device_hours(intervals, ceilings, *usage.day_bounds(day))
        assert got.own + got.borrowed == got.held
        assert min(got.own, got.borrowed) >= 0
        assert all(-value.as_tuple().exponent <= 10 for value in (got.held, got.own))


@given(st.lists(spans, max_size=6), readings)
def test_the_days_together_are_the_whole(
    intervals: list[Interval], ceilings: list[Reading]
) -> None:
    days = usage.utc_days(START, START + timedelta(days=5))
    parts = [usage.device_hours(intervals, ceilings, *usage.day_bounds(day)) for day in days]
    seconds = sum(
        (Decimal((i.end - i.start).total_seconds()) * i.devices for i in intervals), Decimal(0)
    )
    rounding = Decimal("1e-10") * len(days)
    assert abs(sum(part.held for part in parts) - seconds / 3600) <= rounding
    whole = usage.device_hours(intervals, ceilings, START, START + timedelta(days=5))
    assert abs(sum(part.borrowed for part in parts) - whole.borrowed) <= rounding


@given(st.lists(spans, max_size=5), readings, st.randoms())
def test_the_order_of_intervals_and_readings_does_not_matter(
    intervals: list[Interval], ceilings: list[Reading], random: object
) -> None:
    unique = list({reading.since: reading for reading in ceilings}.values())
    bounds = usage.day_bounds(START.date() + timedelta(days=1))
    expected = usage.device_hours(intervals, unique, *bounds)
    random.shuffle(intervals)  # type: ignore[attr-defined]
    random.shuffle(unique)  # type: ignore[attr-defined]
    assert usage.device_hours(intervals, unique, *bounds) == expected


@pytest.fixture(params=["America/New_York", "Asia/Tokyo", "UTC"])
def time_zone(request: pytest.FixtureRequest) -> Iterator[str]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield request.param
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def test_cb_26_days_and_months_are_utc_in_every_time_zone(time_zone: str) -> None:
    edge = Interval(at("2025-03-31T23:30:00"), at("2025-04-01T00:30:00"), Decimal(1))
    assert on("2025-03-31", edge).held == on("2025-04-01", edge).held == Decimal("0.5")
    assert usage.utc_days(edge.start, edge.end) == [date(2025, 3, 31), date(2025, 4, 1)]
    for day in ("2025-03-09", "2025-11-02"):
        start, end = usage.day_bounds(date.fromisoformat(day))
        assert on(day, Interval(start, end, Decimal(1))).held == 24


def test_days_of_an_interval() -> None:
    assert usage.utc_days(at("2026-10-02T00:00:00"), at("2026-10-03T00:00:00")) == [
        date(2026, 10, 2)
    ]
    assert usage.utc_days(at("2026-10-02T05:00:00"), at("2026-10-02T05:00:00")) == [
        date(2026, 10, 2)
    ]
    assert len(usage.utc_days(at("2026-10-02T23:59:59"), at("2026-10-04T00:00:01"))) == 3


def test_the_days_of_a_period() -> None:
    assert usage.month("2026-12") == (date(2026, 12, 1), date(2026, 12, 31))
    assert usage.month("2028-02") == (date(2028, 2, 1), date(2028, 2, 29))
