"""boto3 clients of a local cloud, whatever the caller's own AWS environment says."""

from functools import cache
from typing import Any

import boto3
from botocore.config import Config

from local.settings import ACCOUNT, REGION, SECRET, Ports

_DIRECTORY = {"identitystore", "sso-admin", "sagemaker"}


@cache  # making one takes longer than calling it
def client(service: str, ports: Ports, read_timeout: int = 60) -> Any:
    """A client with the rights of the account's root; `read_timeout` in seconds."""
    port = ports.directory if service in _DIRECTORY else ports.gateway
    session = boto3.Session(
        aws_access_key_id=ACCOUNT, aws_secret_access_key=SECRET, region_name=REGION
    )
    return session.client(
        service,
        endpoint_url=f"http://127.0.0.1:{port}",
        config=Config(read_timeout=read_timeout, retries={"total_max_attempts": 1}),
    )
