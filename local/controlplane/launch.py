"""Brings the cluster up: what does not need each other at the same time."""

import asyncio
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from local import nodes
from local.controlplane import absent, api, components, kueue, machines
from local.controlplane.api import Api
from local.controlplane.children import Children
from local.controlplane.loopback import Files, Ports

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_WEBHOOKS = "/apis/admissionregistration.k8s.io/v1"
_NODES = "/api/v1/nodes"


@dataclass(frozen=True)
class Launch:
    """Everything that a start needs to know."""

    binaries: Path
    files: Files
    ports: Ports
    children: Children

    async def run(self) -> None:
        """Start all; return when the cluster is complete. Raises NotReady or Refused."""
        await self._start("etcd", components.store(*self._place))
        await self._start("apiserver", components.api_server(*self._place))
        async with Api(self.files, self.ports) as server:
            await api.until("the API server", server.ready)
            await self._start("controllers", components.controllers(*self._place))
            await self._start("scheduler", components.scheduler(*self._place))
            await self._kinds(server)
            await self._start("kwok", machines.command(*self._place))
            await asyncio.gather(self._queues(server), self._machines(server))

    @property
    def _place(self) -> tuple[Path, Files, Ports]:
        return self.binaries, self.files, self.ports

    async def _start(self, name: str, command: list[str], **environment: str) -> None:
        await self.children.start(name, command, self.files.folder, **environment)

    async def _kinds(self, server: Api) -> None:
        """Kueue ends at once where its kinds are not served yet, and so does KWOK."""
        definitions = [*kueue.kinds(*self._place), *absent.definitions()]
        await _all(server.apply(_DEFINITIONS, one) for one in definitions)
        kinds = {one["spec"]["names"]["plural"] for one in kueue.kinds(*self._place)}
        await api.until("Kueue's kinds", lambda: _serves(server, kinds))

    async def _queues(self, server: Api) -> None:
        """Kueue, and the webhooks by which the server asks it."""
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kueue-system"}}
        await server.apply("/api/v1/namespaces", namespace)
        await self._start(
            "kueue",
            kueue.command(*self._place),
            KUBECONFIG=str(self.files.kubeconfig("kueue")),
            POD_NAMESPACE="kueue-system",
            KUEUE_METRICS_CERTS=str(self.files.serving),
        )
        await api.until("Kueue", self._kueue_is_ready)
        await _all(
            server.apply(f"{_WEBHOOKS}/{one['kind'].lower()}s", one)
            for one in kueue.webhooks(*self._place)
        )

    async def _kueue_is_ready(self) -> bool:
        url = f"http://127.0.0.1:{self.ports.kueue_health}/readyz"
        try:
            async with aiohttp.ClientSession() as session, session.get(url) as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    async def _machines(self, server: Api) -> None:
        wanted = machines.all_nodes(nodes.wanted())
        await _all(server.create(_NODES, node) for node in wanted)
        await api.until("the nodes", lambda: _ready_nodes(server, len(wanted)))


async def _all(calls: Iterable[Awaitable[None]]) -> None:
    await asyncio.gather(*calls)


async def _serves(server: Api, kinds: set[str]) -> bool:
    served = await server.get(kueue.GROUP) or {}
    return kinds <= {resource["name"] for resource in served.get("resources", [])}


async def _ready_nodes(server: Api, count: int) -> bool:
    listed = await server.get(_NODES) or {"items": []}
    ready = [
        condition
        for node in listed["items"]
        for condition in node["status"].get("conditions") or []
        if condition["type"] == "Ready" and condition["status"] == "True"
    ]
    return len(ready) >= count
