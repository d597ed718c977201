"""A local cloud without the product, on a cluster that is no plaything."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from lightkube import Client, KubeConfig

from local import clients, kubeconfig, settings
from local.kubernetes import play
from local.state import State


@dataclass(frozen=True)
class Started:
    """A local cloud without the product, on the real cluster."""

    home: Path
    state: State

    @property
    def endpoint(self) -> str:
        chosen = self.state.kubernetes
        return settings.kubernetes_endpoint(self.state.ports, chosen, settings.EKS_CLUSTER)

    @property
    def administrator(self) -> Client:
        return play.administrator(self.home, self.endpoint)

    def client(self, service: str) -> Any:
        return clients.client(service, self.state.ports)

    def signed_in(self, credentials: dict[str, str]) -> Client:
        """A client with the token that those credentials sign."""
        session = boto3.Session(
            credentials["AccessKeyId"],
            credentials["SecretAccessKey"],
            credentials["SessionToken"],
            settings.REGION,
        )
        gateway = f"http://127.0.0.1:{self.state.ports.gateway}"
        cluster = {
            "server": self.endpoint,
            "certificate-authority": str(self.home / "kubernetes/ca.crt"),
        }
        config = {
            "current-context": "c",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": kubeconfig.token(session, gateway)}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        }
        return Client(config=KubeConfig.from_dict(config))


def eventually(look: Callable[[], Any], seconds: float = 30) -> Any:
    until = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < until, "nothing came"
        time.sleep(0.1)
    return found


def session(cloud: Started, role: str) -> dict[str, str]:
    """Make a role and assume it, as a person called ada."""
    account = "arn:aws:iam::111122223333:root"
    trust = {"Effect": "Allow", "Principal": {"AWS": account}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    cloud.client("iam").create_role(RoleName=role, AssumeRolePolicyDocument=document)
    arn = f"arn:aws:iam::111122223333:role/{role}"
    assumed = cloud.client("sts").assume_role(RoleArn=arn, RoleSessionName="ada")
    credentials: dict[str, str] = assumed["Credentials"]
    return credentials
