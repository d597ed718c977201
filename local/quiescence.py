"""Knows when nothing is under way any more: no message, invocation, execution or reconcile."""

import json
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

from botocore.exceptions import ClientError

from local.clients import client
from local.settings import STACK, Ports

_LOOK_SECONDS = 0.3
_CALM_LOOKS = 3  # what is handed from one service to the next is for a moment in neither


# another pass is under way, or the worker was killed or ran out of time
_AGAIN = {"Lambda.TooManyRequestsException", "Runtime.ExitError", "Sandbox.Timedout"}
# of messages: ready, being handled, not yet ready
_KINDS = ("", "NotVisible", "Delayed")


class StillBusy(Exception):
    """Something is still under way after the time-out; the text names it."""


class WatchFailed(Exception):
    """The pass of the watch that was asked for did not succeed."""


class Quiescence:
    """Looks at one deployed stack of the local cloud."""

    def __init__(self, ports: Ports, stack: str = STACK) -> None:
        self._ports = ports
        cloudformation = self._client("cloudformation")
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
        resources = [r for page in pages for r in page["StackResourceSummaries"]]
        self._named = {r["LogicalResourceId"]: r["PhysicalResourceId"] for r in resources}
        self._machines = [
            r["PhysicalResourceId"]
            for r in resources
            if r["ResourceType"] == "AWS::StepFunctions::StateMachine"
        ]
        mappings = self._client("lambda").list_event_source_mappings()["EventSourceMappings"]
        # dead letters have no reader, so they are not under way
        self._queues = sorted(
            m["EventSourceArn"] for m in mappings if ":sqs:" in m["EventSourceArn"]
        )
        self._watch = self._named.get("WatchTasksFunction")

    def wait(self, timeout: float, say: Callable[[str], None] = lambda _: None) -> None:
        """Return when all is calm after a pass of the watch; raises StillBusy or WatchFailed."""
        until = time.monotonic() + timeout
        self._calm(until, say)
        if self._watch:
            say("the watch makes a pass")
            self._full_pass(self._watch, until)
            self._calm(until, say)

    def under_way(self) -> list[str]:
        """What is under way, in words."""
        looks = (
            self._directory,
            self._messages,
            self._invocations,
            self._executions,
            self._runners,
        )
        return [found for look in looks for found in look()]

    def _calm(self, until: float, say: Callable[[str], None]) -> None:
        calm = 0
        while calm < _CALM_LOOKS:
            busy = self.under_way()
            calm = 0 if busy else calm + 1
            if busy:
                say(", ".join(busy))
            if busy and time.monotonic() > until:
                raise StillBusy(f"still under way: {'; '.join(busy)}")
            time.sleep(_LOOK_SECONDS)

    def _full_pass(self, function: str, until: float) -> None:
        """A pass that begins now: one already under way may have read the old state."""
        while failure := self._pass(function):
            error = failure.get("errorType")
            if error not in _AGAIN:
                raise WatchFailed(f"the watch failed: {failure.get('errorMessage')}")
            if time.monotonic() > until:
                raise StillBusy(f"still under way: a full pass of the watch ({error})")
            time.sleep(_LOOK_SECONDS)

    def _pass(self, function: str) -> dict[str, Any] | None:
        """Let the watch look once; what went wrong, if anything did."""
        functions = self._client("lambda", read_timeout=900)
        try:
            answer = functions.invoke(FunctionName=function, Payload=b"{}")
        except functions.exceptions.TooManyRequestsException:
            return {"errorType": "Lambda.TooManyRequestsException"}
        failure: dict[str, Any] = json.loads(answer["Payload"].read())
        return failure if answer.get("FunctionError") else None

    def _directory(self) -> Iterator[str]:
        """Events of the directory that are still to come, and statuses that still change."""
        answer = _read(f"http://127.0.0.1:{self._ports.directory}/_local/under-way")
        if answer["events"]:
            yield f"{answer['events']} events of the directory"
        yield from answer["steps"]

    def _messages(self) -> Iterator[str]:
        sqs = self._client("sqs")
        for arn in self._queues:
            name = arn.rpartition(":")[2]
            answer = sqs.get_queue_attributes(
                QueueUrl=sqs.get_queue_url(QueueName=name)["QueueUrl"], AttributeNames=["All"]
            )
            counts = answer["Attributes"]
            waiting = sum(int(counts.get(f"ApproximateNumberOfMessages{k}", 0)) for k in _KINDS)
            if waiting:
                yield f"{waiting} messages in {name}"

    def _invocations(self) -> Iterator[str]:
        running = _read(f"http://127.0.0.1:{self._ports.events}/under-way")["functions"]
        # the watch looks nearly all the time; what it found before is covered by a pass of our own
        yield from (f"{n} of {name}" for name, n in running.items() if name != self._watch)

    def _executions(self) -> Iterator[str]:
        states = self._client("stepfunctions")
        for machine in self._machines:
            answer = states.list_executions(stateMachineArn=machine, statusFilter="RUNNING")
            if answer["executions"]:
                yield f"{len(answer['executions'])} executions of {machine.rpartition(':')[2]}"

    def _runners(self) -> Iterator[str]:
        if "TeamTable" not in self._named:
            return
        pages = (
            self._client("dynamodb")
            .get_paginator("scan")
            .paginate(
                TableName=self._named["TeamTable"],
                FilterExpression="sk = :status AND attribute_exists(execution_arn)",
                ExpressionAttributeValues={":status": {"S": "STATUS"}},
            )
        )
        yield from (f"reconcile of {i['pk']['S']}" for page in pages for i in page["Items"])

    def _client(self, service: str, read_timeout: int = 60) -> Any:
        return client(service, self._ports, read_timeout)


def _read(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - parts of our own
        return json.load(answer)


def is_deployed(ports: Ports, stack: str = STACK) -> bool:
    """Whether the stack is there to be looked at."""
    try:
        client("cloudformation", ports).describe_stacks(StackName=stack)
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        return False
    return True
