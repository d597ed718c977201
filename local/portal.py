"""Signs people of the local directory in, as the access portal of Identity Center does in AWS."""

import json
import urllib.error
import urllib.request
from http import HTTPStatus
from pathlib import Path
from typing import Any

import boto3
from lightkube import Client, KubeConfig
from lightkube.config.models import Cluster, User

from commons.domain.names import permission_set_name
from local import kubeconfig
from local.settings import ACCOUNT, EKS_CLUSTER, REGION, Ports, kubernetes_endpoint, urls
from local.state import State

Keys = dict[str, str]


class NotLetIn(Exception):
    """The directory gives the person no such role; the text says what is missing."""


def credentials(ports: Ports, user: str, permission_set: str, account: str = ACCOUNT) -> Keys:
    """`access_key_id`, `secret_access_key`, `session_token`, `expiration` (ISO 8601, UTC), `role`.

    Raises NotLetIn.
    """
    wanted = {"user": user, "permission_set": permission_set, "account": account}
    request = urllib.request.Request(  # noqa: S310 - the local cloud's own address
        f"{urls(ports)['COMMONS_LOCAL_DIRECTORY_URL']}/_local/credentials",
        json.dumps(wanted).encode(),
        {"Content-Type": "application/json"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - as above
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise
        raise NotLetIn(json.load(error)["message"]) from error


def session(keys: Keys) -> boto3.Session:
    """A session that signs as the person."""
    return boto3.Session(
        keys["access_key_id"],
        keys["secret_access_key"],
        keys["session_token"],
        region_name=REGION,
    )


def token(ports: Ports, keys: Keys, eks_cluster: str = EKS_CLUSTER) -> str:
    """The person's token for a cluster, as `aws eks get-token` makes it."""
    gateway = urls(ports)["COMMONS_LOCAL_GATEWAY_URL"]
    return kubeconfig.token(session(keys), gateway, eks_cluster)


def kubernetes(home: Path, running: State, user: str, team: str) -> Client:
    """A client that is the person, by the way that their team has; raises NotLetIn."""
    keys = credentials(running.ports, user, permission_set_name(team))
    endpoint = kubernetes_endpoint(running.ports, running.kubernetes, EKS_CLUSTER)
    certificate = str(home / "kubernetes" / "ca.crt")
    config = KubeConfig.from_one(
        cluster=Cluster(server=endpoint, certificate_auth=certificate),
        user=User(token=token(running.ports, keys)),
    )
    return Client(config=config, trust_env=False)


def credential_process(keys: Keys) -> dict[str, Any]:
    """What an AWS SDK reads from a `credential_process`."""
    return {
        "Version": 1,
        "AccessKeyId": keys["access_key_id"],
        "SecretAccessKey": keys["secret_access_key"],
        "SessionToken": keys["session_token"],
        "Expiration": keys["expiration"],
    }
