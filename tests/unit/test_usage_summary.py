"""Daily totals of AWS's usage report: what counts, what is there twice, what cannot be."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain.errors import RefusedInput
from commons.domain.usage_summary import DayRow, fault_of, refuse_above, settle
from tests.unit.report_support import P5, A, B, gpus

DAY = date(2026, 5, 4)


def row(
    total: str, borrowed: str = "0", *, namespace: str = A, team: str | None = None, day: date = DAY
) -> DayRow:
    name = namespace.removeprefix("hyperpod-ns-") if team is None else team
    allocated = gpus(str(Decimal(total) - Decimal(borrowed)) if name else "0")
    return DayRow(day, namespace, name, P5, gpus(total), allocated, gpus(borrowed))


def loose(total: str, namespace: str = "research") -> DayRow:
    return row(total, namespace=namespace, team="")


def charged(*rows: DayRow) -> dict[str, tuple[Decimal, Decimal]]:
    return {use.namespace: (use.own, use.borrowed) for use in settle("x", rows).uses}


def test_total_is_own_and_borrowed() -> None:
    [use] = settle("the report", [row("200", "30")]).uses
    assert (use.namespace, use.team, use.own, use.borrowed) == (A, "team-a", 170, 30)
    assert not use.outside_quota


def test_cb_20_use_without_a_team_is_charged_whole_and_outside_quota() -> None:
    unqueued = loose("24.00")
    assert fault_of(unqueued) is None
    [use] = settle("the report", [unqueued]).uses
    assert (use.namespace, use.own, use.borrowed, use.outside_quota) == ("research", 24, 0, True)


def test_rows_of_one_namespace_without_a_team_are_added_up() -> None:
    assert charged(loose("24"), loose("8"), loose("8")) == {"research": (40, 0)}


def test_pods_of_a_namespace_with_a_queue_are_the_same_use_again() -> None:
    rows = [row("200", "30"), loose("200", A), loose("24"), row("0", namespace=B), loose("5", B)]
    assert charged(*rows) == {A: (170, 30), "research": (24, 0)}


def test_cb_24_a_day_that_aws_added_up_twice_counts_once_and_is_told() -> None:
    rows = [row("192"), row("48", "8", namespace=B), loose("24"), loose("24")]
    assert charged(*rows) == {A: (192, 0), B: (40, 8), "research": (48, 0)}
    settled = settle("the report", rows * 2)
    assert settled.uses == settle("the report", rows).uses
    assert settled.warnings == (f"{DAY}: AWS added the day up 2 times; it is counted once",)
    # the query over the pods was not repeated
    half = settle("the report", [*rows, *rows[:2], loose("3")])
    assert {u.namespace: u.own for u in half.uses} == {A: 192, B: 40, "research": 51}


def test_cb_24_a_day_added_up_twice_with_different_figures_is_refused() -> None:
    with pytest.raises(RefusedInput, match=r"hyperpod-ns-team-a has two rows .* different figures"):
        settle("the report", [row("192"), row("100")])


def test_cb_24_rows_that_may_be_doubled_count_only_within_what_the_cluster_has() -> None:
    settled = settle("the report", [loose("192"), loose("192")])
    assert settled.doubtful == {(DAY, P5): 384}
    assert f"{DAY}: every row is there 2 times" in settled.warnings[0]
    refuse_above("the report", settled, {P5: Decimal(16)})
    with pytest.raises(RefusedInput, match=r"384 device-hours of ml.p5.48xlarge.* has 192"):
        refuse_above("the report", settled, {P5: Decimal(8)})
    with pytest.raises(RefusedInput, match="has 0"):
        refuse_above("the report", settled, {})
    refuse_above("the report", settle("the report", [loose("999"), loose("1")]), {})


def test_a_row_that_cannot_be_true() -> None:
    assert fault_of(row("-1", team="")) == "an amount is below zero"
    more = row("10")._replace(borrowed=gpus("1"))
    assert fault_of(more) == "more of nvidia.com/gpu is allocated and borrowed than is used"
    # three amounts, each rounded
    assert fault_of(row("10")._replace(total=gpus("9.99"))) is None


rows = st.lists(
    st.one_of(
        st.builds(loose, st.sampled_from(["0", "8", "24.5"]), st.sampled_from([A, "c", "d"])),
        st.builds(row, st.sampled_from(["30", "192"]), st.sampled_from(["0", "7.25"])),
    ),
    max_size=8,
).map(lambda found: list({(r.namespace, r.team) if r.team else id(r): r for r in found}.values()))


@pytest.mark.law
@given(rows, st.integers(2, 3), st.randoms(use_true_random=False))
def test_order_is_nothing_and_a_day_with_queues_may_be_there_any_number_of_times(
    rows: list[DayRow], times: int, random: object
) -> None:
    expected = settle("x", rows).uses
    again = rows * times if any(r.team for r in rows) else list(rows)
    random.shuffle(again)  # type: ignore[attr-defined]
    assert settle("x", again).uses == expected
