"""How kubectl signs in to the local cluster: with a presigned STS token, as to EKS."""

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from boto3 import Session

from commons.adapters.eks_sign_in import make_token
from local.settings import EKS_CLUSTER, REGION

# EKS takes a token for fifteen minutes; a new one costs a process, so kubectl keeps it for a while
_SECONDS = 600


def write(path: Path, endpoint: str, certificate: Path) -> None:
    """Write a kubeconfig whose user runs `commons local token`."""
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": str(Path(sys.executable).with_name("commons")),
        "args": ["local", "token"],
        "env": [
            {"name": "AWS_REGION", "value": REGION},
            {"name": "COMMONS_LOCAL_HOME", "value": str(path.parent)},
        ],
        "interactiveMode": "Never",
    }
    cluster = {"server": endpoint, "certificate-authority": str(certificate)}
    context = {"cluster": EKS_CLUSTER, "user": EKS_CLUSTER}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": EKS_CLUSTER, "cluster": cluster}],
        "users": [{"name": EKS_CLUSTER, "user": {"exec": plugin}}],
        "contexts": [{"name": EKS_CLUSTER, "context": context}],
        "current-context": EKS_CLUSTER,
    }
    path.write_text(yaml.safe_dump(document, sort_keys=False))


def token(session: Session, gateway: str, cluster: str = EKS_CLUSTER) -> str:
    """The token of whoever the session is, for one cluster."""
    return make_token(session.client("sts", endpoint_url=gateway), cluster)


def exec_credential(signed: str, now: datetime) -> str:
    """What kubectl reads from an exec plugin."""
    expires = (now.astimezone(UTC) + timedelta(seconds=_SECONDS)).strftime("%Y-%m-%dT%H:%M:%SZ")
    document: dict[str, Any] = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "kind": "ExecCredential",
        "status": {"token": signed, "expirationTimestamp": expires},
    }
    return json.dumps(document)
