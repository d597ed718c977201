"""A Kubernetes API as one user sees it, by plain HTTP, and small objects to try it with."""

import json
import ssl
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx2
from lightkube import Client, KubeConfig

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"


@dataclass(frozen=True)
class Cluster:
    """`url` is where clients find the API, `authority` the file with its CA."""

    url: str
    authority: Path
    token: str
    headers: dict[str, Any] = field(default_factory=dict)

    def acting_as(self, user: str, *groups: str) -> "Cluster":
        """The same cluster as a user that this one may impersonate."""
        headers = {"Impersonate-User": user} | ({"Impersonate-Group": groups[0]} if groups else {})
        return self.sending(**headers)

    def sending(self, **headers: str) -> "Cluster":
        """The same cluster with more headers."""
        return Cluster(self.url, self.authority, self.token, headers)

    def signed_in(self, token: str) -> "Cluster":
        """The same cluster with another token; an empty one is none."""
        return Cluster(self.url, self.authority, token)

    @cached_property
    def _client(self) -> httpx2.Client:
        trust = ssl.create_default_context(cafile=str(self.authority))
        sign_in = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return httpx2.Client(verify=trust, timeout=10, headers=sign_in | self.headers)

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
            headers={"Content-Type": media},
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
        with self._client.stream("GET", url, params=query) as answer:
            assert answer.status_code == 200, answer.read()
            for line in answer.iter_lines():
                event = json.loads(line)
                events.append((event["type"], event["object"]))
                if len(events) == count:
                    break
        return events

    def lightkube(self, **options: Any) -> Client:
        """The client that the product uses."""
        config = KubeConfig.from_dict(
            {
                "current-context": "here",
                "clusters": [
                    {
                        "name": "here",
                        "cluster": {
                            "server": self.url,
                            "certificate-authority": str(self.authority),
                        },
                    }
                ],
                "users": [{"name": "here", "user": {"token": self.token}}],
                "contexts": [{"name": "here", "context": {"cluster": "here", "user": "here"}}],
            }
        )
        return Client(config=config, **options)


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
