"""Lets people and functions into the brought cluster, each under their own name."""

import hmac
import json
import logging
from typing import Any

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy

from local.brought import identity
from local.brought.kubeconfig import BadKubeconfig
from local.brought.upstream import Upstream
from local.kubernetes import errors, tokens
from local.kubernetes.errors import ApiError
from local.kubernetes.rbac import User
from local.kubernetes.sign_in import SignIn
from local.settings import EKS_CLUSTER

_ROOT = f"/clusters/{EKS_CLUSTER}"
_OPEN = ("/version", "/healthz", "/livez", "/readyz")
_LARGEST_BODY = 3 * 1024 * 1024
_OF_ONE_CONNECTION = {
    "connection",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
}
_OF_A_PERSON = ("authorization", "impersonate-", "x-remote-", "proxy-", "x-forwarded-")
_log = logging.getLogger("local.brought")


class Proxy:
    """Answers requests under /clusters/<EKS cluster name> with what the brought cluster says."""

    def __init__(self, admin_token: str, sign_in: SignIn, upstream: Upstream) -> None:
        self._admin_token = admin_token
        self._sign_in = sign_in
        self._upstream = upstream

    def application(self) -> web.Application:
        """The web application."""
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.router.add_route("*", "/{path:.*}", self._handle)
        return application

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except ApiError as refusal:
            _log.info("%s %s: %d %s", request.method, request.path, refusal.code, refusal.message)
            return _json(refusal.code, refusal.status())
        except web.HTTPRequestEntityTooLarge:
            error = errors.too_large(_LARGEST_BODY)
            return _json(error.code, error.status())
        except (aiohttp.ClientConnectionError, BadKubeconfig) as error:
            _log.warning("%s %s: %s", request.method, request.path, error)
            return _json(502, ApiError(502, "", f"the brought cluster: {error}").status())

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = _path(request)
        if "upgrade" in request.headers.get("Connection", "").lower():
            raise _not_carried()
        who: identity.Headers = []
        if path not in _OPEN:
            user = await self._user(request.headers.get("Authorization", ""))
            given = request.headers.items()
            who = identity.headers(user, given, request.method, path, request.query)
        return await self._forward(request, who)

    async def _user(self, header: str) -> User | None:
        """Who is signed in, None for the local administrator; raises Unauthorized."""
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise errors.unauthorized()
        if hmac.compare_digest(token.encode(errors="replace"), self._admin_token.encode()):
            return None
        known = token.startswith(tokens.PREFIX)
        user = await self._sign_in.user(EKS_CLUSTER, token) if known else None
        if user is None:
            raise errors.unauthorized()
        return user

    async def _forward(self, request: web.Request, who: identity.Headers) -> web.StreamResponse:
        headers = CIMultiDict([*_carried(request.headers), *who])
        path = request.rel_url.raw_path_qs.removeprefix(_ROOT)
        body = await request.read() if request.body_exists else None
        async with self._upstream.request(request.method, path, headers, body) as answer:
            told = CIMultiDict(_carried(answer.headers))
            response = web.StreamResponse(status=answer.status, headers=told)
            await response.prepare(request)
            async for piece in answer.content.iter_any():  # as it comes: a watch never ends
                await response.write(piece)
            await response.write_eof()
            return response


def _path(request: web.Request) -> str:
    """The path in the cluster; raises NotFound for another cluster, or a way out of this one."""
    path = request.path.removeprefix(_ROOT)
    if not request.rel_url.raw_path.startswith(f"{_ROOT}/") or ".." in path.split("/"):
        raise errors.unknown_resource()
    return path


def _carried(headers: CIMultiDictProxy[str]) -> identity.Headers:
    """What is not about one connection, and not about who is calling."""
    return [
        (name, value)
        for name, value in headers.items()
        if name.lower() not in _OF_ONE_CONNECTION and not name.lower().startswith(_OF_A_PERSON)
    ]


def _not_carried() -> ApiError:
    return ApiError(
        501,
        "NotImplemented",
        "exec, attach, port-forward and proxies need an upgraded connection, which the local cloud "
        "does not carry to a cluster that was brought: use its own kubeconfig",
    )


def _json(code: int, document: dict[str, Any]) -> web.Response:
    body = json.dumps(document).encode()
    return web.Response(status=code, body=body, content_type="application/json")
