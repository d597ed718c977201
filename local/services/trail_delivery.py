"""Sends events to the gateway in the background, in order, waiting while it is starting."""

import json
import logging
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

_LOG = logging.getLogger(__name__)
_PAUSE_SECONDS = 0.25
_GIVE_UP_SECONDS = 120.0
_TIMEOUT_SECONDS = 10

Build = Callable[[], dict[str, Any]]


class Delivery:
    """One thread that builds each event when its turn comes and posts it to `url`."""

    def __init__(self, url: str, waiting: "queue.Queue[Build]") -> None:
        self._url = url
        self._waiting = waiting
        if url:
            threading.Thread(target=self._run, daemon=True, name="cloudtrail").start()

    def send(self, build: Build) -> None:
        """Take one event over. Without a bus nobody would get it: it is dropped."""
        if self._url:
            self._waiting.put(build)

    def pending(self) -> int:
        """How many events have been taken and not yet been delivered or given up."""
        return self._waiting.unfinished_tasks

    def _run(self) -> None:
        while True:
            build = self._waiting.get()
            try:
                self._deliver(build())
            except Exception:  # noqa: BLE001 - an event that cannot be built must not end the thread
                _LOG.exception("an event could not be built")
            finally:
                self._waiting.task_done()

    def _deliver(self, event: dict[str, Any]) -> None:
        name = f"{event['detail']['eventSource']} {event['detail']['eventName']}"
        until = time.monotonic() + _GIVE_UP_SECONDS
        while fault := self._post(json.dumps(event).encode()):
            if time.monotonic() > until:
                _LOG.error("%s was not delivered: %s", name, fault)
                return
            time.sleep(_PAUSE_SECONDS)

    def _post(self, body: bytes) -> str | None:
        """Post once; the reason to try again, None if there is nothing to be gained by it."""
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310 - our own gateway
        try:
            urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS).close()  # noqa: S310
        except urllib.error.HTTPError as error:
            if error.code >= 500:
                return f"HTTP {error.code}"
            _LOG.error("the gateway refused an event: %s", error.read().decode(errors="replace"))
        except OSError as error:
            return str(error)
        return None
