"""Tasks of one namespace as Kueue sees them: admitted by the real one, played on the embedded."""

from datetime import UTC, datetime
from typing import Any

from lightkube import Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.types import PatchType

from local.kubernetes import played
from local.kubernetes.play import Task
from tests.stories.company import kubernetes
from tests.stories.conftest import Cloud

WORKLOADS = create_namespaced_resource("kueue.x-k8s.io", "v1beta2", "Workload", "workloads")


class Work:
    """Each task asks for one vCPU, and has no owner that would finish it."""

    def __init__(self, cloud: Cloud, namespace: str) -> None:
        self._cloud = cloud
        self._client: Client = kubernetes(cloud)
        self._namespace = namespace

    def submit(self, *names: str) -> None:
        for name in names:
            requests = {"requests": {"cpu": "1", "memory": "64Mi"}}
            pod = {"name": "c", "image": "train", "resources": requests}
            template = {"spec": {"containers": [pod], "restartPolicy": "Never"}}
            spec = {
                "queueName": f"{self._namespace}-localqueue",
                "podSets": [{"name": "main", "count": 1, "template": template}],
            }
            metadata = {"name": name, "namespace": self._namespace}
            self._client.create(WORKLOADS({"metadata": metadata, "spec": spec}))

    def started(self) -> str:
        """The one that runs, as soon as it does."""
        if self._cloud.state.kubernetes == "embedded":
            first = min(self._statuses())
            self._patch(first, played.admitted(self._statuses()[first], self._task(first), _now()))
        (running,) = self._cloud.eventually(self.running)
        return str(running)

    def running(self) -> list[str]:
        return [
            name
            for name, status in self._statuses().items()
            if _is(status, "QuotaReserved") and not _is(status, "Finished")
        ]

    def finish(self, name: str) -> None:
        self._patch(name, played.finished(self._statuses()[name], _now(), "Succeeded"))

    def _statuses(self) -> dict[str, dict[str, Any]]:
        found = self._client.list(WORKLOADS, namespace=self._namespace)
        return {str(each["metadata"]["name"]): each.get("status") or {} for each in found}

    def _patch(self, name: str, status: dict[str, Any]) -> None:
        self._client.patch(
            WORKLOADS.Status,
            name,
            {"status": status},
            namespace=self._namespace,
            patch_type=PatchType.MERGE,
        )

    def _task(self, name: str) -> Task:
        return Task(self._namespace, name, "ml.c5.4xlarge", 1, 1)


def _is(status: dict[str, Any], kind: str) -> bool:
    conditions = status.get("conditions") or []
    return any((each["type"], each["status"]) == (kind, "True") for each in conditions)


def _now() -> datetime:
    return datetime.now(UTC)
