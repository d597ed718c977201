"""A cluster that the user brings, played by a server that tells what it was asked."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import yaml
from aiohttp import web

from local.brought import kubeconfig
from local.brought.proxy import Proxy
from local.brought.upstream import Upstream
from local.kubernetes import certificates
from local.kubernetes.rbac import User
from local.settings import EKS_CLUSTER

NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
ADA = User("commons:vision:ada", ("gpu-vision", "system:authenticated"))
READER = User("commons:reader", reader=True)
ADMINISTRATOR = "the-local-administrator"

Story = Callable[[aiohttp.ClientSession, str], Awaitable[Any]]


class KnownTokens:
    """Signs in whoever is known, as the access entries would."""

    def __init__(self, **users: User) -> None:
        self._users = users

    async def user(self, cluster: str, token: str) -> User | None:
        assert cluster == EKS_CLUSTER
        return self._users.get(token.removeprefix("k8s-aws-v1."))


def written(folder: Path, server: str, user: dict[str, Any], **cluster: Any) -> Path:
    """A kubeconfig file."""
    file = folder / "config"
    document = {
        "current-context": "mine",
        "contexts": [{"name": "mine", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server, **cluster}}],
        "users": [{"name": "u", "user": user}],
    }
    file.write_text(yaml.safe_dump(document))
    return file


async def told(request: web.Request) -> web.StreamResponse:
    """What the brought cluster answers: the request itself, or its reviews and kinds."""
    if request.path.endswith("selfsubjectaccessreviews"):
        allowed = request.headers.get("Authorization") != "Bearer weak"
        return web.json_response({"status": {"allowed": allowed}})
    if "watch" in request.query:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first\n")
        await asyncio.sleep(600)
    return web.json_response(
        {
            "path": request.rel_url.raw_path_qs,
            "method": request.method,
            "headers": [[name, value] for name, value in request.headers.items()],
            "body": (await request.read()).decode(),
        },
        headers={"Warning": "299 - told"},
    )


@asynccontextmanager
async def serving(
    application: web.Application, context: ssl.SSLContext | None
) -> AsyncIterator[str]:
    runner = web.AppRunner(application, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context, shutdown_timeout=0.1)
    await site.start()
    try:
        yield str(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def played(tmp_path: Path, story: Story, known_as: str = "mine") -> Any:
    """Run a story against the proxy before a server with a certificate of its own."""

    async def run() -> Any:
        context = certificates.serve_with_own_authority(tmp_path, datetime.now(UTC))
        brought = web.Application()
        brought.router.add_route("*", "/{path:.*}", told)
        async with serving(brought, context) as port:
            file = written(
                tmp_path,
                f"https://127.0.0.1:{port}/base/",
                {"token": known_as},
                **{"certificate-authority": "ca.crt"},
            )
            upstream = Upstream(kubeconfig.read(file), tmp_path, lambda: NOW)
            await upstream.check()
            proxy = Proxy(ADMINISTRATOR, KnownTokens(ada=ADA, reader=READER), upstream)
            async with (
                serving(proxy.application(), None) as front,
                aiohttp.ClientSession() as session,
            ):
                answer = await story(session, f"http://127.0.0.1:{front}/clusters/hp-eks")
            await upstream.close()
            return answer

    return asyncio.run(asyncio.wait_for(run(), 20))


def asked(
    tmp_path: Path, path: str, token: str | None, method: str = "GET", **headers: str
) -> tuple[int, Any]:
    """Status and body of one request through the proxy."""

    async def story(session: aiohttp.ClientSession, root: str) -> Any:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            given["Authorization"] = f"Bearer {token}"
        async with session.request(method, root + path, headers=given, data=b"{}") as answer:
            return answer.status, await answer.json(content_type=None)

    return played(tmp_path, story)


def sent(body: dict[str, Any], name: str) -> list[str]:
    return [value for header, value in body["headers"] if header.lower() == name.lower()]
