"""Watch: changes as lines of JSON, from a version on or from the present state."""

import asyncio
import json
import time
from collections.abc import AsyncIterator

from local.kubernetes import errors, listing, requests, selectors
from local.kubernetes.call import Call
from local.kubernetes.errors import ApiError
from local.kubernetes.kinds import Kind
from local.kubernetes.objects import Document
from local.kubernetes.selectors import Test
from local.kubernetes.store import Change

_LONGEST_SECONDS = 3600


def check(call: Call) -> Kind:
    """The kind to watch; raises before anything is sent where the request asks too much."""
    kind = call.target.kind()
    if requests.flag(call.query, "sendInitialEvents"):
        problem = "Forbidden: sendInitialEvents is not served by the local cluster"
        raise errors.invalid_options(
            "ListOptions", "sendInitialEvents", problem, "FieldValueForbidden"
        )
    _test(call, kind)
    requests.number(call.query, "resourceVersion")
    requests.number(call.query, "timeoutSeconds")
    return kind


async def lines(call: Call, kind: Kind) -> AsyncIterator[bytes]:
    """The stream, until its time is up; an Expired version ends it with an ERROR line."""
    seconds = requests.number(call.query, "timeoutSeconds") or _LONGEST_SECONDS
    end = time.monotonic() + seconds
    test, version = _test(call, kind), requests.number(call.query, "resourceVersion")
    if not version:
        version = call.store.version
        for document in listing.matching(call, kind):
            yield _line(call, kind, "ADDED", document)
    try:
        while True:
            signal = call.store.changed()
            for change in call.store.changes_since(version):
                version = change.version
                if (event := _event(change, kind, call, test)) is not None:
                    yield event
            async with asyncio.timeout(max(0.0, end - time.monotonic())):
                await signal.wait()
    except TimeoutError:
        return
    except ApiError as error:
        yield json.dumps({"type": "ERROR", "object": error.status()}).encode() + b"\n"


def _test(call: Call, kind: Kind) -> Test:
    labelled = selectors.labels(call.query.get("labelSelector", ""))
    fitting = selectors.fields(kind, call.query.get("fieldSelector", ""))
    namespace = call.namespace(kind)
    return lambda document: (
        (not namespace or document["metadata"].get("namespace") == namespace)
        and labelled(document)
        and fitting(document)
    )


def _event(change: Change, kind: Kind, call: Call, test: Test) -> bytes | None:
    """The change as this watch sees it: one that leaves its selectors looks deleted."""
    if change.kind != kind:
        return None
    now = change.type != "DELETED" and test(change.document)
    before = change.previous is not None and test(change.previous)
    if now:
        return _line(call, kind, "MODIFIED" if before else "ADDED", change.document)
    return _line(call, kind, "DELETED", change.document) if before else None


def _line(call: Call, kind: Kind, type_: str, document: Document) -> bytes:
    shown = call.show(kind, document)
    return json.dumps({"type": type_, "object": shown}).encode() + b"\n"
