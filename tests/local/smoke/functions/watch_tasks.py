"""Looks once, and fails as the item `told` says."""

import os
import time

import boto3
import flaky


def handler(event, context):
    answer = boto3.client("dynamodb").get_item(
        TableName=os.environ["TABLE_NAME"], Key={"pk": {"S": "told"}}
    )
    told = {name: next(iter(value.values())) for name, value in answer.get("Item", {}).items()}
    time.sleep(float(event.get("seconds", 0)))
    failures = int(told.get("failures", 0))
    key = told.get("key", "watch")
    return flaky.handler({"key": key, "failures": failures, "by": told.get("by")}, context)
