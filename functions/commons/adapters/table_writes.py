"""Writes that somebody else may have forestalled: they answer instead of raising."""

from typing import Any

from boto3.dynamodb.conditions import ConditionBase
from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of
from commons.domain.errors import Throttled

_LOST = {"ConditionalCheckFailed", "TransactionConflict"}
_SLOWER = {"ThrottlingError", "ProvisionedThroughputExceeded"}


def put_if(table: Any, item: dict[str, Any], condition: ConditionBase) -> bool:
    """Write the item; False if the condition does not hold."""
    try:
        table.put_item(Item=item, ConditionExpression=condition)
    except ClientError as error:
        if code_of(error) != "ConditionalCheckFailedException":
            raise
        return False
    return True


def transact(table: Any, *writes: dict[str, dict[str, Any]]) -> bool:
    """All or nothing; False if a condition does not hold or others wrote at the same time.

    Raises Throttled if DynamoDB had to slow it down.
    """
    named = [{kind: {"TableName": table.name, **write[kind]} for kind in write} for write in writes]
    try:
        table.meta.client.transact_write_items(TransactItems=named)
    except ClientError as error:
        if code_of(error) != "TransactionCanceledException":
            raise
        codes = {each.get("Code") for each in error.response.get("CancellationReasons", [])}
        if codes & _SLOWER:
            raise Throttled(f"writing {table.name}: {error}") from error
        if not codes & _LOST:
            raise
        return False
    return True
