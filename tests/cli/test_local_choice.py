"""Which Kubernetes the local cloud is started with, and what the command says of it."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli import local_parts, main
from local import processes, settings, state, supervisor
from local.cluster import Cluster
from local.controlplane import binaries
from local.state import State

PORTS = settings.Ports(gateway=1, events=2, directory=3, kubernetes=4)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing was built, and where nothing runs."""
    monkeypatch.setenv("COMMONS_LOCAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(binaries.VARIABLE, raising=False)
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[Cluster]:
    """What the supervisor was asked to start; it starts nothing."""
    wanted: list[Cluster] = []

    def up(folder: Path, port_base: int | None, say: supervisor.Say, cluster: Cluster) -> State:
        wanted.append(cluster)
        return State(ports=PORTS, parts={})

    monkeypatch.setattr(supervisor, "up", up)
    return wanted


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and all that was said; a failure as whoever types sees it."""
    said = CliRunner().invoke(main.app, ["local", *arguments])
    problem = f"{said.exception}" if said.exception else ""
    return said.exit_code, said.output + problem


def running(home: Path, **more: object) -> None:
    """Record a local cloud that runs: this process is all of its parts."""
    started = processes._start_time(os.getpid()) or ""
    ourselves = processes.Process(pid=os.getpid(), started=started)
    parts = {"gateway": ourselves, "directory": ourselves, "kubernetes": ourselves}
    state.write(State.model_validate({"ports": PORTS, "parts": parts, **more}), home)


def test_up_starts_the_cluster_that_was_asked_for(asked: list[Cluster]):
    assert run("up")[0] == 0
    assert run("up", "--kubernetes", "real", "--nodes", "ml.g5.8xlarge=2")[0] == 0
    assert asked == [Cluster(), Cluster(kubernetes="real", nodes={"ml.g5.8xlarge": 2})]


def test_a_kubeconfig_is_taken_from_where_one_is(asked: list[Cluster], tmp_path: Path):
    file = tmp_path / "config"
    file.touch()
    assert run("up", "--kubeconfig", str(file))[0] == 0
    assert (asked[0].kubernetes, asked[0].kubeconfig) == ("brought", file)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--nodes", "ml.p5.48xlarge"], "is not INSTANCE_TYPE=COUNT"),
        (["--kubeconfig", "/nowhere"], "there is no file /nowhere"),
        (["--kubeconfig", "/nowhere", "--kubernetes", "real"], "give one of them"),
    ],
)
def test_what_cannot_be_started_is_named(arguments, named, asked: list[Cluster]):
    code, said = run("up", *arguments)
    assert code != 0
    assert named in said
    assert asked == []


def test_the_real_one_says_how_it_is_built(home: Path):
    code, said = run("up", "--kubernetes", "real")
    assert code != 0
    assert "make kubernetes" in said


def test_one_that_runs_already_is_enough_if_it_is_the_same(home: Path):
    running(home, kubernetes="real", nodes={"ml.g5.8xlarge": 2})
    assert run("up")[0] == 0
    assert run("up", "--kubernetes", "real", "--nodes", "ml.g5.8xlarge=2")[0] == 0


@pytest.mark.parametrize(
    "arguments", [["--kubernetes", "embedded"], ["--nodes", "ml.g5.8xlarge=3"]]
)
def test_another_one_that_runs_is_not(arguments, home: Path):
    running(home, kubernetes="real", nodes={"ml.g5.8xlarge": 2})
    code, said = run("up", *arguments)
    assert code != 0
    assert "commons local down" in said


def test_status_says_which_runs_and_with_which_machines(home: Path):
    running(home, kubernetes="real", nodes={"ml.g5.8xlarge": 2})
    assert "Kubernetes real" in run("status")[1]
    told = json.loads(run("status", "--json")[1])
    assert (told["kubernetes"], told["nodes"]) == ("real", {"ml.g5.8xlarge": 2})


def test_env_leads_to_the_cluster_that_runs(home: Path):
    running(home, kubernetes="real")
    assert run("env")[0] == 0
    assert "server: https://127.0.0.1:4\n" in (home / "kubeconfig").read_text()


def test_env_brings_the_kubectl_that_was_built_where_there_is_no_other(home: Path, monkeypatch):
    running(home)
    built = binaries.built()
    for name in (*binaries.DATA, *binaries.PROGRAMS, binaries.KUBECTL):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).touch(mode=0o755)
    monkeypatch.setattr(local_parts.shutil, "which", lambda _: None)
    assert json.loads(run("env", "--json")[1])["PATH"].endswith(f":{built}")
    monkeypatch.setattr(local_parts.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert "PATH" not in json.loads(run("env", "--json")[1])


def test_env_quotes_what_a_shell_would_take_apart(home: Path, monkeypatch):
    running(home)
    monkeypatch.setattr(local_parts, "_environment", lambda *_: {"PATH": "/a b:/c"})
    assert "export PATH='/a b:/c';" in run("env")[1]
