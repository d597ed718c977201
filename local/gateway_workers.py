"""Workers see what a function sees in Lambda, and start fast.

Without this a worker finds every package of our own environment, so that one missing from a layer
goes unnoticed until AWS; and each worker unpacks its layers and compiles their modules anew.
"""

import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ministack.core import lambda_runtime

from local.gateway_patch import PatchDoesNotApply, replace

# what Lambda's Python runtime brings beside the standard library
_RUNTIME_PACKAGES = ("boto3", "botocore", "s3transfer", "jmespath", "dateutil", "six", "urllib3")


def apply(home: Path) -> None:
    """Give workers an interpreter of their own, and unpack each archive only once."""
    launcher = _launcher(home / "runtime")
    replace(lambda_runtime, "_detect_runtime_binary", lambda plain: _binary(plain, launcher))
    shared = SimpleNamespace(
        ZipFile=_shared_zip(home / "unpacked"),
        BadZipFile=zipfile.BadZipFile,
        LargeFileError=zipfile.LargeZipFile,
    )
    replace(lambda_runtime, "zipfile", lambda _: shared)


def _launcher(folder: Path) -> Path:
    """A script that starts this interpreter with the runtime's packages and no others."""
    packages = folder / "packages"
    shutil.rmtree(folder, ignore_errors=True)
    packages.mkdir(parents=True)
    for name in _RUNTIME_PACKAGES:
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:
            raise PatchDoesNotApply(f"package {name} is not installed")
        origin = Path(found.origin)
        source = origin.parent if origin.name == "__init__.py" else origin
        (packages / source.name).symlink_to(source)
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}" exec "{sys.executable}" -S "$@"\n')
    script.chmod(0o755)
    return script


def _binary(
    plain: Callable[[str], tuple[str, str]], launcher: Path
) -> Callable[[str], tuple[str, str]]:
    def binary(runtime: str) -> tuple[str, str]:
        found, script = plain(runtime)
        return (str(launcher), script) if found == sys.executable else (found, script)

    return binary


def _shared_zip(folder: Path) -> type[zipfile.ZipFile]:
    """An archive that unpacks once into `folder` and is linked from there."""
    folder.mkdir(parents=True, exist_ok=True)

    class SharedZip(zipfile.ZipFile):
        def extractall(  # members and password are part of what is overridden
            self,
            path: Any = None,
            members: Any = None,  # noqa: ARG002
            pwd: Any = None,  # noqa: ARG002
        ) -> None:
            listing = "\n".join(f"{item.filename} {item.CRC}" for item in self.infolist())
            unpacked = folder / hashlib.sha256(listing.encode()).hexdigest()
            if not unpacked.exists():
                fresh = tempfile.mkdtemp(dir=folder)
                super().extractall(fresh)
                try:
                    os.rename(fresh, unpacked)
                except OSError:  # another worker was faster
                    shutil.rmtree(fresh)
            for entry in unpacked.iterdir():
                (Path(path) / entry.name).symlink_to(entry)

    return SharedZip
