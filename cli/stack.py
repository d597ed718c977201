"""Finds the deployed stack by its name and gives clients for it."""

import os
from functools import cache
from typing import Any

import boto3
from botocore.exceptions import ClientError

from cli.errors import Failure

STACK_NAME = "gpu-commons"


@cache
def client(service: str) -> Any:
    """A client by the usual AWS environment: profile, Region, endpoint."""
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
    return boto3.resource("dynamodb").Table(output(output_name))
