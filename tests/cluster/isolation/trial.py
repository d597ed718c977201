"""Makes an attempt, and says what the server answered and what stopped it."""

import re
from typing import NamedTuple

from tests.cluster.isolation.callers import Callers
from tests.cluster.isolation.escapes.attempt import Attempt

# needs an upgraded connection to do anything
_OPENS = re.compile(r"/(exec|attach|portforward)\b")
_POLICY = re.compile(r"ValidatingAdmissionPolicy '([\w-]+)'")
# what differs from run to run: names that Kueue and HyperPod make, and ids
_RANDOM = (
    (re.compile(r"\b(pod-waiting|job-waiting)-[0-9a-f]{5}\b"), r"\1-…"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "…"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1"),
)


class Verdict(NamedTuple):
    """The HTTP status, what stopped the attempt (empty: nothing), and the server's own words."""

    status: int
    by: str
    reason: str


def made(attempt: Attempt, callers: Callers) -> Verdict:
    """The attempt's verdict; nothing is changed, even if nothing stops it."""
    call = attempt.call
    path = call.path.replace("{workload}", callers.workload)
    opens = _OPENS.search(path)
    query = {} if call.method == "GET" or opens else {"dryRun": "All"}
    caller = callers[attempt.who].sending(**call.headers) if call.headers else callers[attempt.who]
    status, answer = caller.call(call.method, path, call.body, call.media, **query)
    reason = "" if status < 400 else _told(str(answer["message"]))
    return Verdict(status, _stopped_by(status, reason), reason)


def _stopped_by(status: int, reason: str) -> str:
    if status < 400:
        return ""
    if status == 401:
        return "sign-in"
    if found := _POLICY.search(reason):
        return found[1]
    if "admission webhook" in reason:
        return "Kueue"
    return "roles" if ": User " in reason and " cannot " in reason else "Kubernetes"


def _told(message: str) -> str:
    for pattern, instead in _RANDOM:
        message = pattern.sub(instead, message)
    return " ".join(message.split())
