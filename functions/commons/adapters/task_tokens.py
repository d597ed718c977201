"""Step Functions: answers what waits behind a task token."""

import json
from typing import Any

from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated
from commons.domain.errors import TooLate

_NOBODY_WAITS = {"InvalidToken", "TaskDoesNotExist", "TaskTimedOut"}
# what Step Functions takes
_CAUSE = 32_768


class TaskTokens:
    def __init__(self, client: Any) -> None:
        self._client = client

    def succeed(self, token: str, output: dict[str, Any]) -> None:
        """Raises TooLate if nobody waits any more."""
        self._send(self._client.send_task_success, taskToken=token, output=json.dumps(output))

    def fail(self, token: str, error: str, cause: str) -> None:
        """Raises TooLate if nobody waits any more."""
        self._send(
            self._client.send_task_failure, taskToken=token, error=error, cause=cause[:_CAUSE]
        )

    @staticmethod
    def _send(call: Any, **arguments: str) -> None:
        try:
            with translated("answering a task token"):
                call(**arguments)
        except ClientError as error:
            if code_of(error) not in _NOBODY_WAITS:
                raise
            raise TooLate(
                "Nobody waits for this decision any more: what asked for it has ended, or has had "
                "its answer"
            ) from error
