"""Any grouping adds up to the whole, and a filter takes groups away without changing one."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commons.domain.chargeback_query import (
    DIMENSIONS,
    Group,
    Question,
    in_order,
    question,
    summarise,
    whole,
)
from commons.domain.chargeback_records import Component, Record, RecordKey
from commons.domain.errors import RefusedInput
from commons.domain.pages import Cursor, first_after, read_cursor

amounts = st.decimals(
    min_value=-(10**12), max_value=10**12, places=10, allow_nan=False, allow_infinity=False
)
words = st.sampled_from(["a", "b", "c"])
components = st.builds(Component, amounts, amounts, amounts)
names = st.sampled_from(["reserved", "borrowed", "shared"])
keys = st.builds(
    RecordKey,
    cluster=words,
    namespace=words,
    team=st.none() | words,
    project=st.none(),
    cost_center=st.none() | words,
    day=st.sampled_from([date(2026, 10, 1), date(2026, 10, 2)]),
)
records = st.lists(
    st.builds(Record, keys, st.dictionaries(names, components, min_size=1), st.just(1)), max_size=8
)
dimensions = st.lists(st.sampled_from(DIMENSIONS), unique=True).map(tuple)
filters = st.fixed_dictionaries(
    {}, optional={name: st.none() | words for name in ("cluster", "namespace", "team")}
) | st.fixed_dictionaries({"day": st.just("2026-10-01")}, optional={"component": names})


@pytest.mark.law
@given(records, dimensions)
def test_any_grouping_is_the_sum_of_the_records(found: list[Record], by: tuple[str, ...]) -> None:
    parts = [part for record in found for part in record.components.values()]
    assert whole(summarise(Question(by, {}), found)) == whole(_groups(parts))


@pytest.mark.law
@given(records, dimensions, filters)
def test_ex_03_a_filter_changes_no_amount(
    found: list[Record], by: tuple[str, ...], only: dict[str, str | None]
) -> None:
    """What a filter leaves is what the whole has there, group by group."""
    everywhere = (*by, *(each for each in only if each not in by))
    expected = {
        group.key[: len(by)]: group.sum
        for group in _joined(summarise(Question(everywhere, {}), found), everywhere, by, only)
    }
    assert {group.key: group.sum for group in summarise(Question(by, only), found)} == expected


def _joined(
    groups: Sequence[Group],
    everywhere: tuple[str, ...],
    by: tuple[str, ...],
    only: dict[str, str | None],
) -> Sequence[Group]:
    """Groups by all dimensions, those chosen that have the values: nothing is left to add up."""
    chosen = [
        each
        for each in groups
        if all(each.key[everywhere.index(name)] == value for name, value in only.items())
    ]
    assert len({each.key[: len(by)] for each in chosen}) == len(chosen)
    return chosen


def _groups(parts: list[Component]) -> Sequence[Group]:
    record = RecordKey("c", "n", None, None, None, None)
    return [
        group
        for part in parts
        for group in summarise(Question((), {}), [Record(record, {"x": part}, 1)])
    ]


@pytest.mark.law
@given(records, dimensions, st.integers(min_value=1, max_value=4))
def test_pages_are_the_groups_each_once_and_in_their_order(
    found: list[Record], by: tuple[str, ...], limit: int
) -> None:
    groups, read, after = summarise(Question(by, {}), found), [], None
    while True:
        shown, more = first_after(groups, lambda each: in_order(each.key), after, limit)
        read += shown
        if not more:
            break
        cursor = read_cursor(Cursor("0123456789abcdef", shown[-1].key).text(), len(by))
        after = in_order(cursor.after)
    assert read == groups


def test_who_is_charged_nothing_is_no_group_and_nobody_is_one() -> None:
    key = RecordKey("c", "__unallocated__", None, None, None, None)
    found = [Record(key, {"unassigned": Component(Decimal(5))}, 1)]
    (group,) = summarise(question("team,component", {}), found)
    assert (group.key, group.sum.amount) == ((None, "unassigned"), Decimal(5))
    assert summarise(question("team", {"team": "vision"}), found) == []
    assert len(summarise(question("team", {"team": ""}), found)) == 1


def test_a_dimension_that_is_none_or_comes_twice_is_refused_by_name() -> None:
    with pytest.raises(RefusedInput) as error:
        question("team, nation,team", {})
    assert error.value.reasons == [
        "nation is none of cluster, namespace, team, cost_center, component, day",
        "team stands in by a second time",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "[]",
        "é",
        "W10",
        Cursor("../../etc", ("a",)).text(),
        Cursor("0123456789abcdef", ("a", "b")).text(),
        "W1tbW1tb" * 20_000,
    ],
)
def test_a_cursor_that_nobody_handed_out_is_refused(text: str) -> None:
    with pytest.raises(RefusedInput, match="ask without it"):
        read_cursor(text, 1)
