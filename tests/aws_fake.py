"""A boto3 client whose requests and answers pass through botocore's model, and reach no network.

`FakeAws(service)` gives `client`; `answer(operation, function)` says how an operation is answered:
the function gets the parameters and returns the answer, or raises `Refused`. `calls` and `writes`
remember what was asked.
"""

from collections.abc import Callable
from typing import Any

import boto3
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.validate import ParamValidator

READS = ("Describe", "List", "Get")
Answer = Callable[..., dict[str, Any]]


class Refused(Exception):
    """An error of the service, by its code."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code)
        self.code, self.message = code, message or code


class FakeAws:
    def __init__(self, service: str, region: str = "us-west-2") -> None:
        self.client = boto3.client(
            service,
            region_name=region,
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=Config(retries={"total_max_attempts": 1}),
        )
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._answers: dict[str, Answer] = {}
        self._parameters: dict[str, Any] = {}
        self._model = self.client.meta.service_model
        events = self.client.meta.events
        prefix = self._model.service_id.hyphenize()
        events.register_last(f"before-parameter-build.{prefix}", self._remember)
        events.register_first(f"before-call.{prefix}", self._call)

    def answer(self, operation: str, function: Answer) -> None:
        self._answers[operation] = function

    @property
    def writes(self) -> list[str]:
        """Operations that change something, in order."""
        return [name for name, _ in self.calls if not name.startswith(READS)]

    def count(self, operation: str) -> int:
        return sum(name == operation for name, _ in self.calls)

    def _remember(self, params: dict[str, Any], **_: Any) -> None:
        self._parameters = dict(params)

    def _call(self, model: Any, **_: Any) -> tuple[AWSResponse, dict[str, Any]]:
        self.calls.append((model.name, self._parameters))
        try:
            found = self._answers[model.name](**self._parameters)
        except Refused as error:
            said = {"Code": error.code, "Message": error.message}
            return _response(400), {"Error": said, "ResponseMetadata": {"HTTPStatusCode": 400}}
        if model.output_shape is not None:
            report = ParamValidator().validate(found, model.output_shape)
            assert not report.has_errors(), report.generate_report()
        return _response(200), {**found, "ResponseMetadata": {"HTTPStatusCode": 200}}


def _response(status: int) -> AWSResponse:
    return AWSResponse("https://fake", status, {}, None)


def page(items: list[Any], token: str | None, size: int = 100) -> tuple[list[Any], dict[str, str]]:
    """One page, and the token of the next under its usual name, if there is one."""
    first = int(token or 0)
    more = {"NextToken": str(first + size)} if len(items) > first + size else {}
    return items[first : first + size], more
