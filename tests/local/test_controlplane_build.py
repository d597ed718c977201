"""The build: once, whole or not at all, by one at a time; with steps that take no time."""

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from local.controlplane import binaries, build, steps, toolchain, versions
from local.controlplane.progress import Progress
from local.controlplane.steps import BuildFailed, Step


def complete(out: Path) -> None:
    """Everything that a cluster needs, without content."""
    for name in binaries.DATA:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).touch()
    for name in binaries.PROGRAMS:
        (out / name).touch(mode=0o755)


@pytest.fixture
def built(tmp_path: Path, monkeypatch):
    """What the steps did; the steps themselves only put files down."""
    done: list[str] = []

    def everything(shop) -> None:
        done.append("all")
        complete(shop.out)

    def client(shop) -> None:
        done.append("kubectl")
        (shop.out / "kubectl").touch(mode=0o755)

    def needed(with_kubectl: bool):
        yield Step("all", "1 minute", everything)
        if with_kubectl:
            yield Step("kubectl", "1 minute", client)

    monkeypatch.delenv(binaries.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(steps, "needed", needed)
    monkeypatch.setattr(steps, "kubectl", client)
    monkeypatch.setattr(toolchain, "on_path", lambda: "go")
    monkeypatch.setattr(build.shutil, "which", lambda name: f"/usr/bin/{name}")
    return done


def test_it_is_built_once(built):
    assert build.build() == binaries.built() == build.build() == binaries.folder()
    assert built == ["all"]


def test_nothing_is_left_beside_it_but_the_log_and_the_lock(built):
    folder = build.build()
    assert {left.suffix for left in folder.parent.iterdir() if left != folder} <= {".lock", ".log"}


def test_kubectl_is_built_where_there_is_none(built, monkeypatch):
    monkeypatch.setattr(build.shutil, "which", lambda _: None)
    folder = build.build()
    assert built == ["all", "kubectl"]
    assert binaries.kubectl() == str(folder / "kubectl")


def test_kubectl_is_added_where_it_went_away_later(built, monkeypatch):
    build.build()
    monkeypatch.setattr(build.shutil, "which", lambda _: None)
    with pytest.raises(binaries.BinariesMissing, match="kubectl"):
        binaries.kubectl()
    build.build()
    build.build()
    assert built == ["all", "kubectl"]


def test_a_step_that_fails_leaves_nothing_that_looks_built(built, monkeypatch):
    def half(shop) -> None:
        (shop.out / "cluster").touch(mode=0o755)
        raise BuildFailed("the disk is full")

    whole = steps.needed
    monkeypatch.setattr(steps, "needed", lambda **_: [Step("half", "1 minute", half)])
    with pytest.raises(BuildFailed):
        build.build()
    with pytest.raises(binaries.BinariesMissing, match="make kubernetes"):
        binaries.folder()
    monkeypatch.setattr(steps, "needed", whole)
    assert build.build() == binaries.folder()


def test_two_at_once_build_once(built, monkeypatch, capsys):
    whole, inside, go_on = steps.needed, threading.Event(), threading.Event()

    def slow(with_kubectl: bool):
        inside.set()
        go_on.wait(10)
        return whole(with_kubectl)

    monkeypatch.setattr(steps, "needed", slow)
    first = threading.Thread(target=build.build)
    first.start()
    inside.wait(10)
    second = threading.Thread(target=build.build)
    second.start()
    second.join(0.3)
    assert second.is_alive()
    go_on.set()
    first.join(10)
    second.join(10)
    assert built == ["all"]
    assert "waiting for it" in capsys.readouterr().err


def test_prebuilt_binaries_are_taken_as_they_are(built, tmp_path, monkeypatch):
    complete(tmp_path / "prebuilt")
    monkeypatch.setenv(binaries.VARIABLE, str(tmp_path / "prebuilt"))
    assert build.build() == binaries.folder() == tmp_path / "prebuilt"
    assert built == []


def test_what_prebuilt_binaries_lack_is_named(tmp_path, monkeypatch):
    complete(tmp_path)
    (tmp_path / "kueue").chmod(0o644)
    (tmp_path / "stages" / "pod-ready.yaml").unlink()
    monkeypatch.setenv(binaries.VARIABLE, str(tmp_path))
    with pytest.raises(binaries.BinariesMissing, match=r"lacks kueue, stages/pod-ready\.yaml$"):
        binaries.folder()


def test_a_changed_source_is_built_anew(tmp_path, monkeypatch):
    source = tmp_path / "source"
    source.mkdir()
    for file in versions.SOURCE.iterdir():
        (source / file.name).write_bytes(file.read_bytes())
    before = versions.key()
    monkeypatch.setattr(versions, "SOURCE", source)
    assert versions.key() == before
    (source / "main.go").write_text("package main\n")
    changed = versions.key()
    assert changed != before
    monkeypatch.setattr(versions, "KUEUE", "0.20.0")
    assert versions.key() not in {before, changed}


def test_a_failed_command_is_told_with_the_end_of_what_it_said(tmp_path):
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho undefined: nothing\nexit 1\n")
    go.chmod(0o755)
    shop = steps.Workshop(str(go), tmp_path, tmp_path, tmp_path / "log", lambda: None)
    with pytest.raises(BuildFailed, match=r"(?s)go build \. failed.*undefined: nothing"):
        shop.run("build", ".")


def test_an_interrupted_build_ends_what_it_started(tmp_path):
    go = tmp_path / "go"
    go.write_text(
        f"#!/bin/sh\necho $$ > {tmp_path}/new\nmv {tmp_path}/new {tmp_path}/pid\nexec sleep 600\n"
    )
    go.chmod(0o755)

    def interrupt() -> None:
        if (tmp_path / "pid").exists():
            raise KeyboardInterrupt

    shop = steps.Workshop(str(go), tmp_path, tmp_path, tmp_path / "log", interrupt)
    with pytest.raises(KeyboardInterrupt):
        shop.run("build")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_log_gets_a_line_as_a_step_begins_and_as_it_ends():
    said = io.StringIO()
    progress = Progress(2, said)
    progress.begin("build Kueue", "6 minutes")
    progress.tick()
    progress.finish()
    assert said.getvalue() == (
        "[1/2] build Kueue (about 6 minutes the first time) 0:00\n"
        "[1/2] build Kueue (about 6 minutes the first time) 0:00 done\n"
    )


def test_a_terminal_sees_one_line_that_counts():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    said = Terminal()
    progress = Progress(1, said)
    progress.begin("build KWOK", "2 minutes")
    progress.tick()
    progress.finish()
    assert said.getvalue().count("\r") == 3
    assert said.getvalue().endswith("0:00 done\n")


def test_the_command_says_what_is_wrong_without_a_traceback(tmp_path):
    told = subprocess.run(
        [sys.executable, "-m", "local.controlplane.build"],
        env={**os.environ, binaries.VARIABLE: str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert told.stderr.startswith(f"{binaries.VARIABLE}={tmp_path} lacks cluster")
