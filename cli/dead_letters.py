"""Messages that a function could not handle, however often it tried."""

import json
from collections.abc import Callable
from typing import Any

from cli import stack

SUFFIX = "DeadLetters"
# dead letters of a rule that starts a state machine, and the output with its ARN
MACHINES = {"CostReportDeadLetters": "PublishChargeback"}


def queues() -> dict[str, str]:
    """URL of each dead-letter queue of the stack, by the name of its output."""
    return {name: url for name, url in stack.outputs().items() if name.endswith(SUFFIX)}


def waiting(url: str) -> int:
    attributes = stack.client("sqs").get_queue_attributes(
        QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"]
    )["Attributes"]
    return int(attributes["ApproximateNumberOfMessages"])


def redrive(name: str) -> int:
    """Put every message back where it came from; the number of messages moved.

    A message is sent before it is deleted: one that moves twice is handled twice, which every
    function of the product can bear, and none is lost.
    """
    sqs, url, back = stack.client("sqs"), stack.output(name), _way_back(name)
    moved = 0
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        for message in messages:
            back(message["Body"])
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        moved += len(messages)
    return moved


def _way_back(name: str) -> Callable[[str], Any]:
    """To the queue of the same name; a rule without a queue starts its state machine directly."""
    queue = stack.outputs().get(name.removesuffix(SUFFIX) + "Queue")
    if queue:
        return lambda body: stack.client("sqs").send_message(QueueUrl=queue, MessageBody=body)
    machine = stack.output(MACHINES[name])
    states = stack.client("stepfunctions")
    return lambda body: states.start_execution(stateMachineArn=machine, input=body)


def send_again(source: dict[str, Any]) -> None:
    """Send a refused input again to where it came in: a queue, or a state machine."""
    if "queue_arn" in source:
        name = source["queue_arn"].rpartition(":")[2]
        url = stack.client("sqs").get_queue_url(QueueName=name)["QueueUrl"]
        stack.client("sqs").send_message(QueueUrl=url, MessageBody=source["body"])
    else:
        body = source["input"]
        stack.client("stepfunctions").start_execution(
            stateMachineArn=source["machine_arn"],
            input=body if isinstance(body, str) else json.dumps(body),
        )
