"""Attempts: any order, any repetition, the same ledger."""

from datetime import datetime
from decimal import Decimal
from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from commons.domain import tasks
from commons.domain.task_events import State, TaskStateChanged
from commons.domain.tasks import Attempt, Key
from commons.domain.usage import Interval
from tests.unit.tasks_support import NOW, P5, at, detail


def attempts(*details: dict[str, Any]) -> dict[Key, Attempt]:
    events = [TaskStateChanged.model_validate(each) for each in details]
    return tasks.fold(each for e in events if (each := tasks.attempt_of(e)) is not None)


def only(*details: dict[str, Any]) -> Attempt:
    (attempt,) = attempts(*details).values()
    return attempt


def spans(found: dict[Key, Attempt], as_of: datetime = NOW) -> list[tuple[str, str, int]]:
    got = tasks.intervals(found.values(), P5, as_of)
    return sorted((f"{i.start:%H:%M}", f"{i.end:%H:%M}", int(i.devices)) for i in got)


def test_ts_02_the_same_event_several_times_counts_once() -> None:
    once = attempts(detail("Admitted", "10:00"), detail("Finished", "11:00"))
    many = attempts(*[detail("Admitted", "10:00")] * 3, *[detail("Finished", "11:00")] * 2)
    assert once == many
    assert spans(once) == [("10:00", "11:00", 8)]


def test_ts_03_an_end_without_a_start_counts_nothing_and_is_an_anomaly() -> None:
    found = only(detail("Finished", "11:00", previousState=""))
    assert tasks.intervals([found], P5, NOW) == []
    assert found.anomalies[0].startswith("StartUnknown")
    assert not found.open


def test_a_task_that_ended_while_it_waited_is_no_anomaly() -> None:
    assert only(detail("Finished", "11:00", previousState="Pending")).anomalies == []


def test_ts_04_evicted_and_run_again_are_two_intervals() -> None:
    story = (
        detail("Pending", "09:00"),
        detail("Admitted", "10:00"),
        detail("Evicted", "10:10", reason="PodsReadyTimeout"),
        detail("Admitted", "10:40", attempt=2),
        detail("Finished", "11:00", attempt=2, reason="Succeeded"),
    )
    for order in permutations(story):
        found = attempts(*order)
        assert spans(found) == [("10:00", "10:10", 8), ("10:40", "11:00", 8)]
        assert [each.state for _, each in sorted(found.items())] == ["Evicted", "Finished"]


def test_ts_05_equal_times_are_ordered_by_the_version_as_a_number() -> None:
    def version(number: str, reason: str) -> dict[str, Any]:
        workload = {"name": "train-1", "uid": "uid-1", "resourceVersion": number}
        return detail("Finished", "11:00", workload=workload, reason=reason)

    for older, newer in (("999", "1000"), ("999999", "1000000"), ("opaque", "1")):
        for order in permutations([version(older, "Older"), version(newer, "Newer")]):
            assert only(*order).newest.reason == "Newer"


def test_ts_06_a_late_failure_of_an_old_attempt_changes_that_attempt_only() -> None:
    found = attempts(
        detail("Admitted", "10:00"),
        detail("Admitted", "10:40", attempt=2),
        detail("Finished", "11:00", attempt=2, reason="Succeeded"),
        detail("Finished", "10:30", attempt=1, reason="Failed"),
        detail("Finished", "10:50", attempt=2, reason="Failed"),
    )
    assert found[Key("uid-1", 2)].newest.reason == "Succeeded"
    assert found[Key("uid-1", 1)].newest.reason == "Failed"
    assert spans(found) == [("10:00", "10:30", 8), ("10:40", "11:00", 8)]


def test_a_task_that_finishes_long_after_its_eviction_held_nothing_in_between() -> None:
    found = attempts(
        detail("Admitted", "10:00"),
        detail("Evicted", "10:10"),
        detail("Finished", "12:00", previousState="Evicted", reason="OwnerNotFound"),
    )
    assert spans(found) == [("10:00", "10:10", 8)]
    assert found[Key("uid-1", 1)].state is State.FINISHED


def test_what_kubernetes_dates_replaces_an_estimate() -> None:
    gone = detail("Finished", "11:01", reason="ObjectGone", estimated=True)
    real = detail("Finished", "10:59", reason="Succeeded")
    for order in permutations([detail("Admitted", "10:00"), gone, real]):
        assert spans(attempts(*order)) == [("10:00", "10:59", 8)]
    assert spans(attempts(detail("Admitted", "10:00"), gone)) == [("10:00", "11:01", 8)]
    assert only(detail("Admitted", "10:00"), gone).estimated


def test_an_end_before_the_start_is_no_time_and_an_anomaly() -> None:
    found = only(detail("Admitted", "10:00"), detail("Evicted", "09:00"))
    assert spans({found.key: found}) == [("10:00", "10:00", 8)]
    assert found.anomalies[0].startswith("EndBeforeStart")


def test_a_running_task_counts_up_to_now() -> None:
    found = only(detail("Admitted", "10:00"))
    assert found.open
    assert tasks.intervals([found], P5, at("13:00")) == [
        Interval(at("10:00"), at("13:00"), Decimal(8))
    ]
    assert spans({found.key: found}, at("09:00")) == [("10:00", "10:00", 8)]


def test_an_eviction_without_resources_keeps_what_was_admitted() -> None:
    found = attempts(detail("Admitted", "10:00"), detail("Evicted", "10:30", resources=None))
    assert spans(found) == [("10:00", "10:30", 8)]
    late = attempts(detail("Admitted", "10:00", resources=None), detail("Evicted", "10:30"))
    assert spans(late) == [("10:00", "10:30", 8)]


def test_unknown_devices_and_unknown_types_are_flagged_not_refused() -> None:
    nothing = only(detail("Admitted", "10:00", resources=None))
    assert nothing.anomalies[0].startswith("DevicesUnknown")
    strange = only(detail("Admitted", "10:00", devices={"ml.p9.48xlarge": 8}))
    assert strange.anomalies == [
        "UnknownInstanceType: ml.p9.48xlarge is counted as it was asked for"
    ]
    assert only(detail("Admitted", "10:00")).anomalies == []


def test_the_newest_event_says_what_the_task_is() -> None:
    moved = detail("Evicted", "10:30", queueName="other-queue")
    for order in permutations([detail("Admitted", "10:00"), moved]):
        about = only(*order).about
        assert (about.queue, about.owner_kind, about.team) == ("other-queue", "Job", "vision")


states = st.sampled_from(["Pending", "QuotaReserved", "Admitted", "Evicted", "Finished"])
events = st.builds(
    lambda state, minute, attempt, uid, version, estimated, gpus: detail(
        state,
        f"{10 + minute // 60}:{minute % 60:02}",
        attempt=attempt,
        workload={"name": uid, "uid": uid, "resourceVersion": version},
        estimated=estimated,
        devices={P5: gpus},
    ),
    states,
    st.integers(0, 200),
    st.integers(1, 2),
    st.sampled_from(["uid-1", "uid-2"]),
    st.sampled_from(["9", "10"]),
    st.booleans(),
    st.integers(0, 16),
)


@given(st.lists(events, max_size=8), st.randoms())
def test_shuffled_and_doubled_delivery_gives_the_same_ledger(
    details: list[dict[str, Any]], random: Any
) -> None:
    expected = attempts(*details)
    again = details + details[::2]
    random.shuffle(again)
    assert attempts(*again) == expected


@given(st.lists(events, max_size=8), st.integers(0, 8))
def test_merging_parts_is_merging_all(details: list[dict[str, Any]], cut: int) -> None:
    parts = [attempts(*details[:cut]), attempts(*details[cut:])]
    assert tasks.fold(each for part in parts for each in part.values()) == attempts(*details)


@given(st.lists(events, max_size=8))
def test_nothing_is_ever_held_for_less_than_no_time(details: list[dict[str, Any]]) -> None:
    assert all(i.end >= i.start for i in tasks.intervals(attempts(*details).values(), P5, NOW))
