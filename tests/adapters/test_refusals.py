"""Refused inputs: kept whole, found again, and ended by what replaces them."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from commons.adapters.refusals import Refusals, id_of
from tests.adapters.team_tables import team_table

NOW = datetime(2026, 11, 2, 8, tzinfo=UTC)
SOURCE = {"queue_arn": "arn:queue", "body": "x"}


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> Iterator[Refusals]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with team_table() as table:
        yield Refusals(table)


def test_the_same_event_twice_is_one_refusal_and_two_events_are_two(refusals: Refusals) -> None:
    for body in ("x", "x", "y"):
        refusals.record("event", "message", ["why"], NOW, {**SOURCE, "body": body})
    assert sorted(each["source"]["body"] for each in refusals.all()) == ["x", "y"]


def test_a_document_has_one_refusal_that_its_next_version_replaces(refusals: Refusals) -> None:
    refusals.record("document", "k", ["first"], NOW, SOURCE)
    refusals.record("document", "k", ["second"], NOW, {**SOURCE, "body": "y"})
    [refused] = refusals.all()
    assert refused["reasons"] == ["second"]
    assert refusals.find(id_of("document", "k", {})) == refused
    refusals.forget_document("k")
    assert list(refusals.all()) == []
    assert refusals.find(refused["id"]) is None


def test_of_very_many_reasons_the_first_are_kept(refusals: Refusals) -> None:
    refusals.record("document", "k", [str(n) for n in range(500)], NOW, SOURCE)
    [refused] = refusals.all()
    assert refused["reasons"] == [str(n) for n in range(50)]
