"""Kueue: its kinds, its configuration, and the webhooks by which the API server asks it."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from local.controlplane.loopback import Files, Ports

Document = dict[str, Any]

GROUP = "/apis/kueue.x-k8s.io/v1beta2"
_FRAMEWORKS = ["batch/job", "pod", "deployment", "statefulset"]
_OWN = ["kube-system", "kueue-system"]
_PER_NAMESPACE = {f"{kind}.kb.io" for kind in ("pod", "job", "deployment", "statefulset")}


def kinds(binaries: Path, files: Files, ports: Ports) -> Iterator[Document]:
    """The definitions, converted between versions by Kueue itself where it knows how."""
    folder = binaries / "kueue-config" / "crd"
    converted = {_read(file)["metadata"]["name"] for file in folder.glob("patches/webhook_in_*")}
    for file in sorted(folder.glob("bases/*.yaml")):
        definition = _read(file)
        # a resource flavor has one version that matters; upstream leaves it out as well
        if definition["metadata"]["name"] in converted - {"resourceflavors.kueue.x-k8s.io"}:
            definition["spec"]["conversion"] = {
                "strategy": "Webhook",
                "webhook": {
                    "clientConfig": _ours("/convert", files, ports),
                    "conversionReviewVersions": ["v1"],
                },
            }
        yield definition


def webhooks(binaries: Path, files: Files, ports: Ports) -> Iterator[Document]:
    """What defaults and judges workloads and queues, reached by URL instead of by a service."""
    manifests = binaries / "kueue-config" / "webhook" / "manifests.yaml"
    for document in yaml.safe_load_all(manifests.read_text()):
        for webhook in document["webhooks"]:
            path = webhook["clientConfig"]["service"]["path"]
            webhook["clientConfig"] = _ours(path, files, ports)
            if webhook["name"][1:] in _PER_NAMESPACE:
                webhook["namespaceSelector"] = _elsewhere()
        document["metadata"]["name"] = f"kueue-{document['metadata']['name']}"
        yield document


def command(binaries: Path, files: Files, ports: Ports) -> list[str]:
    """How Kueue is called; its configuration is written for it."""
    config = files.folder / "kueue.yaml"
    config.write_text(yaml.safe_dump(configuration(files, ports)))
    # what shows pending workloads would need an API service, so a network into the cluster
    return [
        str(binaries / "kueue"),
        f"--config={config}",
        "--feature-gates=VisibilityOnDemand=false",
    ]


def configuration(files: Files, ports: Ports) -> Document:
    """Fair sharing between queues, as task governance switches it on."""
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{ports.kueue_health}"},
        "metrics": {"bindAddress": f"127.0.0.1:{ports.kueue_metrics}"},
        "webhook": {
            "host": "127.0.0.1",
            "port": ports.kueue_webhooks,
            "certDir": str(files.serving),
        },
        "internalCertManagement": {"enable": False},
        "clientConnection": {"qps": 300, "burst": 500},
        "integrations": {"frameworks": _FRAMEWORKS},
        "managedJobsNamespaceSelector": _elsewhere(),
        "fairSharing": {
            "preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
        },
    }


def _elsewhere() -> Document:
    """Every namespace but those of the cluster's own processes."""
    key = "kubernetes.io/metadata.name"
    return {"matchExpressions": [{"key": key, "operator": "NotIn", "values": _OWN}]}


def _ours(path: str, files: Files, ports: Ports) -> Document:
    authority = base64.b64encode(files.authority.read_bytes()).decode()
    return {"url": f"https://127.0.0.1:{ports.kueue_webhooks}{path}", "caBundle": authority}


def _read(file: Path) -> Document:
    document: Document = yaml.safe_load(file.read_text())
    return document
