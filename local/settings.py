"""Names, ports and environment of the local cloud: the one place that decides them."""

import os
import socket
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from local import free_ports

ACCOUNT = "111122223333"
REGION = "us-west-2"
SECRET = "local"  # noqa: S105 - the gateway does not check the signature of an account's root
STACK = "gpu-commons"
EKS_CLUSTER = "hp-eks"
COST_REPORT_BUCKET = "gpu-commons-cost-reports"
CHECKOUT = Path(__file__).resolve().parent.parent


class Ports(BaseModel):
    """One loopback port per listener."""

    model_config = ConfigDict(frozen=True)

    gateway: int
    events: int
    directory: int
    kubernetes: int


# ours in memory, the real thing built from source, or one that the user brings
Kubernetes = Literal["embedded", "real", "brought"]


class PortTaken(Exception):
    """Somebody else listens on a port that was asked for."""


def home() -> Path:
    """Folder with the state of the local cloud; COMMONS_LOCAL_HOME moves it."""
    return Path(os.environ.get("COMMONS_LOCAL_HOME") or CHECKOUT / ".commons" / "local").resolve()


def choose_ports(base: int | None = None) -> Ports:
    """Four free ports, or the four that start at `base`; raises PortTaken."""
    names = list(Ports.model_fields)
    if base is None:
        return Ports(**dict(zip(names, free_ports.choose(len(names)), strict=True)))
    wanted = {name: base + offset for offset, name in enumerate(names)}
    for name, port in wanted.items():
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError as error:
                raise PortTaken(f"port {port} ({name}) is taken: {error.strerror}") from error
    return Ports(**wanted)


def urls(ports: Ports) -> dict[str, str]:
    """Where the parts are, as each part gets it in its environment."""
    return {
        "COMMONS_LOCAL_GATEWAY_URL": f"http://127.0.0.1:{ports.gateway}",
        "COMMONS_LOCAL_EVENTS_URL": f"http://127.0.0.1:{ports.events}",
        "COMMONS_LOCAL_DIRECTORY_URL": f"http://127.0.0.1:{ports.directory}",
        "COMMONS_LOCAL_KUBERNETES_URL": f"https://127.0.0.1:{ports.kubernetes}",
    }


def kubernetes_endpoint(ports: Ports, kubernetes: Kubernetes, eks_cluster: str) -> str:
    """Where the Kubernetes API of an EKS cluster is."""
    return cluster_url(f"https://127.0.0.1:{ports.kubernetes}", kubernetes, eks_cluster)


def cluster_url(root: str, kubernetes: Kubernetes, eks_cluster: str) -> str:
    """The API of a cluster, below the address of the part that plays all of them.

    A real one is only the one cluster, at the root; below `/clusters` it serves nothing, which is
    right for any other.
    """
    if kubernetes == "real" and eks_cluster == EKS_CLUSTER:
        return root
    return f"{root}/clusters/{eks_cluster}"


def client_environment(ports: Ports) -> dict[str, str]:
    """What makes any AWS SDK or CLI speak to the local cloud as the account's root."""
    directory = f"http://127.0.0.1:{ports.directory}"
    return {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{ports.gateway}",
        "AWS_ENDPOINT_URL_IDENTITYSTORE": directory,
        "AWS_ENDPOINT_URL_SSO_ADMIN": directory,
        "AWS_ENDPOINT_URL_SAGEMAKER": directory,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": ACCOUNT,  # the gateway takes twelve digits as that account's root
        "AWS_SECRET_ACCESS_KEY": SECRET,
    }


def part_environment(ports: Ports, folder: Path) -> dict[str, str]:
    """Environment that every part gets in addition to its own port."""
    return {
        **_inherited(),
        **client_environment(ports),
        **urls(ports),
        "COMMONS_LOCAL_HOME": str(folder),
        "PYTHONUNBUFFERED": "1",
        "TMPDIR": str(folder / "tmp"),
    }


def gateway_environment(ports: Ports) -> dict[str, str]:
    """What ministack reads: account, Region, loopback only, permissions judged."""
    return {
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "MINISTACK_REGION": REGION,
        "MINISTACK_HOST": "127.0.0.1",
        "BIND_HOST": "127.0.0.1",
        "IOT_MTLS_ENABLED": "0",  # else a listener on every interface, port 8883
        "GATEWAY_PORT": str(ports.gateway),
        "AUTH": "true",
        "SFN_WAIT_SCALE": "0.2",  # waits and retry intervals of state machines, shortened
        "LAMBDA_ACCOUNT_CONCURRENCY": "32",  # every concurrent invocation is a process
        "LAMBDA_EXECUTOR": "local",
    }


def _inherited() -> dict[str, str]:
    """The caller's environment without what would lead a part to a real account."""
    return {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
