"""Finds the deployed stack by its name and gives clients for it."""

import json
import os
from functools import cache
from typing import Any

import boto3
from botocore.exceptions import ClientError

from cli.environment import use_local_cloud_if_there_is_nothing_else
from cli.errors import Failure

STACK_NAME = "gpu-commons"


@cache
def client(service: str) -> Any:
    """A client by the usual AWS environment: profile, Region, endpoint."""
    use_local_cloud_if_there_is_nothing_else()
    return boto3.client(service)


def stack_name() -> str:
    return os.environ.get("COMMONS_STACK", STACK_NAME)


@cache
def outputs() -> dict[str, str]:
    """Outputs of the stack by name. Raises Failure if there is none in this account and Region."""
    name = stack_name()
    try:
        stacks = client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":
            raise
        raise Failure(
            f"No stack {name} in this account and Region. Deploy it (README, 'Deploy'), set "
            "COMMONS_STACK to its name, or use the local cloud: eval $(commons local env)"
        ) from error
    return {o["OutputKey"]: o["OutputValue"] for o in stacks[0].get("Outputs", [])}


def output(name: str) -> str:
    """One output. Raises Failure if the stack is older than this command."""
    try:
        return outputs()[name]
    except KeyError:
        raise Failure(
            f"The stack {stack_name()} has no output {name}: deploy this version of the template."
        ) from None


def table(output_name: str) -> Any:
    """The DynamoDB table behind an output."""
    name = output(output_name)
    return boto3.resource("dynamodb").Table(name)


def query_all(table: Any, **query: Any) -> list[dict[str, Any]]:
    """Every item of a query, page by page."""
    items: list[dict[str, Any]] = []
    while True:
        answer = table.query(**query)
        items += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return items
        query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def document(item: dict[str, Any]) -> dict[str, Any]:
    """The document that a DOCUMENT item keeps as text."""
    parsed: dict[str, Any] = json.loads(item["document"])
    return parsed
