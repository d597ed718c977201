"""The brought cluster as its kubeconfig reaches it, with credentials that are renewed in time."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from local.brought import kubeconfig
from local.brought.kubeconfig import Kubeconfig

Document = dict[str, Any]

_EARLY = timedelta(minutes=1)  # credentials are renewed so long before they expire
_KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
_NOT_OURS = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
_ANSWER_SECONDS = 15
_CONNECT_SECONDS = 10


class NotUsable(Exception):
    """The brought cluster does not do what the local cloud needs; the text says what."""


class Upstream:
    """One session with the cluster; made again when the credentials are about to expire."""

    def __init__(self, config: Kubeconfig, folder: Path, now: Callable[[], datetime]) -> None:
        self._config = config
        self._folder = folder
        self._now = now
        self._session: aiohttp.ClientSession | None = None
        self._expires: datetime | None = None
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Call with the kubeconfig's credentials; `path` is encoded and has the query with it."""
        session = await self._connected()
        url = URL(self._config.server + path, encoded=True)
        name = self._config.server_name
        async with session.request(
            method, url, headers=CIMultiDict(headers), data=body, server_hostname=name
        ) as answer:
            yield answer

    async def check(self) -> None:
        """Raises NotUsable unless we may act as others there and it has Kueue."""
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                if not await self._may_impersonate():
                    raise NotUsable("the kubeconfig's user may not impersonate others there")
                async with self.request("GET", _KUEUE, {}) as answer:
                    if answer.status != 200:
                        raise NotUsable("the cluster has no Kueue that serves v1beta2")
        except (aiohttp.ClientError, TimeoutError) as error:
            raise NotUsable(f"{self._config.server} does not answer: {error}") from error

    async def close(self) -> None:
        """End the session."""
        if self._session:
            await self._session.close()

    async def _may_impersonate(self) -> bool:
        asked = {"verb": "impersonate", "resource": "users"}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": asked},
        }
        path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        headers = {"Content-Type": "application/json"}
        body = json.dumps(review).encode()
        async with self.request("POST", path, headers, body) as answer:
            if answer.status == 401:
                raise NotUsable("the cluster does not know the kubeconfig's user")
            told: Document = await answer.json(content_type=None)
        return bool(told.get("status", {}).get("allowed"))

    async def _connected(self) -> aiohttp.ClientSession:
        async with self._lock:
            soon = self._now() + _EARLY
            if self._session is None or (self._expires and soon > self._expires):
                await self.close()  # a watch that is cut begins again, as after any server's end
                self._session = await self._sign_in()
            return self._session

    async def _sign_in(self) -> aiohttp.ClientSession:
        who = await asyncio.to_thread(kubeconfig.credentials, self._config)
        self._expires = who.expires
        trusted = kubeconfig.trust(self._config, who, self._folder)
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trusted, limit=0),  # each watch holds one
            headers={"Authorization": f"Bearer {who.token}"} if who.token else {},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            skip_auto_headers=_NOT_OURS,
            auto_decompress=False,
        )
