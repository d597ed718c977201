"""The processes of the real cluster: watched, and never left behind; with small commands."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from local import processes
from local.controlplane.children import ChildEnded, Children

from .conftest import eventually

SLEEPS = ["sleep", "600"]


def runs(pid: int) -> bool:
    return processes._start_time(pid) is not None


def test_the_first_that_ends_is_named_with_the_end_of_its_log(tmp_path: Path):
    async def story() -> None:
        children = Children(tmp_path)
        await children.start("etcd", SLEEPS, tmp_path)
        await children.start("kueue", ["sh", "-c", "echo the disk is full; exit 3"], tmp_path)
        try:
            await children.first_ended()
        finally:
            children.end()
            await children.gone()

    with pytest.raises(ChildEnded, match=r"(?s)kueue .*exit code 3.*the disk is full"):
        asyncio.run(story())


def test_one_that_was_killed_is_told_by_the_signal(tmp_path: Path):
    async def story() -> None:
        children = Children(tmp_path)
        await children.start("etcd", ["sh", "-c", "kill -9 $$"], tmp_path)
        await children.first_ended()

    with pytest.raises(ChildEnded, match="signal 9"):
        asyncio.run(story())


def test_all_end_at_once_though_they_would_rather_not(tmp_path: Path):
    async def story() -> float:
        children = Children(tmp_path)
        # execs, since a child of its own would be left when it is killed
        stubborn = ["sh", "-c", "trap '' TERM; echo ready; exec sleep 600"]
        for name in ("apiserver", "etcd"):
            await children.start(name, stubborn, tmp_path)
        began = time.monotonic()
        children.end()
        await children.gone()
        return time.monotonic() - began

    assert asyncio.run(story()) < 2


def test_a_process_is_told_what_it_needs_and_not_which_cluster_we_use(tmp_path, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", "/somebody/elses")

    async def story() -> str:
        children = Children(tmp_path)
        said = ["sh", "-c", 'echo "${KUBECONFIG-none} $POD_NAMESPACE $PWD"']
        await children.start("kueue", said, tmp_path, POD_NAMESPACE="kueue-system")
        await children.gone()
        return children.log("kueue").read_text()

    assert asyncio.run(story()) == f"none kueue-system {tmp_path}\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_a_parent_that_is_killed_leaves_nobody_behind(tmp_path: Path):
    script = f"""
import asyncio, pathlib
from local.controlplane.children import Children
async def story():
    children = Children(pathlib.Path({str(tmp_path)!r}))
    await children.start("etcd", ["sh", "-c", "echo $$; exec sleep 600"], pathlib.Path("/"))
    await asyncio.sleep(600)
asyncio.run(story())
"""
    parent = subprocess.Popen([sys.executable, "-c", script])
    log = tmp_path / "kubernetes-etcd.log"
    child = int(eventually(lambda: log.exists() and log.read_text()))
    assert runs(child)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    eventually(lambda: not runs(child))
