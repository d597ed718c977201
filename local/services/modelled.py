"""A moto service whose callers are judged, whose requests and answers pass the botocore model.

Its writes are recorded as CloudTrail does.
"""

import json
import threading
from typing import Any, ClassVar

from moto.core.responses import ActionResult, BaseResponse
from moto.core.utils import get_service_model

from local.services import cloudtrail, judge, resources, validation
from local.services.errors import Refused
from local.services.trail_call import Call, Writer, visible

LOCK = threading.RLock()  # one write at a time, so that events have the order of what happened


class ModelledResponse(BaseResponse):
    """Base of our services; a subclass names the actions that CloudTrail records."""

    recorded: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.automated_parameter_parsing = True
        self.subject: dict[str, Any] = {}  # what an event of another writer says of this call

    def call_action(self) -> Any:
        """Judge the caller, check the request, answer it, record it."""
        action = self._get_action()
        operation = get_service_model(self.boto3_service_name).operation_model(action)
        refused = self._refused(action)  # before the lock: it asks another process
        with LOCK:
            refused = refused or self._fault(operation)
            answer = self.serialized(ActionResult(refused)) if refused else super().call_action()
            if action in self.recorded:
                cloudtrail.record(self._call(operation, answer))
        return answer

    def _refused(self, action: str) -> Refused | None:
        for needed in resources.judged(self.boto3_service_name, action, self.params):
            if refused := judge.refusal(self, needed.action, needed.resources):
                return refused
        return None

    def _fault(self, operation: Any) -> Refused | None:
        fault = validation.fault(operation.input_shape, self.params)
        return Refused("ValidationException", fault) if fault else None

    def caller(self) -> dict[str, str]:
        """Who signed the request, as SageMaker's CreatedBy and LastModifiedBy name it."""
        return cloudtrail.callers().iam_identity(self._access_key())

    def writer(self) -> Writer:
        """Who plays the writer of this call."""
        return cloudtrail.writer(self.headers.get(cloudtrail.WRITER_HEADER))

    def _access_key(self) -> str:
        return cloudtrail.access_key(self.headers.get("Authorization", ""))

    def _call(self, operation: Any, answer: Any) -> Call:
        status, _, body = answer
        content = json.loads(body or "{}")
        failed = int(status) >= 400
        return Call(
            service=operation.service_model.signing_name,
            action=operation.name,
            request=visible(operation.input_shape, self.params),
            answer=None if failed else visible(operation.output_shape, content),
            error=(content["__type"], str(content.get("Message", ""))) if failed else None,
            subject=self.subject,
            writer=self.writer(),
            access_key=self._access_key(),
            agent=self.headers.get("User-Agent", ""),
        )
