"""Conditions, since when they are so, and the phase that follows from them."""

from datetime import UTC, datetime

import pytest

from commons.domain.status import Condition, changed, conditions_of, phase_of, with_since

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
EARLIER = "2026-11-01T00:00:00Z"


def condition(reason: str, status: str = "False", type_: str = "QuotaReady") -> Condition:
    return Condition(type=type_, status=status, reason=reason, message="m")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reason", "phase"),
    [
        ("StillConverging", "Converging"),
        ("Throttled", "Converging"),
        ("ChangedMeanwhile", "Converging"),
        ("Held", "Held"),
        ("Conflict", "Conflict"),
        ("Blocked", "Blocked"),
        ("GroupMissing", "Blocked"),
        ("AccessDenied", "Failed"),
        ("KeyError", "Failed"),
    ],
)
def test_a_reason_decides_the_phase(reason: str, phase: str) -> None:
    assert phase_of([condition("UpToDate", "True"), condition(reason)]) == phase


def test_the_worst_reason_wins() -> None:
    order = ["StillConverging", "Held", "Conflict", "Blocked", "KeyError"]
    phases = [phase_of([condition(r) for r in order[: n + 1]]) for n in range(len(order))]
    assert phases == ["Converging", "Held", "Conflict", "Blocked", "Failed"]


def test_a_reason_of_something_that_is_well_does_not_count() -> None:
    assert phase_of([condition("Held", "True")]) == "Ready"


@pytest.mark.parametrize(
    ("state", "phase"), [("active", "Ready"), ("frozen", "Frozen"), ("leaving", "Leaving")]
)
def test_a_team_that_is_well_is_as_its_document_says(state: str, phase: str) -> None:
    assert phase_of([], state) == phase


def test_a_fault_is_seen_of_a_frozen_team_too() -> None:
    assert phase_of([condition("KeyError")], "frozen") == "Failed"


def test_since_is_kept_while_status_and_reason_stay() -> None:
    old = [condition("Held").model_copy(update={"since": EARLIER, "message": "old"})]
    [same] = with_since([condition("Held")], old, NOW)
    assert (same.since, same.message) == (EARLIER, "m")


@pytest.mark.parametrize("new", [condition("Blocked"), condition("Held", "True")])
def test_since_begins_anew_with_another_reason_or_status(new: Condition) -> None:
    old = [condition("Held").model_copy(update={"since": EARLIER})]
    assert [c.since for c in with_since([new], old, NOW)] == ["2026-11-02T08:00:00Z"]


def test_only_what_changed_is_news() -> None:
    old = [condition("Held"), condition("UpToDate", "True", "AccessReady")]
    new = [condition("Held"), condition("Changed", "True", "AccessReady")]
    assert [c.type for c in changed(new, old)] == ["AccessReady"]


def test_an_error_of_a_facet_becomes_a_condition_with_its_sentence() -> None:
    cause = '{"errorMessage": "wait for it", "errorType": "StillConverging"}'
    assert conditions_of("QuotaReady", {"error": "StillConverging", "cause": cause}) == [
        Condition(
            type="QuotaReady", status="False", reason="StillConverging", message="wait for it"
        )
    ]


@pytest.mark.parametrize(
    ("cause", "message"),
    [("plain text", "plain text"), ('{"errorMessage": "cut', '{"errorMessage": "cut'), (None, "")],
)
def test_a_cause_that_is_no_json_is_told_as_it_is(cause: str | None, message: str) -> None:
    [found] = conditions_of("AccessReady", {"error": "States.Timeout", "cause": cause})
    assert found.message == message


def test_a_facet_that_was_not_reached_says_nothing() -> None:
    assert conditions_of("AccessReady", {}) == []
