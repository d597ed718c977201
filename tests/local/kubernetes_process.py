"""The embedded Kubernetes process for the tests."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.kubernetes_api import Cluster

CHECKOUT = Path(__file__).parents[2]
PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class Embedded(Cluster):
    """One of the clusters of a process that plays many."""

    root: str = ""
    home: Path = Path()

    @classmethod
    def at(cls, root: str, home: Path, token: str, name: str = "hp-eks") -> "Embedded":
        """The cluster of that name."""
        authority = home / "kubernetes" / "ca.crt"
        return cls(f"{root}/clusters/{name}", authority, token, {}, root, home)

    def named(self, name: str, token: str | None = None) -> "Embedded":
        """Another cluster of the same process, or this one with another token."""
        return self.at(self.root, self.home, token or self.token, name)


@contextlib.contextmanager
def running(home: Path, gateway_url: str = "http://127.0.0.1:9") -> Iterator[Embedded]:
    """A started process, ended afterwards; yields the administrator's view of `hp-eks`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "COMMONS_LOCAL_HOME": str(home),
        "COMMONS_LOCAL_PORT": str(port),
        "COMMONS_LOCAL_GATEWAY_URL": gateway_url,
        "AWS_ACCESS_KEY_ID": "111122223333",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-west-2",
    }
    with (home / "kubernetes.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "local.kubernetes"],
            cwd=CHECKOUT,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        _wait_for(port, home)
        token = (home / "kubernetes" / "admin-token").read_text()
        yield Embedded.at(f"https://127.0.0.1:{port}", home, token)
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _wait_for(port: int, home: Path) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError((home / "kubernetes.log").read_text())
