"""HTTP front of the local clusters: who is calling, may they, and what the verbs answer."""

import hmac
import json
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from aiohttp import web

from local.kubernetes import (
    discovery,
    errors,
    impersonation,
    openapi,
    rbac,
    requests,
    tokens,
    verbs,
    watching,
)
from local.kubernetes.call import Call
from local.kubernetes.cluster import Clusters
from local.kubernetes.errors import ApiError
from local.kubernetes.rbac import Attributes, User
from local.kubernetes.requests import Target
from local.kubernetes.sign_in import SignIn
from local.kubernetes.store import Store

_HEALTH = ("/healthz", "/livez", "/readyz")
_OPEN = (*_HEALTH, "/version")
_LARGEST_BODY = 3 * 1024 * 1024
_ADMIN = User("kubernetes-admin", (rbac.MASTERS, "system:authenticated"))
_log = logging.getLogger("local.kubernetes")


class Server:
    """Answers requests under /clusters/<EKS cluster name>."""

    def __init__(self, admin_token: str, sign_in: SignIn, now: Callable[[], datetime]) -> None:
        self._admin_token = admin_token
        self._sign_in = sign_in
        self._now = now
        self._clusters = Clusters(now)

    def application(self) -> web.Application:
        """The web application."""
        application = web.Application(client_max_size=_LARGEST_BODY)
        application.router.add_route("*", "/{path:.*}", self._handle)
        return application

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        try:
            return await self._answer(request)
        except errors.NoPage as unknown:
            return web.Response(status=unknown.code, text=f"{unknown.message}\n")
        except (ApiError, web.HTTPRequestEntityTooLarge) as refusal:
            error = refusal if isinstance(refusal, ApiError) else errors.too_large(_LARGEST_BODY)
            _log.info("%s %s: %d %s", request.method, request.path, error.code, error.message)
            return _json(error.code, error.status())

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if request.path in _HEALTH:
            return web.Response(text="ok")
        steps = request.path.split("/", 3)
        if len(steps) < 4 or steps[1] != "clusters":
            raise errors.NoPage()
        cluster, path = steps[2], f"/{steps[3]}"
        if path in _OPEN:
            return _plain(path)
        user = await self._authenticated(cluster, request.headers.get("Authorization", ""))
        store = self._clusters.store(cluster)
        user = impersonation.acting(store, user, list(request.headers.items()))
        target = requests.read(request.method, path, request.query)
        wanted = target.attributes if isinstance(target, Target) else target
        if not rbac.allowed(store, user, wanted):
            raise impersonation.denied(user, wanted)
        if isinstance(target, Attributes):
            return _discovered(target, f"/clusters/{cluster}")
        return await self._resource(request, store, user, target)

    async def _authenticated(self, cluster: str, header: str) -> User:
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise errors.unauthorized()
        if hmac.compare_digest(token.encode(errors="replace"), self._admin_token.encode()):
            return _ADMIN
        user = await self._sign_in.user(cluster, token) if token.startswith(tokens.PREFIX) else None
        if user is None:
            raise errors.unauthorized()
        return user

    async def _resource(
        self, request: web.Request, store: Store, user: User, target: Target
    ) -> web.StreamResponse:
        call = Call(
            store,
            user,
            target,
            request.query,
            request.content_type if "Content-Type" in request.headers else "application/json",
            await request.read(),
            request.headers.get("User-Agent", ""),
            self._now(),
        )
        if target.verb == "watch":
            return await _stream(request, call)
        code, document = verbs.answer(call)
        return _json(code, document)


async def _stream(request: web.Request, call: Call) -> web.StreamResponse:
    kind = watching.check(call)
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    async for line in watching.lines(call, kind):
        await response.write(line)
    return response


def _plain(path: str) -> web.Response:
    return web.Response(text="ok") if path in _HEALTH else _json(200, discovery.VERSION)


def _discovered(wanted: Attributes, root: str) -> web.Response:
    if wanted.verb != "get":
        raise errors.method_not_allowed(f"{wanted.verb} {wanted.path}")
    if wanted.path.startswith("/openapi/"):
        return _json(200, openapi.answer(root, wanted.path))
    return _json(200, discovery.answer(wanted.path))


def _json(code: int, document: dict[str, Any]) -> web.Response:
    body = json.dumps(document).encode()
    return web.Response(status=code, body=body, content_type="application/json")
