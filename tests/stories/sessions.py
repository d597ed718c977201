"""People who are signed in: one session and one token each, kept whatever happens meanwhile."""

import json
import ssl
from dataclasses import dataclass
from typing import Any

import boto3
import httpx2

from commons.adapters.eks_sign_in import make_token
from local import settings
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
    """As the person does with the role that Identity Center gives them."""
    (way,) = cloud.commons("team", "show", team)["access"]
    keys = cloud.client("sts").assume_role(RoleArn=way["role_arn"], RoleSessionName=user_name)
    return Session(_client(cloud, make_token(_sts(cloud, keys["Credentials"]), _EKS)))


_EKS = settings.EKS_CLUSTER


def _sts(cloud: Cloud, keys: dict[str, Any]) -> Any:
    return boto3.client(
        "sts",
        region_name=settings.REGION,
        endpoint_url=settings.urls(cloud.state.ports)["COMMONS_LOCAL_GATEWAY_URL"],
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["SessionToken"],
    )


def _client(cloud: Cloud, token: str) -> httpx2.Client:
    started = cloud.state
    url = settings.kubernetes_endpoint(started.ports, started.kubernetes, _EKS)
    trusted = ssl.create_default_context(cafile=str(cloud.home / "kubernetes" / "ca.crt"))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    return httpx2.Client(base_url=url, headers=headers, verify=trusted, trust_env=False)
