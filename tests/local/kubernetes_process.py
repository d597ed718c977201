"""The real embedded Kubernetes process for the tests, and small objects to try it with."""

import contextlib
import json
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
from lightkube import Client, KubeConfig

CHECKOUT = Path(__file__).parents[2]
PATIENCE_SECONDS = 10.0
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"


class Cluster:
    """One cluster of a running process, as one user sees it."""

    def __init__(self, url: str, home: Path, token: str, name: str = "hp-eks") -> None:
        self.url, self.home, self.token = f"{url}/clusters/{name}", home, token
        self.root = url
        self.headers: dict[str, Any] = {"Authorization": f"Bearer {token}"}
        trust = ssl.create_default_context(cafile=str(home / "kubernetes" / "ca.crt"))
        self._client = httpx2.Client(verify=trust, timeout=10)

    def acting_as(self, user: str, *groups: str) -> "Cluster":
        """The same cluster as a user that the administrator impersonates."""
        other = self.named(self.url.rpartition("/")[2])
        other.headers["Impersonate-User"] = user
        if groups:
            other.headers["Impersonate-Group"] = groups[0]
        return other

    def named(self, name: str, token: str | None = None) -> "Cluster":
        """Another cluster of the same process, or this one with another token."""
        return Cluster(self.root, self.home, token or self.token, name)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        media: str = "application/json",
        **query: Any,
    ) -> tuple[int, dict[str, Any]]:
        """Status code and answered document."""
        answer = self._client.request(
            method,
            f"{self.url}{path}",
            params=query,
            content=None if body is None else json.dumps(body),
            headers={**self.headers, "Content-Type": media},
        )
        return answer.status_code, answer.json()

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """A document that is expected to be there."""
        code, document = self.call("GET", path, **query)
        assert code == 200, document
        return document

    def create(self, path: str, document: dict[str, Any], **query: Any) -> dict[str, Any]:
        """A new object."""
        code, created = self.call("POST", path, document, **query)
        assert code == 201, created
        return created

    def apply(self, path: str, document: dict[str, Any], manager: str, **query: Any) -> Any:
        """Status code and answer of a server-side apply."""
        return self.call("PATCH", path, document, APPLY, fieldManager=manager, **query)

    def names(self, path: str, **query: Any) -> list[str]:
        """Names of a list."""
        return [item["metadata"]["name"] for item in self.get(path, **query)["items"]]

    def watch(self, path: str, count: int, **query: Any) -> list[tuple[str, dict[str, Any]]]:
        """The first events of a watch: type and object."""
        events: list[tuple[str, dict[str, Any]]] = []
        query = {"watch": "true", "timeoutSeconds": 5, **query}
        url = f"{self.url}{path}"
        with self._client.stream("GET", url, params=query, headers=self.headers) as answer:
            assert answer.status_code == 200, answer.read()
            for line in answer.iter_lines():
                event = json.loads(line)
                events.append((event["type"], event["object"]))
                if len(events) == count:
                    break
        return events

    def lightkube(self, **options: Any) -> Client:
        """The client that the product uses."""
        authority = str(self.home / "kubernetes" / "ca.crt")
        config = KubeConfig.from_dict(
            {
                "current-context": "here",
                "clusters": [
                    {
                        "name": "here",
                        "cluster": {"server": self.url, "certificate-authority": authority},
                    }
                ],
                "users": [{"name": "here", "user": {"token": self.token}}],
                "contexts": [{"name": "here", "context": {"cluster": "here", "user": "here"}}],
            }
        )
        return Client(config=config, **options)


@contextlib.contextmanager
def running(home: Path, gateway_url: str = "http://127.0.0.1:9") -> Iterator[Cluster]:
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
        yield Cluster(f"https://127.0.0.1:{port}", home, token)
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


def namespace(name: str, **labels: str) -> dict[str, Any]:
    """A Namespace."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": labels},
    }


def config_map(name: str, data: dict[str, str] | None = None, **metadata: Any) -> dict[str, Any]:
    """A ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **metadata},
        "data": data or {},
    }


def role(name: str, *rules: dict[str, Any], kind: str = "Role") -> dict[str, Any]:
    """A Role or ClusterRole."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "rules": list(rules),
    }


def binding(name: str, user: str, kind: str = "Role", role: str = "") -> dict[str, Any]:
    """A RoleBinding of one user to the role of the same name, unless another is given."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": kind,
            "name": role or name,
        },
        "subjects": [{"kind": "User", "name": user}],
    }
