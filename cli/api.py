"""Calls the HTTP API of the stack, signed as whoever the usual AWS environment says."""

import json
import os
import re
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ClientError, NoCredentialsError, NoRegionError
from botocore.httpsession import URLLib3Session

from cli import stack
from cli.environment import use_local_cloud_if_there_is_nothing_else
from cli.errors import BadInput, Failure
from commons.adapters.aws_errors import code_of

# finance may call the API and may not look at the stack: people are told its address once
ADDRESS = "COMMONS_API"
_DENIED = ("AccessDenied", "AccessDeniedException")
_IN_AWS = re.compile(r"https://[a-z0-9]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?")
# its host name resolves nowhere: the local gateway takes the id as part of the path
_LOCAL = re.compile(r"http://([a-z0-9]+)\.execute-api\.(127\.0\.0\.1:\d+)")


def get(*path: str, **query: str) -> Any:
    """What the API answers to a path, part by part.

    Raises BadInput for what is no question, Failure for any other.
    """
    return _call("GET", path, query, None)


def post(*path: str, body: Any = None) -> Any:
    """The same for what changes something."""
    return _call("POST", path, {}, body)


def _call(method: str, path: tuple[str, ...], query: dict[str, str], body: Any) -> Any:
    base, region = _place()
    url = "/".join([base, *(quote(part, safe="") for part in path)])
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = AWSRequest(method, f"{url}?{urlencode(query)}" if query else url, headers, data)
    found = boto3.Session().get_credentials()
    if found is None:
        raise NoCredentialsError
    SigV4Auth(found.get_frozen_credentials(), "execute-api", region).add_auth(request)
    answer = URLLib3Session(timeout=60).send(request.prepare())
    if answer.status_code == HTTPStatus.OK:
        return json.loads(answer.content)
    raise _problem(answer.status_code, answer.content)


def _place() -> tuple[str, str]:
    """Address without a slash at its end, and Region of the signature."""
    use_local_cloud_if_there_is_nothing_else()
    address = (os.environ.get(ADDRESS) or _output()).rstrip("/")
    if found := _IN_AWS.fullmatch(address):
        return address, found[1]
    region = boto3.Session().region_name
    if region is None:
        raise NoRegionError
    local = _LOCAL.fullmatch(address)
    return f"http://{local[2]}/_aws/execute-api/{local[1]}" if local else address, region


def _output() -> str:
    try:
        return stack.output("ChargebackApi")
    except ClientError as error:
        if code_of(error) not in _DENIED:
            raise
        raise BadInput(
            f"Your role may not read the stack: set {ADDRESS} to the address of the API, which the "
            "platform team has as the stack's output ChargebackApi"
        ) from error


def _problem(status: int, content: bytes) -> Exception:
    """The API's own sentence; API Gateway itself says only that it is forbidden."""
    try:
        body = json.loads(content)
    except ValueError:
        body = {}
    if "error" in body:
        return (BadInput if status == HTTPStatus.BAD_REQUEST else Failure)(body["message"])
    if status == HTTPStatus.FORBIDDEN:
        return Failure(
            "You may not call this: sign in by IAM Identity Center with the permission set "
            "commons-finance, and set AWS_PROFILE to that profile"
        )
    return Failure(f"The API did not answer ({status}); see: commons doctor")
