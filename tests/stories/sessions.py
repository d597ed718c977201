"""People who are signed in: one session and one token each, kept whatever happens meanwhile."""

import json
import ssl
from dataclasses import dataclass

import httpx2

from local import portal, settings
from tests.stories.conftest import Cloud


@dataclass(frozen=True)
class Session:
    """Somebody's token for the cluster, good for a quarter of an hour whoever they are by then."""

    http: httpx2.Client

    def lists(self, namespace: str, resource: str = "pods") -> int:
        """HTTP status of listing something of a namespace."""
        return self.http.get(f"/api/v1/namespaces/{namespace}/{resource}").status_code

    def runs(self, namespace: str) -> int:
        """HTTP status of submitting a task: tried and not done."""
        pod = {"name": "c", "image": "train"}
        task = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": "try",
                "labels": {"kueue.x-k8s.io/queue-name": f"{namespace}-localqueue"},
            },
            "spec": {
                "suspend": True,
                "template": {"spec": {"restartPolicy": "Never", "containers": [pod]}},
            },
        }
        path = f"/apis/batch/v1/namespaces/{namespace}/jobs"
        answer = self.http.post(path, params={"dryRun": "All"}, content=json.dumps(task))
        return answer.status_code


def sign_in(cloud: Cloud, user_name: str, team: str) -> Session:
    """As the person does at the access portal, with the role that Identity Center gives them."""
    (way,) = cloud.commons("team", "show", team)["access"]
    keys = portal.credentials(cloud.state.ports, user_name, way["permission_set"])
    return Session(_client(cloud, portal.token(cloud.state.ports, keys)))


def _client(cloud: Cloud, token: str) -> httpx2.Client:
    started = cloud.state
    url = settings.kubernetes_endpoint(started.ports, started.kubernetes, settings.EKS_CLUSTER)
    trusted = ssl.create_default_context(cafile=str(cloud.home / "kubernetes" / "ca.crt"))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    return httpx2.Client(base_url=url, headers=headers, verify=trusted, trust_env=False)
