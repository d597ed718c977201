"""Signing in as EKS does it: presigned GetCallerIdentity -> role -> access entry -> user name.

Nothing about a refusal is told to the client; the log says why.
"""

import asyncio
import logging
import threading
import time
import urllib.error
import urllib.request
from functools import cached_property
from typing import Any

from local.kubernetes import access_entries, caller, tokens
from local.kubernetes.access_entries import Refused
from local.kubernetes.rbac import User

_CACHE_SECONDS = 1.0
_TIMEOUT_SECONDS = 10
_log = logging.getLogger(__name__)


class SignIn:
    """Verifies tokens against the STS and EKS of one gateway."""

    def __init__(self, gateway_url: str) -> None:
        self._gateway = gateway_url.rstrip("/")
        self._answers: dict[tuple[str, str], tuple[float, User | None]] = {}
        self._role_ids: dict[tuple[str, str, Any], str] = {}
        self._lock = threading.Lock()

    async def user(self, cluster: str, token: str) -> User | None:
        """Who the token stands for in that cluster; None for nobody. Believed for one second."""
        now = time.monotonic()
        self._answers = {
            key: answer for key, answer in self._answers.items() if now - answer[0] < _CACHE_SECONDS
        }
        if (cluster, token) not in self._answers:
            self._answers[cluster, token] = (
                now,
                await asyncio.to_thread(self._ask, cluster, token),
            )
        return self._answers[cluster, token][1]

    def _ask(self, cluster: str, token: str) -> User | None:
        try:
            identity = self._identity(cluster, tokens.url(token))
            return access_entries.user(self._clients, cluster, identity, self._role_ids)
        except (Refused, caller.NotReadable) as refusal:
            _log.warning("sign-in to %s refused: %s", cluster, refusal)
            return None

    def _identity(self, cluster: str, url: str) -> caller.Caller:
        tokens.check(url, self._gateway, time.time())
        headers = {tokens.CLUSTER_HEADER: cluster, "Accept": "application/xml"}
        request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the gateway's own URL
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310
                return caller.read(answer.read().decode())
        except (urllib.error.URLError, TimeoutError) as error:
            raise Refused(f"STS answered {error}") from error

    @cached_property
    def _clients(self) -> access_entries.Clients:
        with self._lock:
            return access_entries.connect(self._gateway)
