"""Fails as often as it is told, and counts its attempts in the table."""

import os
import signal
import time

import boto3


class StillConverging(Exception):
    """Try later."""


class Refused(Exception):
    """A person must look."""


def handler(event, context):
    told = event.get("detail", event)
    attempt = _count(told["key"])
    if attempt <= told.get("failures", 0):
        _fail(told.get("by", "StillConverging"))
    if told.get("seconds"):
        time.sleep(told["seconds"])
    return {"attempt": attempt}


def _fail(by):
    if by == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    raise {"StillConverging": StillConverging, "Refused": Refused}[by]("as told")


def _count(key):
    answer = boto3.client("dynamodb").update_item(
        TableName=os.environ["TABLE_NAME"],
        Key={"pk": {"S": key}},
        UpdateExpression="ADD attempts :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
        ReturnValues="ALL_NEW",
    )
    return int(answer["Attributes"]["attempts"]["N"])
