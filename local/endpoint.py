"""Where the Kubernetes API is, for parts that know only their environment."""

import os
from typing import cast

from local.settings import Kubernetes, cluster_url


class NoKubernetes(Exception):
    """This local cloud has no Kubernetes API."""


def endpoint(eks_cluster: str) -> str:
    """The API of an EKS cluster; raises NoKubernetes."""
    root = os.environ.get("COMMONS_LOCAL_KUBERNETES_URL", "")
    if not root:
        raise NoKubernetes("this local cloud has no Kubernetes API")
    return cluster_url(root, chosen(), eks_cluster)


def chosen() -> Kubernetes:
    """Which Kubernetes this local cloud was started with."""
    return cast(Kubernetes, os.environ.get("COMMONS_LOCAL_KUBERNETES") or "embedded")
