"""Records the writes of the services as the events that CloudTrail would put on the default bus."""

import os
import queue
import re
import uuid
from collections.abc import Mapping
from functools import cache
from typing import Any

from local.services import trail_shapes
from local.services.callers import Callers
from local.services.trail_call import Call, Writer
from local.services.trail_delivery import Delivery
from local.settings import ACCOUNT, REGION

WRITER_HEADER = "X-Commons-Local-Writer"

_EVENT_SOURCES = {
    "identitystore": "identitystore.amazonaws.com",
    "sso": "sso.amazonaws.com",
    "sagemaker": "sagemaker.amazonaws.com",
}
_CREDENTIAL = re.compile(r"Credential=([^/,\s]+)/")


def record(call: Call) -> None:
    """Hand a call over; its event is built and sent in the background, in order."""
    delivery().send(lambda: event(call, callers().identity(call.access_key)))


def event(call: Call, identity: dict[str, Any]) -> dict[str, Any]:
    """The EventBridge event of a call, in the shape of the one who plays its writer."""
    detail = {**_common(call), "userIdentity": identity, **trail_shapes.detail(call)}
    if call.error:
        detail |= {"errorCode": call.error[0], "errorMessage": call.error[1]}
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "AWS API Call via CloudTrail",
        "source": f"aws.{detail['eventSource'].partition('.')[0]}",
        "account": ACCOUNT,
        "time": detail["eventTime"],
        "region": REGION,
        "resources": [],
        "detail": detail,
    }


def access_key(authorization: str) -> str:
    """The access key that signed a request; empty if none did."""
    match = _CREDENTIAL.search(authorization)
    return match.group(1) if match else ""


def writer(header: str | None) -> Writer:
    """The writer named by the header; the public API without one."""
    return Writer(header) if header in set(Writer) else Writer.API


def delivery() -> Delivery:
    """The way to the default bus of this local cloud."""
    return _delivery(os.environ.get("COMMONS_LOCAL_EVENTS_URL", ""))


def callers() -> Callers:
    """Who the callers are, by access key."""
    return _callers(os.environ.get("COMMONS_LOCAL_GATEWAY_URL", ""))


@cache
def _delivery(url: str) -> Delivery:
    return Delivery(url, queue.Queue())


@cache
def _callers(url: str) -> Callers:
    return Callers(url)


def _common(call: Call) -> Mapping[str, Any]:
    source = _EVENT_SOURCES[call.service]
    return {
        "eventVersion": "1.11",
        "eventTime": call.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "eventSource": source,
        "eventName": call.action,
        "awsRegion": REGION,
        "sourceIPAddress": "198.51.100.7",
        "userAgent": call.agent,
        "requestParameters": call.request,
        "responseElements": call.answer,
        "requestID": str(uuid.uuid4()),
        "eventID": str(uuid.uuid4()),
        "readOnly": False,
        "eventType": "AwsApiCall",
        "managementEvent": True,
        "recipientAccountId": ACCOUNT,
        "eventCategory": "Management",
        "tlsDetails": {
            "tlsVersion": "TLSv1.3",
            "cipherSuite": "TLS_AES_128_GCM_SHA256",
            "clientProvidedHostHeader": f"{source.partition('.')[0]}.{REGION}.amazonaws.com",
        },
    }
