"""Who STS says is calling, and when they signed."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

TOKEN_SECONDS = 15 * 60
_SKEW_SECONDS = 5 * 60


class NotReadable(Exception):
    """A part of the token or of the STS answer has no known form."""


@dataclass(frozen=True)
class Caller:
    """The signer: an ARN of STS or IAM, and the unique id (`AROA…:session` for a role)."""

    arn: str
    user_id: str


@dataclass(frozen=True)
class Session:
    """A role's session."""

    role_name: str
    session_name: str
    role_id: str


def read(answer: str) -> Caller:
    """The caller in a GetCallerIdentity answer (XML)."""
    found = {tag: re.search(f"<{tag}>([^<]+)</{tag}>", answer) for tag in ("Arn", "UserId")}
    arn, user_id = found["Arn"], found["UserId"]
    if arn is None or user_id is None:
        raise NotReadable("STS named no caller")
    return Caller(arn[1], user_id[1])


def session(caller: Caller) -> Session | None:
    """The role session of a caller; None for an IAM user."""
    found = re.fullmatch(r"arn:[^:]+:sts::\d{12}:assumed-role/([^/]+)/(.+)", caller.arn)
    return Session(found[1], found[2], caller.user_id.partition(":")[0]) if found else None


def check_age(signed_at: str, now: float) -> None:
    """Raises NotReadable for a signature older than a token may be, or of the future."""
    try:
        moment = datetime.strptime(signed_at, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise NotReadable("X-Amz-Date is no date") from error
    age = now - moment.timestamp()
    if not -_SKEW_SECONDS <= age <= TOKEN_SECONDS:
        raise NotReadable(f"signed {age:.0f} s ago")
