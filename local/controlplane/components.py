"""How each process of the control plane is called."""

from pathlib import Path
from typing import Any

import yaml

from local.controlplane.loopback import Files, Ports

_SERVICES = "10.100.0.0/16"
_ISSUER = "https://kubernetes.default.svc"
# how long our answer about a person is good; the API server adds ten seconds of its own for a
# token that it has let in, which nothing can change
_BELIEVED = "1s"


def store(binaries: Path, files: Files, ports: Ports) -> list[str]:
    """Where the API server keeps everything."""
    folder = str(files.folder / "store")
    return [str(binaries / "cluster"), "etcd", folder, str(ports.store), str(ports.store_peers)]


def api_server(binaries: Path, files: Files, ports: Ports) -> list[str]:
    """The API server: people and functions sign in by our webhook, as they do to EKS."""
    _write_authorization(files)
    key = files.service_accounts
    return [
        str(binaries / "cluster"),
        "apiserver",
        f"--etcd-servers=http://127.0.0.1:{ports.store}",
        "--bind-address=127.0.0.1",
        f"--secure-port={ports.api}",
        f"--tls-cert-file={files.serving / 'tls.crt'}",
        f"--tls-private-key-file={files.serving / 'tls.key'}",
        f"--client-ca-file={files.authority}",
        # the controllers refuse to start without an authority for front proxies
        f"--requestheader-client-ca-file={files.authority}",
        "--requestheader-allowed-names=front-proxy",
        "--requestheader-username-headers=X-Remote-User",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        f"--service-account-issuer={_ISSUER}",
        f"--service-cluster-ip-range={_SERVICES}",
        f"--token-auth-file={files.tokens}",
        f"--authentication-token-webhook-config-file={files.kubeconfig('sign-in')}",
        "--authentication-token-webhook-version=v1",
        f"--authentication-token-webhook-cache-ttl={_BELIEVED}",
        f"--authentication-config={_write_authentication(files)}",
        f"--authorization-config={files.folder / 'authorization.yaml'}",
        "--allow-privileged=true",
    ]


def controllers(binaries: Path, files: Files, ports: Ports) -> list[str]:
    """The controllers of Kubernetes itself, each under its own service account."""
    config = files.kubeconfig("controllers")
    return [
        str(binaries / "cluster"),
        "controllers",
        *_as(config),
        f"--service-account-private-key-file={files.service_accounts}",
        f"--root-ca-file={files.authority}",
        "--use-service-account-credentials=true",
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        f"--secure-port={ports.controllers}",
        "--controllers=*,-node-ipam-controller",
    ]


def scheduler(binaries: Path, files: Files, ports: Ports) -> list[str]:
    """What puts pods on nodes."""
    return [
        str(binaries / "cluster"),
        "scheduler",
        *_as(files.kubeconfig("scheduler")),
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        f"--secure-port={ports.scheduler}",
    ]


def _as(config: Path) -> list[str]:
    names = ("kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig")
    return [f"--{name}={config}" for name in names]


def _write_authentication(files: Files) -> Path:
    """Without a token one learns of the server's health and version, as in EKS; all else is 401."""
    paths = ("/livez", "/readyz", "/healthz", "/version")
    document = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthenticationConfiguration",
        "anonymous": {"enabled": True, "conditions": [{"path": path} for path in paths]},
    }
    file = files.folder / "authentication.yaml"
    file.write_text(yaml.safe_dump(document))
    return file


def _write_authorization(files: Files) -> None:
    """RBAC, then the access policies of EKS: asked only about those who have one."""
    document: dict[str, Any] = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthorizationConfiguration",
        "authorizers": [
            {"type": "RBAC", "name": "rbac"},
            {
                "type": "Webhook",
                "name": "access-policies",
                "webhook": {
                    "connectionInfo": {
                        "type": "KubeConfigFile",
                        "kubeConfigFile": str(files.kubeconfig("access-policies")),
                    },
                    "timeout": "3s",
                    "failurePolicy": "NoOpinion",
                    "authorizedTTL": _BELIEVED,
                    "unauthorizedTTL": _BELIEVED,
                    "subjectAccessReviewVersion": "v1",
                    "matchConditionSubjectAccessReviewVersion": "v1",
                    "matchConditions": [{"expression": _HAS_POLICY}],
                },
            },
        ],
    }
    (files.folder / "authorization.yaml").write_text(yaml.safe_dump(document))


_HAS_POLICY = "has(request.extra) && 'local.gpu.commons/access' in request.extra"
