"""A batch of SQS messages: each is tried on its own, and only those that failed come again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from commons.domain.errors import RefusedInput
from commons.domain.incoming import read_json


@dataclass(frozen=True)
class Message:
    id: str
    body: str
    queue_arn: str

    @property
    def name(self) -> str:
        """Detail-type and id of the event, so that the same one twice has one name.

        What is no event is called by the message's own id.
        """
        try:
            event = read_json(self.body)
            return f"{event['detail-type']!s:.128} {event['id']!s:.64}"
        except (ValueError, TypeError, KeyError):
            return f"message {self.id}"

    def source(self) -> dict[str, str]:
        """What is needed to send it again."""
        return {"queue_arn": self.queue_arn, "body": self.body}


class Log(Protocol):
    def exception(self, msg: object, *args: object, **more: Any) -> None: ...


def each_message(
    event: dict[str, Any],
    work: Callable[[Message], None],
    refuse: Callable[[Message, RefusedInput], None],
    log: Log,
) -> dict[str, Any]:
    """Lambda's partial batch answer. A refused input is put aside: it would fail for ever."""
    failed = []
    for record in event["Records"]:
        message = Message(record["messageId"], record["body"], record["eventSourceARN"])
        try:
            # whatever goes wrong with one, the others must go on
            _try(message, work, refuse)
        except Exception:
            log.exception("a message failed and comes again", message_id=message.id)
            failed.append({"itemIdentifier": message.id})
    return {"batchItemFailures": failed}


def _try(
    message: Message,
    work: Callable[[Message], None],
    refuse: Callable[[Message, RefusedInput], None],
) -> None:
    try:
        work(message)
    except RefusedInput as refused:
        refuse(message, refused)
