"""Attempts to get out: each is stopped, by what is meant to stop it, for a reason that is told."""

import pytest

from tests.cluster.isolation import page, trial
from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.escapes.attempt import Attempt
from tests.cluster.isolation.escapes.catalogue import ATTEMPTS, THEMES
from tests.cluster.isolation.escapes.outcome import OUTCOMES, Outcome, came_of
from tests.cluster.isolation.trial import Verdict


@pytest.fixture(scope="module")
def verdicts(callers: Callers) -> dict[str, Verdict]:
    return {each.id: trial.made(each, callers) for each in ATTEMPTS}


@pytest.fixture(scope="module")
def ends(callers: Callers) -> dict[str, str]:
    return {each.id: came_of(each, callers) for each in OUTCOMES}


def test_no_two_attempts_have_one_name() -> None:
    assert len({each.id for each in ATTEMPTS}) == len(ATTEMPTS)


@pytest.mark.parametrize("attempt", [pytest.param(each, id=each.id) for each in ATTEMPTS])
def test_an_attempt_is_stopped(verdicts: dict[str, Verdict], attempt: Attempt) -> None:
    verdict = verdicts[attempt.id]

    assert (verdict.status, verdict.by) == (attempt.status, attempt.by), verdict.reason


@pytest.mark.parametrize("outcome", [pytest.param(each, id=each.id) for each in OUTCOMES])
def test_an_attempt_that_is_taken_in_comes_to_nothing(
    ends: dict[str, str], outcome: Outcome
) -> None:
    assert ends[outcome.id].startswith(outcome.begins)


def test_the_page_gives_the_reasons_that_the_server_gave(
    verdicts: dict[str, Verdict], ends: dict[str, str]
) -> None:
    said = [
        {"theme": theme, "who": each.who, "what": each.what, **verdicts[each.id]._asdict()}
        for theme, attempts in THEMES.items()
        for each in attempts
    ]

    page.compare("attempts", said)
    page.compare("taken_in", [{"what": each.what, "came_of": ends[each.id]} for each in OUTCOMES])
