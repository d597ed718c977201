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
        url = self._root + collection
        async with self._session.post(url, json=document) as answer:
            if answer.status >= 400:
                raise Refused(f"{url}: {await answer.text()}")

    async def apply(self, collection: str, document: Document) -> None:
        """Make an object as the document says; raises Refused."""
        url = f"{self._root}{collection}/{document['metadata']['name']}"
        query = {"fieldManager": "local", "force": "true"}
        body, headers = json.dumps(document), {"Content-Type": _APPLY}
        async with self._session.patch(url, params=query, data=body, headers=headers) as answer:
            if answer.status >= 400:
                raise Refused(f"{url}: {await answer.text()}")


async def until(what: str, check: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    """Return when the check says so; raises NotReady."""
    end = time.monotonic() + seconds
    while not await check():
        if time.monotonic() > end:
            raise NotReady(f"{what} did not become ready in {seconds:.0f} s")
        await asyncio.sleep(_STEP_SECONDS)
