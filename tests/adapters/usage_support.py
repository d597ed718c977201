"""A `usage` table on moto."""

from typing import Any

import boto3


def usage_table() -> Any:
    """Within `mock_aws`."""
    return boto3.resource("dynamodb", region_name="us-west-2").create_table(
        TableName="usage",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    )
