"""The few calls that SageMaker makes of the cluster's Kubernetes API, as its administrator."""

import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from local.endpoint import NoKubernetes, endpoint

_FIELD_MANAGER = "sagemaker"
_TIMEOUT_SECONDS = 10
_PLURALS = {
    "Namespace": "namespaces",
    "ResourceFlavor": "resourceflavors",
    "ClusterQueue": "clusterqueues",
    "LocalQueue": "localqueues",
    "WorkloadPriorityClass": "workloadpriorityclasses",
}

Document = dict[str, Any]


class KubernetesUnavailable(Exception):
    """The API did not answer, or refused; the text says which call and why."""


class Kubernetes:
    """The API of one EKS cluster; every call raises KubernetesUnavailable."""

    def __init__(self, eks_cluster: str) -> None:
        self._eks_cluster = eks_cluster

    def reach(self) -> None:
        """Return if the API answers."""
        _call("GET", self._url("/version"))

    def apply(self, document: Document) -> Document:
        """Server-side apply of the fields that are ours."""
        query = urllib.parse.urlencode({"fieldManager": _FIELD_MANAGER, "force": "true"})
        url = self._url(f"{_path(document)}?{query}")
        return _call("PATCH", url, document, "application/apply-patch+yaml")

    def patch_status(self, document: Document, status: Document) -> None:
        """Merge into the status of an object."""
        url = self._url(f"{_path(document)}/status")
        _call("PATCH", url, {"status": status}, "application/merge-patch+json")

    def delete(self, document: Document) -> None:
        """Delete an object, if it is there."""
        _call("DELETE", self._url(_path(document)), missing_ok=True)

    def exists(self, document: Document) -> bool:
        """Whether an object is there."""
        return bool(_call("GET", self._url(_path(document)), missing_ok=True))

    def _url(self, path: str) -> str:
        try:
            return endpoint(self._eks_cluster) + path
        except NoKubernetes as error:
            raise KubernetesUnavailable(str(error)) from error


def _path(document: Document) -> str:
    version, meta = document["apiVersion"], document["metadata"]
    parts = ["apis" if "/" in version else "api", version]
    if namespace := meta.get("namespace"):
        parts += ["namespaces", namespace]
    return "/" + "/".join([*parts, _PLURALS[document["kind"]], meta["name"]])


def _call(
    method: str,
    url: str,
    document: Document | None = None,
    content_type: str = "application/json",
    missing_ok: bool = False,
) -> Document:
    body = None if document is None else json.dumps(document).encode()
    headers = {"Content-Type": content_type, "Authorization": f"Bearer {_token()}"}
    request = urllib.request.Request(url, body, headers, method=method)  # noqa: S310 - ours
    try:
        context = _context(url)
        with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS, context=context) as answer:  # noqa: S310
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        if error.code == 404 and missing_ok:
            return {}
        told = error.read().decode(errors="replace")
        raise KubernetesUnavailable(f"{method} {url}: HTTP {error.code} {told}") from error
    except OSError as error:
        raise KubernetesUnavailable(f"{method} {url}: {error}") from error


def _token() -> str:
    file = _folder() / "admin-token"
    try:
        return file.read_text().strip()
    except OSError as error:
        raise KubernetesUnavailable(f"no administrator's token: {error}") from error


def _context(url: str) -> ssl.SSLContext | None:
    if not url.startswith("https:"):
        return None
    return ssl.create_default_context(cafile=str(_folder() / "ca.crt"))


def _folder() -> Path:
    return Path(os.environ.get("COMMONS_LOCAL_HOME", ".")) / "kubernetes"
