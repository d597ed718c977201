"""PutEvents answers 200 although single entries failed; none may be lost."""

from typing import Any

import pytest

from commons.adapters.event_bus import EventBus
from commons.domain.errors import RefusedInput, Throttled
from commons.domain.events import OutgoingEvent


class Bus:
    """Answers like EventBridge: refuses the details it is told to, as often as it is told to."""

    def __init__(self, refuse: dict[str, int] | None = None) -> None:
        self.refuse = refuse or {}
        self.accepted: list[str] = []

    def put_events(self, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        assert len(Entries) <= 10
        results = []
        for entry in Entries:
            if self.refuse.get(entry["Detail"], 0) > 0:
                self.refuse[entry["Detail"]] -= 1
                results.append({"ErrorCode": "InternalFailure", "ErrorMessage": "try again"})
            else:
                self.accepted.append(entry["Detail"])
                results.append({"EventId": str(len(self.accepted))})
        return {"FailedEntryCount": sum("ErrorCode" in r for r in results), "Entries": results}


def event(number: int) -> OutgoingEvent:
    return OutgoingEvent(detail_type="TeamReconciled", detail={"n": number})


def test_op_05_put_events_answers_200_with_failures_inside() -> None:
    bus = Bus(refuse={'{"n":3}': 2, '{"n":7}': 1})
    EventBus(bus).publish([event(n) for n in range(1, 11)])
    assert sorted(bus.accepted) == sorted(f'{{"n":{n}}}' for n in range(1, 11))


def test_op_05_an_entry_that_is_refused_for_good_is_not_reported_as_sent() -> None:
    bus = Bus(refuse={'{"n":3}': 99})
    with pytest.raises(Throttled, match="1 events"):
        EventBus(bus).publish([event(n) for n in range(1, 11)])


def test_op_05_an_oversize_event_is_caught_before_anything_is_sent() -> None:
    bus = Bus()
    large = OutgoingEvent(detail_type="TeamReconciled", detail={"list": "x" * 300_000})
    with pytest.raises(RefusedInput, match="bytes"):
        EventBus(bus).publish([event(1), large])
    assert bus.accepted == []


def test_op_05_a_detail_type_of_130_characters_is_refused() -> None:
    with pytest.raises(ValueError, match="128"):
        OutgoingEvent(detail_type="x" * 130, detail={})


def test_more_than_ten_events_are_sent_in_several_calls() -> None:
    bus = Bus()
    EventBus(bus).publish([event(n) for n in range(23)])
    assert len(bus.accepted) == 23
