"""Requests as API Gateway hands them to a function of an HTTP API, payload version 2.0."""

import json
from typing import Any
from urllib.parse import urlencode

ACCOUNT = "111122223333"
ANN = f"arn:aws:sts::{ACCOUNT}:assumed-role/AWSReservedSSO_commons-finance_0a1b2c3d4e5f6a7b/ann"


def request(
    method: str,
    path: str,
    *pairs: tuple[str, str],
    caller: str = ANN,
    body: Any = None,
    **query: str | int,
) -> dict[str, Any]:
    """`pairs`: parameters of which a name comes twice. `body`: becomes JSON."""
    given = [*((name, str(value)) for name, value in query.items()), *pairs]
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": urlencode(given),
        "headers": {"content-type": "application/json"},
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": "a1b2c3d4",
            "authorizer": {"iam": {"accountId": ACCOUNT, "userArn": caller}},
            "http": {"method": method, "path": path, "sourceIp": "203.0.113.7"},
            "requestId": "r",
            "routeKey": f"{method} {path}",
            "stage": "$default",
        },
        "isBase64Encoded": False,
    }
    if given:
        # API Gateway joins what comes twice
        names = dict.fromkeys(name for name, _ in given)
        event["queryStringParameters"] = {
            name: ",".join(value for other, value in given if other == name) for name in names
        }
    if body is not None:
        event["body"] = json.dumps(body)
    return event


def answer(told: dict[str, Any]) -> Any:
    """The body of an answer that is a success."""
    assert told["statusCode"] == 200, told["body"]
    return json.loads(told["body"])


def problem(told: dict[str, Any]) -> tuple[int, str, str]:
    """Status, error and sentence of an answer that is none."""
    body = json.loads(told["body"])
    return told["statusCode"], body["error"], body["message"]
