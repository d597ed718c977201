"""DescribeCluster answers the endpoint and certificate of the Kubernetes API that really runs.

Without this it answers a made-up endpoint and a text that is no certificate, or, where there is
Docker, starts a cluster of its own.
"""

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ministack.services import eks

from local.endpoint import endpoint
from local.gateway_patch import replace

Answer = tuple[int, dict[str, str], bytes]


def apply() -> None:
    """Point every EKS cluster of the account to the local Kubernetes API."""
    replace(eks, "_get_docker", lambda _: lambda: None)
    for operation in ("_describe_cluster", "_create_cluster", "_delete_cluster"):
        replace(eks, operation, _with_cluster)


def _with_cluster(plain: Callable[..., Answer]) -> Callable[..., Answer]:
    def answer(*args: Any, **options: Any) -> Answer:
        status, headers, body = plain(*args, **options)
        document = json.loads(body)
        if "cluster" not in document:
            return status, headers, body
        document["cluster"].update(_reachable(document["cluster"]["name"]))
        return status, headers, json.dumps(document).encode()

    return answer


def _reachable(name: str) -> dict[str, Any]:
    certificate = Path(os.environ["COMMONS_LOCAL_HOME"]) / "kubernetes" / "ca.crt"
    data = base64.b64encode(certificate.read_bytes()).decode() if certificate.exists() else ""
    return {
        "endpoint": endpoint(name),
        "certificateAuthority": {"data": data},
    }
