"""EventBridge: publishes our events and gives up only when an entry was refused again and again."""

import json
from collections.abc import Sequence
from itertools import batched
from typing import Any

from commons.domain.errors import RefusedInput, Throttled
from commons.domain.events import SOURCE, OutgoingEvent

# PutEvents takes ten entries; one entry, with all its fields, stays below this many bytes
ENTRIES_A_CALL = 10
ENTRY_BYTES = 256 * 1024
ATTEMPTS = 4


class EventBus:
    def __init__(self, client: Any, bus: str = "default") -> None:
        self._client = client
        self._bus = bus

    def publish(self, events: Sequence[OutgoingEvent]) -> None:
        """Publish all. PutEvents answers 200 with failures inside: those entries alone are resent.

        Raises RefusedInput before anything is sent if an entry is too large, and Throttled if
        entries are still refused after the last attempt, so that the caller's own retry resends.
        """
        entries = [self._entry(event) for event in events]
        for batch in batched(entries, ENTRIES_A_CALL, strict=False):
            self._send(list(batch))

    def _send(self, entries: list[dict[str, Any]]) -> None:
        for _ in range(ATTEMPTS):
            answer = self._client.put_events(Entries=entries)
            if not answer["FailedEntryCount"]:
                return
            failed = [
                (e, r) for e, r in zip(entries, answer["Entries"], strict=True) if "ErrorCode" in r
            ]
            entries = [entry for entry, _ in failed]
        reasons = sorted({f"{r['ErrorCode']}: {r.get('ErrorMessage', '')}" for _, r in failed})
        raise Throttled(
            f"EventBridge refused {len(entries)} events {ATTEMPTS} times: {'; '.join(reasons)}"
        )

    def _entry(self, event: OutgoingEvent) -> dict[str, Any]:
        detail = json.dumps(event.detail, separators=(",", ":"))
        size = len(detail.encode()) + len(event.detail_type) + len(SOURCE)
        size += sum(len(arn.encode()) for arn in event.resources)
        if size > ENTRY_BYTES:
            reason = f"it has {size} bytes, and {ENTRY_BYTES} are allowed; send ids, not lists"
            raise RefusedInput(f"event {event.detail_type}", [reason])
        return {
            "Source": SOURCE,
            "DetailType": event.detail_type,
            "Detail": detail,
            "Resources": event.resources,
            "EventBusName": self._bus,
        }
