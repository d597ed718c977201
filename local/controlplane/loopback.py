"""Ports and certificates by which the processes of the cluster find and trust each other."""

import secrets
import shutil
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from local import free_ports
from local.kubernetes import certificates

MASTERS = "system:masters"
# who speaks to the API server, each under the name it has in any cluster
USERS = {
    "admin": "kubernetes-admin",
    "controllers": "system:kube-controller-manager",
    "scheduler": "system:kube-scheduler",
    "kueue": "system:serviceaccount:kueue-system:kueue-controller-manager",
    "kwok": "system:node-controller",
}


@dataclass(frozen=True)
class Ports:
    """One loopback port per listener; only `api` is known outside."""

    api: int
    store: int
    store_peers: int
    controllers: int
    scheduler: int
    kwok: int
    kueue_health: int
    kueue_metrics: int
    kueue_webhooks: int
    sign_in: int


def choose_ports(api: int) -> Ports:
    """Free ports beside the one that is given."""
    return Ports(api, *free_ports.choose(len(fields(Ports)) - 1))


@dataclass(frozen=True)
class Files:
    """Where the processes find what they share; all of it is new at each start."""

    folder: Path

    @property
    def authority(self) -> Path:
        """Certificate that everybody trusts; its key is forgotten at once."""
        return self.folder / "ca.crt"

    @property
    def serving(self) -> Path:
        """Folder with `tls.crt` and `tls.key`, good for 127.0.0.1."""
        return self.folder / "serving"

    @property
    def tokens(self) -> Path:
        """The static tokens of the cluster's own processes and of its administrator."""
        return self.folder / "tokens.csv"

    @property
    def service_accounts(self) -> Path:
        """Key that signs the tokens of service accounts."""
        return self.folder / "service-accounts.key"

    def kubeconfig(self, name: str) -> Path:
        """How one of the processes reaches the API server, or the API server a webhook."""
        return self.folder / f"{name}.kubeconfig"


def write(folder: Path, ports: Ports, at: datetime) -> Files:
    """Make certificates, keys, tokens and kubeconfigs."""
    files = Files(folder)
    files.serving.mkdir(parents=True, exist_ok=True)
    certificates.serve_with_own_authority(folder, at)
    shutil.move(folder / "serving.crt", files.serving / "tls.crt")
    shutil.move(folder / "serving.key", files.serving / "tls.key")
    certificates.private(files.service_accounts, _key())
    issued = {name: secrets.token_urlsafe(32) for name in USERS}
    rows = [f'{issued[name]},{user},{name},"{MASTERS}"\n' for name, user in USERS.items()]
    certificates.private(files.tokens, "".join(rows).encode())
    certificates.private(folder / "admin-token", issued["admin"].encode())
    server = {
        "server": f"https://127.0.0.1:{ports.api}",
        "certificate-authority": str(files.authority),
    }
    for name in USERS:
        _kubeconfig(files.kubeconfig(name), server, {"token": issued[name]})
    for name in ("sign-in", "access-policies"):
        webhook = {"server": f"http://127.0.0.1:{ports.sign_in}/{name}"}
        _kubeconfig(files.kubeconfig(name), webhook, {})
    return files


def _key() -> bytes:
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def _kubeconfig(file: Path, cluster: dict[str, str], user: dict[str, str]) -> None:
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "local", "cluster": cluster}],
        "users": [{"name": "local", "user": user}],
        "contexts": [{"name": "local", "context": {"cluster": "local", "user": "local"}}],
        "current-context": "local",
    }
    certificates.private(file, yaml.safe_dump(document).encode())
