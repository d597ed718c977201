"""Which Kubernetes a local cloud is started with, and with which machines."""

from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from local import nodes
from local.controlplane import binaries
from local.settings import Kubernetes

_MODULES: dict[Kubernetes, str] = {
    "embedded": "local.kubernetes",
    "real": "local.controlplane",
    "brought": "local.brought",
}


class Startable(StrEnum):
    """The two that we start ourselves."""

    EMBEDDED = "embedded"
    REAL = "real"


class BadChoice(Exception):
    """What was asked for does not go together, or is not there."""


class Cluster(BaseModel):
    """What the user chose. `nodes`: machines by instance type."""

    model_config = ConfigDict(frozen=True)

    kubernetes: Kubernetes = "embedded"
    nodes: dict[str, int] = Field(default_factory=nodes.default)
    kubeconfig: Path | None = None

    @property
    def module(self) -> str:
        """The part that plays or runs it."""
        return _MODULES[self.kubernetes]

    def check(self) -> None:
        """Raises BinariesMissing where the real one was not built."""
        if self.kubernetes == "real":
            binaries.folder()

    def environment(self) -> dict[str, str]:
        """What every part is told of it."""
        told = {
            "COMMONS_LOCAL_KUBERNETES": self.kubernetes,
            nodes.VARIABLE: nodes.render(self.nodes),
        }
        if self.kubeconfig:
            told["COMMONS_LOCAL_KUBECONFIG"] = str(self.kubeconfig)
        return told


def choose(kubernetes: Startable | None, machines: str | None, kubeconfig: Path | None) -> Cluster:
    """The cluster of the command's options; raises BadChoice or BadNodes."""
    counts = nodes.default() if machines is None else nodes.parse(machines)
    if kubeconfig is None:
        return Cluster(kubernetes=(kubernetes or Startable.EMBEDDED).value, nodes=counts)
    if kubernetes:
        raise BadChoice("--kubeconfig brings a cluster; --kubernetes starts one: give one of them")
    if not kubeconfig.is_file():
        raise BadChoice(f"there is no file {kubeconfig}")
    return Cluster(kubernetes="brought", nodes=counts, kubeconfig=kubeconfig.resolve())
