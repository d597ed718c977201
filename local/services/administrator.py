"""The local administrator's routes: what has no public API because somebody else does it in AWS."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from local.services import clock, cloudtrail, compute_quotas, portal
from local.services.clusters import clusters
from local.services.errors import Refused
from local.services.identity_store import directory, touch
from local.services.later import steps
from local.services.modelled import LOCK
from local.services.trail_call import Call, Writer

PREFIX = "/_local/"
_ROUTES = Map(
    [
        Rule(f"{PREFIX}under-way", endpoint="under_way", methods=["GET"]),
        Rule(f"{PREFIX}credentials", endpoint="credentials", methods=["POST"]),
        Rule(f"{PREFIX}calendar", endpoint="calendar", methods=["GET", "PUT"]),
        Rule(f"{PREFIX}users/<user_id>/status", endpoint="user_status", methods=["PUT"]),
        Rule(f"{PREFIX}instances/<instance>", endpoint="instance", methods=["PUT"]),
        Rule(f"{PREFIX}quotas/<team>", endpoint="quota", methods=["PUT"]),
    ]
)


class Calendar(BaseModel):
    """A moment at which the calendar stands; none lets it run."""

    model_config = ConfigDict(frozen=True)

    now: AwareDatetime | None


class SignIn(BaseModel):
    """Whose credentials, for which role."""

    model_config = ConfigDict(frozen=True)

    user: str
    permission_set: str
    account: str


class Instance(BaseModel):
    """How a machine of a HyperPod cluster is."""

    model_config = ConfigDict(frozen=True)

    failed: bool


class Quota(BaseModel):
    """Whether what a quota makes in the cluster is long in coming."""

    model_config = ConfigDict(frozen=True)

    late: bool


class UserStatus(BaseModel):
    """The status that the identity provider gives a user."""

    model_config = ConfigDict(frozen=True)

    status: str


def under_way(_: Request) -> dict[str, Any]:
    """Events not yet delivered, and the names of steps that have not ended."""
    return {"events": cloudtrail.delivery().pending(), "steps": steps.waiting()}


def calendar(request: Request) -> dict[str, Any]:
    """Read or set the calendar."""
    if request.method == "PUT":
        wanted = Calendar.model_validate_json(request.get_data())
        clock.stop_at(wanted.now)
    now: datetime | None = clock.now() if clock.stopped() else None
    return {"now": now.isoformat() if now else None}


def credentials(request: Request) -> dict[str, Any]:
    """Sign a person in."""
    wanted = SignIn.model_validate_json(request.get_data())
    with LOCK:
        return portal.credentials(wanted.user, wanted.permission_set, wanted.account)


def instance(request: Request, instance: str) -> dict[str, Any]:
    """Let a machine fail, or be well again."""
    wanted = Instance.model_validate_json(request.get_data())
    with LOCK:
        clusters.mark(instance, failed=wanted.failed)
    return {"instance": instance, "failed": wanted.failed}


def quota(request: Request, team: str) -> dict[str, Any]:
    """Hold back the namespace and the queues of a team's quota, or let them come."""
    wanted = Quota.model_validate_json(request.get_data())
    (compute_quotas.late.add if wanted.late else compute_quotas.late.discard)(team)
    return {"team": team, "late": wanted.late}


def user_status(request: Request, user_id: str) -> dict[str, Any]:
    """Disable or enable a user, as the identity provider does by SCIM."""
    wanted = UserStatus.model_validate_json(request.get_data()).status
    if wanted not in ("ENABLED", "DISABLED"):
        raise Refused("ValidationException", f"status is ENABLED or DISABLED, not {wanted}")
    header = request.headers.get(cloudtrail.WRITER_HEADER)
    writer = cloudtrail.writer(header) if header else Writer.SCIM
    if writer is Writer.API:
        raise Refused("ValidationException", "the public API has no call that sets a user's status")
    with LOCK:
        user = directory.get("user", user_id)
        user["UserStatus"] = wanted
        touch(user)
        cloudtrail.record(_status_call(user_id, wanted, writer))
    return {"user_id": user_id, "status": wanted}


def _status_call(user_id: str, status: str, writer: Writer) -> Call:
    enabled = status == "ENABLED"
    return Call(
        service="identitystore",
        action="EnableUser" if enabled else "DisableUser",
        request=None,
        subject={"id": user_id, "active": enabled},
        writer=writer,
    )


_HANDLERS: dict[str, Callable[..., dict[str, Any]]] = {
    "under_way": under_way,
    "calendar": calendar,
    "credentials": credentials,
    "instance": instance,
    "quota": quota,
    "user_status": user_status,
}


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """The WSGI application of the routes."""
    request = Request(environ)
    return _answer(request)(environ, start_response)


def _answer(request: Request) -> Response:
    try:
        endpoint, arguments = _ROUTES.bind_to_environ(request.environ).match()
        return _json(_HANDLERS[endpoint](request, **arguments), 200)
    except NotFound:
        return _json({"message": f"there is nothing at {request.path}"}, 404)
    except HTTPException as error:
        return _json({"message": error.description}, error.code or 400)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, e['loc'])) or 'body'}: {e['msg']}" for e in error.errors()]
        return _json({"message": "; ".join(faults)}, 400)
    except Refused as error:
        return _json({"message": error.message}, 404 if "NotFound" in error.code else 400)


def _json(document: dict[str, Any], status: int) -> Response:
    return Response(json.dumps(document), status, mimetype="application/json")
