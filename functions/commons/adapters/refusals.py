"""Refused inputs in the `teams` table: what `commons doctor` lists and sends again.

Item: pk REFUSED#<id>, sk REFUSED, kind "refused", id, what (document, event, manifest, ...), name,
reasons, at (ISO 8601, UTC), source. `source` is where the input came in, whole, so that it can be
sent again: {"queue_arn", "body"} for a message, {"machine_arn", "input"} for an execution.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from boto3.dynamodb.conditions import Key

# more faults than this help nobody, and an item stays small
_REASONS = 50


class Refusals:
    def __init__(self, table: Any) -> None:
        self._table = table

    def record(
        self, what: str, name: str, reasons: list[str], at: datetime, source: dict[str, str]
    ) -> str:
        """Remember one refused input and return its id; the same input has the same id."""
        refusal_id = id_of(what, name, source)
        self._table.put_item(
            Item={
                "pk": f"REFUSED#{refusal_id}",
                "sk": "REFUSED",
                "kind": "refused",
                "id": refusal_id,
                "what": what,
                "name": name,
                "reasons": reasons[:_REASONS],
                "at": at.isoformat(),
                "source": source,
            }
        )
        return refusal_id

    def all(self) -> Iterator[dict[str, Any]]:
        """Every refused input, oldest id first, page by page."""
        query: dict[str, Any] = {
            "IndexName": "by_kind",
            "KeyConditionExpression": Key("kind").eq("refused"),
        }
        while True:
            answer = self._table.query(**query)
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def find(self, refusal_id: str) -> dict[str, Any] | None:
        key = {"pk": f"REFUSED#{refusal_id}", "sk": "REFUSED"}
        item: dict[str, Any] | None = self._table.get_item(Key=key, ConsistentRead=True).get("Item")
        return item

    def forget(self, refusal_id: str) -> None:
        """The input was sent again, or is of no more interest."""
        self._table.delete_item(Key={"pk": f"REFUSED#{refusal_id}", "sk": "REFUSED"})

    def forget_document(self, key: str) -> None:
        """Its newest version was accepted."""
        self.forget(id_of("document", key, {}))


def id_of(what: str, name: str, source: dict[str, str]) -> str:
    """A document is known by its key alone, so that its next version replaces the refusal."""
    known_by = [what, name] if what == "document" else [what, name, source]
    return hashlib.sha256(json.dumps(known_by, sort_keys=True).encode()).hexdigest()[:12]
