"""The one shape in which every source of usage answers."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from commons.domain.usage_found import Gap, NamespaceUse, UsageFound, joined

START = datetime(2026, 10, 1, tzinfo=UTC)
DAY = date(2026, 10, 2)


def gap(first: float, last: float) -> Gap:
    return Gap(start=START + timedelta(hours=first), end=START + timedelta(hours=last))


def use(team: str, own: str, borrowed: str = "0") -> NamespaceUse:
    return NamespaceUse(
        namespace="research",
        team=team,
        instance_type="ml.p5.48xlarge",
        day=DAY,
        own=Decimal(own),
        borrowed=Decimal(borrowed),
    )


def test_teams_of_one_namespace_are_added_up() -> None:
    found = UsageFound(cluster="c", uses=(use("", "24"), use("vision", "1.5", "0.25")))
    key = ("research", "ml.p5.48xlarge", DAY)
    assert found.by_day() == {key: (Fraction(51, 2), Fraction(1, 4))}


def test_a_gap_over_midnight_is_missing_on_both_days() -> None:
    found = UsageFound(cluster="c", gaps=(gap(23, 24 + 6), gap(40, 41)))
    assert found.missing() == {
        date(2026, 10, 1): timedelta(hours=1),
        date(2026, 10, 2): timedelta(hours=7),
    }


def test_what_was_found_survives_being_stored() -> None:
    found = UsageFound(cluster="c", uses=(use("vision", "1.0000000001"),), gaps=(gap(0, 1),))
    assert UsageFound.model_validate_json(found.model_dump_json()) == found


@given(st.lists(st.builds(lambda a, b: gap(a, b), st.integers(0, 99), st.integers(0, 99))))
def test_joined_gaps_hold_the_same_moments_once(gaps: list[Gap]) -> None:
    def hours(each: tuple[Gap, ...] | list[Gap]) -> list[int]:
        starts = [(g.start - START) // timedelta(hours=1) for g in each]
        ends = [(g.end - START) // timedelta(hours=1) for g in each]
        return [h for first, last in zip(starts, ends, strict=True) for h in range(first, last)]

    together = joined(gaps)
    assert hours(together) == sorted(set(hours(gaps)))
    assert joined(together) == together
