"""The API server as its administrator uses it while the cluster starts."""

import asyncio
import json
import ssl
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

import aiohttp
import yaml

from local.controlplane.loopback import Files, Ports

Document = dict[str, Any]

_STEP_SECONDS = 0.1
_PAUSES = (0.2, 0.5, 1.0)
_ALREADY_THERE = 409  # an attempt whose answer was lost
_APPLY = "application/apply-patch+yaml"


class NotReady(Exception):
    """Something did not come up in time; the text says what."""


class Refused(Exception):
    """The API server refused one of our own objects."""


class Api:
    """Calls with the administrator's token."""

    def __init__(self, files: Files, ports: Ports) -> None:
        self._root = f"https://127.0.0.1:{ports.api}"
        trusted = ssl.create_default_context(cafile=str(files.authority))
        config = yaml.safe_load(files.kubeconfig("admin").read_text())
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trusted),
            headers={"Authorization": f"Bearer {config['users'][0]['user']['token']}"},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._session.close()

    async def get(self, path: str) -> Document | None:
        """What is at a path; None if it is not there, or nobody answers yet."""
        try:
            async with self._session.get(self._root + path) as answer:
                return await answer.json(content_type=None) if answer.status == 200 else None
        except (aiohttp.ClientError, json.JSONDecodeError):
            return None

    async def ready(self) -> bool:
        """Whether the API server says that it is ready."""
        try:
            async with self._session.get(f"{self._root}/readyz") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    async def create(self, collection: str, document: Document) -> None:
        """Make a new object, its status with it; raises Refused."""
        await self._send("POST", collection, json=document)

    async def apply(self, collection: str, document: Document) -> None:
        """Make an object as the document says; raises Refused."""
        await self._send(
            "PATCH",
            f"{collection}/{document['metadata']['name']}",
            params={"fieldManager": "local", "force": "true"},
            data=json.dumps(document),
            headers={"Content-Type": _APPLY},
        )

    async def _send(self, method: str, path: str, **request: Any) -> None:
        """A server that has just come up may drop a connection: then once more, and again."""
        for pause in (*_PAUSES, None):
            try:
                async with self._session.request(method, self._root + path, **request) as answer:
                    if answer.status >= 400 and answer.status != _ALREADY_THERE:
                        raise Refused(f"{path}: {await answer.text()}")
                    return
            except aiohttp.ClientConnectionError as error:
                if pause is None:
                    raise Refused(f"{path}: {error}") from error
                await asyncio.sleep(pause)


async def until(what: str, check: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    """Return when the check says so; raises NotReady."""
    end = time.monotonic() + seconds
    while not await check():
        if time.monotonic() > end:
            raise NotReady(f"{what} did not become ready in {seconds:.0f} s")
        await asyncio.sleep(_STEP_SECONDS)
