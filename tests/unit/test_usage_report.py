"""States of queues and pods become exact device-hours, whatever files they came in."""

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain import usage
from commons.domain.instance_types import CPU, NEURON_CORE, NVIDIA
from commons.domain.usage import Interval, Reading
from commons.domain.usage_coverage import gaps, known_until
from commons.domain.usage_found import Gap, NamespaceUse
from commons.domain.usage_report import HOLD, PodRun, QueueRun, Window, integrate
from commons.domain.usage_warnings import Held, doubts
from tests.unit.report_support import P5, A, B, at, gpus, held, hours, october, pod, queue


def test_a_job_over_two_midnights_gets_each_day_its_share() -> None:
    """AWS's own totals of this are 192, 0 and 0."""
    runs = [queue("02T14:00", 8), queue("04T10:00", 0)]
    assert held(integrate(runs, [], october(1, 5))) == {2: 80, 3: 192, 4: 80}


def test_borrowed_use_counts_from_its_moment_on() -> None:
    """AWS's own total of this is 192 borrowed."""
    runs = [queue("01T20:00", 8), queue("02T12:00", 16, 8), queue("03T00:00", 0)]
    [use] = integrate(runs, [], october(2, 2))
    assert (use.own, use.borrowed, use.team, use.outside_quota) == (192, 96, "team-a", False)


def test_what_was_held_before_the_window_is_carried_into_it() -> None:
    assert held(integrate([queue("01T09:00", 8)], [], october(3, 4))) == {3: 192, 4: 192}


def test_a_state_that_nobody_repeats_ends() -> None:
    forgotten = queue("2026-09-03T06:00", 8)
    assert held(integrate([forgotten], [], october(1, 31))) == {1: 192, 2: 192, 3: 192, 4: 48}
    repeated = queue("2026-09-03T06:00", 8, seen="04T00:00")
    assert sum(held(integrate([repeated], [], october(1, 31))).values()) == 31 * 192


def test_a_state_ends_though_another_comes_long_after() -> None:
    runs = [queue("2026-09-03T06:00", 8), queue("20T00:00", 2)]
    assert held(integrate(runs, [], october(1, 20))) == {1: 192, 2: 192, 3: 192, 4: 48, 20: 48}


def test_types_and_teams_of_one_namespace_are_queues_of_their_own() -> None:
    runs = [queue("02T00:00", 8), queue("02T06:00", 4, instance_type="ml.g5.48xlarge")]
    runs.append(queue("02T12:00", 1)._replace(team="other"))
    uses = integrate(runs, [], october(2, 2))
    assert {(u.instance_type, u.team): u.own for u in uses} == {
        (P5, "team-a"): 192,
        ("ml.g5.48xlarge", "team-a"): 72,
        (P5, "other"): 12,
    }


def test_a_queue_of_no_namespace_is_told_and_charged_to_nobody() -> None:
    assert integrate([queue("02T00:00", 8, namespace="")], [], october(2, 2)) == ()
    assert doubts([Held("", P5, gpus(8)), Held("", P5, gpus(0))], []) == (
        f"{P5}: a queue of no namespace held devices, which are charged to nobody",
    )


def test_nothing_is_carried_past_what_is_known() -> None:
    now = at("03T06:00")
    assert held(integrate([queue("02T00:00", 8)], [], october(1, 31, now))) == {2: 192, 3: 48}
    heartbeats = [at("02T10:00"), at("03T05:10"), at("04T00:00")]
    assert known_until(date(2026, 10, 3), heartbeats[:2]) == at("03T05:10")
    assert known_until(date(2026, 10, 3), heartbeats[:1]) == at("03T00:00")
    assert known_until(date(2026, 10, 3), heartbeats) == at("04T00:00")


def test_the_later_of_two_records_counts_whatever_their_order() -> None:
    runs = [queue("02T06:00", 4), queue("02T00:00", 8), queue("02T12:00", 0)]
    assert held(integrate(runs, [], october(2, 2))) == {2: 48 + 24}


def test_pods_of_a_namespace_without_a_queue_are_use_outside_every_quota() -> None:
    pods = [pod("02T00:00", 8), pod("02T03:00", 0), pod("02T00:00", 1, name="pod-1")]
    [use] = integrate([], pods, october(2, 2))
    assert (use.namespace, use.team, use.own, use.borrowed) == ("research", "", 48, 0)
    assert use.outside_quota


def test_a_namespace_is_counted_by_its_queue_or_by_its_pods_and_never_by_both() -> None:
    pods = [pod("02T00:00", 8, namespace=A), pod("02T00:00", 2)]
    uses = integrate([queue("02T12:00", 8)], [*pods, pod("02T18:00", 0)], october(2, 2))
    assert [(u.namespace, u.own, u.outside_quota) for u in uses] == [
        (A, 96, True),  # before there was a queue
        (A, 96, False),
        ("research", 36, True),
    ]
    idle = integrate([queue("01T00:00", 0)], pods, october(2, 2))
    assert [u.namespace for u in idle] == ["research"]


def test_a_node_is_counted_by_its_one_dominant_resource() -> None:
    def uses(instance_type: str, **amounts: int) -> Decimal:
        names = {"gpu": NVIDIA, "cores": NEURON_CORE, "cpu": CPU}
        total = tuple((names[name], Decimal(amount)) for name, amount in amounts.items())
        run = QueueRun(A, "a", instance_type, at("02T00:00"), at("02T00:00"), total, ())
        return sum(held(integrate([run], [], october(2, 2))).values(), Decimal(0)) / 24

    assert uses(P5, gpu=8, cpu=96, cores=0) == 8
    assert uses("ml.trn1.32xlarge", gpu=0, cpu=64, cores=8) == 4
    assert uses("ml.trn2.48xlarge", gpu=0, cpu=64, cores=8) == 1
    assert uses("ml.c5.4xlarge", gpu=0, cpu=12, cores=0) == 12


def test_cb_16_slices_are_parts_of_a_gpu_and_what_nobody_knows_is_told() -> None:
    slices = (("nvidia.com/mig-3g.40gb", Decimal(7)), (CPU, Decimal(10)))
    run = QueueRun(A, "a", P5, at("02T00:00"), at("02T00:00"), slices, ())
    assert held(integrate([run], [], october(2, 2))) == {2: 72}
    assert doubts([Held(A, P5, slices)], []) == ()
    odd = (("habana_gaudi", Decimal(8)), (CPU, Decimal(96)))
    kind, resource = doubts([], [Held(A, "ml.dl9.24xlarge", odd)])
    assert "habana_gaudi: the report counts something" in kind
    assert "ml.dl9.24xlarge: the product has no figures" in resource


def test_cb_16_vcpus_alone_on_a_node_with_accelerators_are_told() -> None:
    [told] = doubts([Held(A, P5, gpus(0, 96))], [])
    assert "hyperpod-ns-team-a held vCPUs and no accelerator" in told
    assert doubts([Held(A, P5, gpus(8))], [Held("research", P5, gpus(8))]) == ()


def test_pods_beside_the_queue_and_pods_on_no_known_node_are_told() -> None:
    [told] = doubts([Held(A, P5, gpus(8))], [Held(A, "ml.g5.48xlarge", gpus(8))])
    assert told.startswith("hyperpod-ns-team-a: its queue has no ml.g5.48xlarge")
    nowhere = pod("02T00:00", 8, instance_type="")
    assert integrate([], [nowhere], october(2, 2)) == ()
    assert doubts([], [Held("research", "", gpus(8))]) == (
        "tasks ran on nodes of no known instance type, and are not charged",
    )


def test_cb_23_hours_without_a_heartbeat_are_gaps_and_not_zero() -> None:
    alive = [*hours("10T00:00", 24), *hours("12T00:00", 3), *hours("12T07:00", 17)]
    found = gaps(alive, october(10, 12))
    day, morning = found
    assert day == Gap(start=at("11T00:00"), end=at("12T00:00"))
    assert morning == Gap(start=at("12T03:00"), end=at("12T07:00"))
    assert held(integrate([queue("10T00:00", 8)], [], october(10, 12)))[11] == 192
    assert gaps([*alive, *hours("11T00:00", 24), *hours("12T03:00", 4)], october(10, 12)) == ()


def test_what_comes_after_the_last_record_of_today_is_a_gap() -> None:
    [found] = gaps(hours("10T00:00", 6), october(10, 10, at("10T05:30")))
    assert found == Gap(start=at("10T05:30"), end=at("11T00:00"))


@pytest.fixture(params=["America/New_York", "Asia/Tokyo", "UTC"])
def time_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


def test_cb_26_days_of_the_report_are_utc_in_every_time_zone(time_zone: None) -> None:
    runs = [queue("2025-03-31T23:30", 2), queue("2025-04-01T00:30", 0)]
    runs += [queue("2025-03-09T00:00", 1, namespace=B), queue("2025-03-10T00:00", 0, namespace=B)]
    known = at("01T00:00")
    march = integrate(runs, [], Window(date(2025, 3, 1), date(2025, 3, 31), known))
    assert [(u.day.day, u.own) for u in march] == [(9, 24), (31, 1)]
    april = integrate(runs, [], Window(date(2025, 4, 1), date(2025, 4, 30), known))
    assert [(u.day.day, u.own) for u in april] == [(1, 1)]


START = datetime(2026, 10, 1, tzinfo=UTC)
moments = st.integers(-40 * 1440, 5 * 1440).map(lambda minutes: START + timedelta(minutes=minutes))
amounts = st.sampled_from(["0", "1", "2.5", "8", "0.3333333333"])


def _queue(namespace: str, since: datetime, total: str, lent: bool) -> QueueRun:
    borrowed = gpus(total) if lent else gpus(0)
    return QueueRun(namespace, "t", P5, since, since, gpus(total), borrowed)


def _pod(namespace: str, name: str, since: datetime, amount: str) -> PodRun:
    return PodRun(namespace, name, P5, since, since, gpus(amount))


def _one_a_moment[Run: (QueueRun, PodRun)](runs: list[Run]) -> list[Run]:
    """Two records of one moment are settled by their versions, before they come here."""
    return list({(run[:2], run.since): run for run in runs}.values())


queues = st.lists(
    st.builds(_queue, st.sampled_from([A, B]), moments, amounts, st.booleans()), max_size=8
).map(_one_a_moment)
pods = st.lists(
    st.builds(_pod, st.sampled_from([A, "c"]), st.sampled_from("xy"), moments, amounts), max_size=6
).map(_one_a_moment)


def exact(uses: tuple[NamespaceUse, ...]) -> Fraction:
    return sum((Fraction(use.own) + Fraction(use.borrowed) for use in uses), Fraction(0))


@pytest.mark.law
@given(queues, pods, st.randoms(use_true_random=False))
def test_order_and_repetition_of_records_change_nothing(
    queues: list[QueueRun], pods: list[PodRun], random: object
) -> None:
    expected = integrate(queues, pods, october(1, 4))
    again = [*queues, *queues[:3]]
    random.shuffle(again)  # type: ignore[attr-defined]
    assert integrate(again, pods[::-1] + pods, october(1, 4)) == expected


@pytest.mark.law
@given(queues, pods, st.integers(1, 5))
def test_days_read_apart_are_the_days_read_together(
    queues: list[QueueRun], pods: list[PodRun], cut: int
) -> None:
    """And what lies further back than HOLD is not needed: the carry-over is one long interval."""
    whole = integrate(queues, pods, october(1, 6))
    assert whole == integrate(queues, pods, october(1, cut)) + integrate(
        queues, pods, october(cut + 1, 6)
    )
    recent = [run for run in queues if run.since >= START - HOLD]
    assert integrate(recent, pods, october(1, 1)) == integrate(queues, pods, october(1, 1))


@pytest.mark.law
@given(queues, pods, moments, st.integers(0, 60))
def test_a_record_that_says_the_same_again_changes_nothing(
    queues: list[QueueRun], pods: list[PodRun], since: datetime, minutes: int
) -> None:
    """As long as the state would have held anyway: splitting a run in two is one run."""
    seen = since + timedelta(minutes=minutes)
    run = QueueRun("d", "t", P5, since, seen, gpus(8), gpus(1))
    halves = [run._replace(seen=since), run._replace(since=seen)]
    window = october(1, 4)
    assert integrate([*queues, run], pods, window) == integrate([*queues, *halves], pods, window)


@given(queues, pods)
def test_use_is_never_negative_and_at_most_what_was_ever_held(
    queues: list[QueueRun], pods: list[PodRun]
) -> None:
    uses = integrate(queues, pods, october(1, 4))
    assert all(use.own >= 0 and use.borrowed >= 0 for use in uses)
    most = sum(Decimal(8) for _ in {(run.namespace) for run in queues}) + 8 * 4
    assert exact(uses) <= most * 24 * 4


jobs = st.lists(
    st.builds(
        lambda a, b, n: Interval(min(a, b), max(a, b), Decimal(n)),
        moments,
        moments,
        st.integers(1, 16),
    ),
    max_size=5,
)


@pytest.mark.law
@given(jobs, st.integers(0, 16))
def test_the_report_of_some_jobs_and_the_ledger_of_them_tell_the_same(
    jobs: list[Interval], quota: int
) -> None:
    """A queue says at each change what its jobs hold, and what of it is above its own."""

    def state(moment: datetime) -> QueueRun:
        total = sum(job.devices for job in jobs if job.start <= moment < job.end)
        above = max(total - quota, Decimal(0))
        return QueueRun(A, "t", P5, moment, moment, gpus(str(total)), gpus(str(above)))

    changes = {moment for job in jobs for moment in (job.start, job.end)}
    # what is held for longer than HOLD is said again
    reported = integrate(map(state, changes | {START}), [], october(1, 5))
    for day in range(1, 6):
        bounds = usage.day_bounds(date(2026, 10, day))
        ceiling = [Reading(START - timedelta(days=50), Decimal(quota))]
        ledger = usage.device_hours(jobs, ceiling, *bounds)
        found = [use for use in reported if use.day.day == day]
        assert sum(use.own for use in found) == ledger.own
        assert sum(use.borrowed for use in found) == ledger.borrowed
