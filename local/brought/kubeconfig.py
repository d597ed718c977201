"""What of a kubeconfig is needed to reach its cluster: the address, whom to trust, who we are."""

import base64
import json
import os
import ssl
import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from local.kubernetes import certificates

Section = dict[str, Any]

_PLUGIN_SECONDS = 60
_UNSUPPORTED = ("auth-provider", "username", "password", "as", "as-groups", "as-uid")


class BadKubeconfig(Exception):
    """The file cannot be used; the text says why."""


@dataclass(frozen=True)
class Kubeconfig:
    """The current context of a file. `folder`: of the file, to which its paths are relative."""

    cluster: Section
    user: Section
    folder: Path

    @property
    def server(self) -> str:
        """The address of the API, without a slash at its end."""
        return str(self.cluster["server"]).rstrip("/")

    @property
    def server_name(self) -> str | None:
        """The name in the server's certificate, where it is another than in the address."""
        return self.cluster.get("tls-server-name")


@dataclass(frozen=True)
class Credentials:
    """Who we are for a while: a token, a client certificate, or both."""

    token: str | None = None
    certificate: bytes | None = None
    key: bytes | None = None
    expires: datetime | None = None


def read(file: Path) -> Kubeconfig:
    """The current context of the file; raises BadKubeconfig."""
    try:
        document = yaml.safe_load(file.read_text())
        context = _named(document, "contexts", "context", document["current-context"])
        cluster = _named(document, "clusters", "cluster", context["cluster"])
        user = _named(document, "users", "user", context["user"])
        found = Kubeconfig(cluster, user, file.parent)
        server = found.server
    except (OSError, yaml.YAMLError, KeyError, TypeError, StopIteration) as error:
        raise BadKubeconfig(f"{file} has no usable current context: {error!r}") from error
    if not server.startswith("https://"):
        raise BadKubeconfig(f"{file}: {server} is not an https address")
    if unsupported := [name for name in _UNSUPPORTED if name in user]:
        raise BadKubeconfig(f"{file}: a user with {', '.join(unsupported)} is not supported")
    return found


def credentials(config: Kubeconfig) -> Credentials:
    """Who the file says that we are; runs its plugin where it names one. Raises BadKubeconfig."""
    if plugin := config.user.get("exec"):
        return _from_plugin(config, plugin)
    token_file = config.user.get("tokenFile")
    token = (config.folder / token_file).read_text().strip() if token_file else None
    return Credentials(
        token=config.user.get("token") or token,
        certificate=_data(config, config.user, "client-certificate"),
        key=_data(config, config.user, "client-key"),
    )


def trust(config: Kubeconfig, who: Credentials, folder: Path) -> ssl.SSLContext:
    """How to speak to the server; client certificates are put into the folder to be loaded."""
    authority = _data(config, config.cluster, "certificate-authority")
    context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    if config.cluster.get("insecure-skip-tls-verify"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if who.certificate and who.key:
        certificates.private(folder / "client.crt", who.certificate)
        certificates.private(folder / "client.key", who.key)
        context.load_cert_chain(folder / "client.crt", folder / "client.key")
    return context


def _named(document: Section, section: str, kind: str, name: str) -> Section:
    found: Section = next(one[kind] for one in document[section] if one["name"] == name)
    return found


def _data(config: Kubeconfig, section: Section, name: str) -> bytes | None:
    if inline := section.get(f"{name}-data"):
        return base64.b64decode(inline)
    if file := section.get(name):
        return Path(config.folder / file).read_bytes()
    return None


def _from_plugin(config: Kubeconfig, plugin: Section) -> Credentials:
    """Run the plugin as the user would: without the local cloud's own AWS environment."""
    told = {"apiVersion": plugin["apiVersion"], "kind": "ExecCredential"}
    told["spec"] = {"interactive": False}
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    given = {one["name"]: one["value"] for one in plugin.get("env") or []}
    environment = {**plain, **given, "KUBERNETES_EXEC_INFO": json.dumps(told)}
    command = [plugin["command"], *(plugin.get("args") or [])]
    try:
        said = subprocess.run(
            command,
            env=environment,
            cwd=config.folder,
            capture_output=True,
            text=True,
            check=True,
            timeout=_PLUGIN_SECONDS,
        )
        status = json.loads(said.stdout)["status"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
        raise BadKubeconfig(f"{' '.join(command)} gave no credentials: {error}") from error
    return Credentials(
        token=status.get("token"),
        certificate=_bytes(status.get("clientCertificateData")),
        key=_bytes(status.get("clientKeyData")),
        expires=_moment(status.get("expirationTimestamp")),
    )


def _bytes(text: str | None) -> bytes | None:
    return text.encode() if text else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
