"""Where the built binaries are: in the user's cache folder, or in one that the user names."""

import os
import shutil
from pathlib import Path

from local.controlplane import versions

PROGRAMS = ("cluster", "kueue", "kwok")
DATA = (
    "stages/node-initialize.yaml",
    "stages/pod-ready.yaml",
    "kueue-config/crd/bases/kueue.x-k8s.io_workloads.yaml",
    "kueue-config/webhook/manifests.yaml",
)
KUBECTL = "kubectl"
VARIABLE = "COMMONS_KUBERNETES"


class BinariesMissing(Exception):
    """The real Kubernetes was not built, or the folder that was named is not complete."""


def cache() -> Path:
    """Where every checkout of this user finds what one of them built."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "gpu-commons" / "kubernetes"


def built() -> Path:
    """The folder for the versions of this checkout, whether built or not."""
    return cache() / versions.key()


def prebuilt() -> Path | None:
    """The folder that the user names, if any; raises BinariesMissing where files lack there."""
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser().resolve()
    if lacking := missing(folder):
        raise BinariesMissing(f"{VARIABLE}={named} lacks {', '.join(lacking)}")
    return folder


def folder() -> Path:
    """The folder with all binaries; raises BinariesMissing."""
    if named := prebuilt():
        return named
    if missing(built()):
        raise BinariesMissing(
            "the real Kubernetes is not built: make kubernetes (15 minutes, once for all checkouts)"
        )
    return built()


def missing(folder: Path) -> list[str]:
    """What is not there of what a cluster needs."""
    programs = [name for name in PROGRAMS if not os.access(folder / name, os.X_OK)]
    return [*programs, *(name for name in DATA if not (folder / name).is_file())]


def kubectl() -> str:
    """The kubectl on PATH, else the one that was built; raises BinariesMissing."""
    if found := shutil.which(KUBECTL):
        return found
    own = folder() / KUBECTL
    if not own.exists():
        raise BinariesMissing("there is no kubectl: make kubernetes")
    return str(own)
