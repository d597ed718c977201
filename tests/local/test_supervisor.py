"""Starting, watching and ending processes, with parts that are small enough to be quick."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from local import fixtures, logs, processes, settings, state, supervisor

from .conftest import eventually

SERVES = "tests.local.standins.serves"
DIES = "tests.local.standins.dies"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home whose cloud consists of two small parts; whatever still runs is ended."""
    monkeypatch.setattr(supervisor, "PARTS", {"gateway": SERVES, "directory": SERVES})
    monkeypatch.setattr(fixtures, "create", lambda s, _: {"made": str(s.ports.gateway)})
    yield tmp_path
    supervisor.down(tmp_path)


def child_of(home: Path, part: str) -> int:
    text = eventually(lambda: logs.of_part(home, part).read_text())
    return int(re.search(r"child (\d+)", text)[1])


def runs(pid: int) -> bool:
    return processes._start_time(pid) is not None


def test_up_starts_every_part_and_records_what_exists(home):
    started = supervisor.up(home)
    assert [part.state for part in supervisor.status(home)] == ["running", "running"]
    assert state.read(home) == started
    assert started.fixtures == {"made": str(started.ports.gateway)}
    assert str(home) in logs.tail(logs.of_part(home, "directory"))


def test_up_twice_does_nothing(home):
    first = supervisor.up(home)
    assert supervisor.up(home) is None
    assert state.read(home) == first


def test_down_ends_the_parts_and_their_children(home):
    supervisor.up(home)
    pids = [part.pid for part in supervisor.status(home)]
    children = [child_of(home, part) for part in supervisor.PARTS]
    assert supervisor.down(home) == ["gateway", "directory"]
    eventually(lambda: not any(map(runs, pids + children)))
    assert supervisor.status(home) == []


def test_down_without_up_ends_nothing(home):
    assert supervisor.down(home) == []


def test_down_leaves_a_stranger_with_a_number_of_ours_alone(home):
    started = supervisor.up(home)
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    ours = started.parts["gateway"]
    taken = {**started.parts, "gateway": processes.Process(pid=stranger.pid, started="1")}
    state.write(started.model_copy(update={"parts": taken}), home)
    try:
        assert supervisor.down(home) == ["directory"]
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
        processes.end([ours])


def test_a_part_that_ignores_the_signal_is_ended_by_force(home, monkeypatch):
    monkeypatch.setattr(supervisor, "PARTS", {"gateway": "tests.local.standins.ignores_sigterm"})
    process = supervisor.up(home).parts["gateway"]
    processes.end([process], grace=0.2)
    eventually(lambda: not processes.alive(process))


def test_a_part_that_cannot_start_is_named_with_the_end_of_its_log(home, monkeypatch):
    monkeypatch.setitem(supervisor.PARTS, "directory", DIES)
    with pytest.raises(supervisor.PartFailed, match=r"(?s)directory ended.*the disk is full"):
        supervisor.up(home)
    assert state.read(home) is None
    eventually(lambda: not runs(child_of(home, "gateway")))


def test_a_part_that_never_listens_is_named(home, monkeypatch):
    monkeypatch.setitem(supervisor.PARTS, "directory", "tests.local.standins.sleeps")
    monkeypatch.setattr(supervisor, "START_SECONDS", 0.3)
    with pytest.raises(supervisor.PartFailed, match="directory did not listen"):
        supervisor.up(home)


def test_a_part_that_died_later_is_reported_and_up_says_so(home):
    started = supervisor.up(home)
    orphan = child_of(home, "directory")
    os.kill(started.parts["directory"].pid, 9)
    os.kill(orphan, 9)
    eventually(lambda: not processes.alive(started.parts["directory"]))
    assert {p.part: p.state for p in supervisor.status(home)} == {
        "gateway": "running",
        "directory": "ended",
    }
    with pytest.raises(supervisor.PartFailed, match="directory ended by itself"):
        supervisor.up(home)
    with pytest.raises(state.NotRunning, match="directory"):
        state.running(home)


def test_up_starts_anew_where_everything_has_ended(home):
    started = supervisor.up(home)
    processes.end(list(started.parts.values()))
    assert supervisor.up(home) is not None


def test_a_state_that_is_not_there_is_not_running(tmp_path):
    with pytest.raises(state.NotRunning, match="commons local up"):
        state.running(tmp_path)


def test_ports_are_free_and_different():
    ports = settings.choose_ports()
    assert len(set(ports.model_dump().values())) == 4


def test_a_port_that_is_taken_is_named():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(settings.PortTaken, match=f"{port} .gateway. is taken"):
            settings.choose_ports(port)


def test_ports_from_a_base_are_in_a_row():
    for _ in range(50):  # a neighbour of a free port may be in use
        base = settings.choose_ports().gateway
        with contextlib.suppress(settings.PortTaken):
            ports = settings.choose_ports(base)
            break
    assert list(ports.model_dump().values()) == [base, base + 1, base + 2, base + 3]


def test_no_part_inherits_the_way_to_a_real_account(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "secret")
    environment = settings.part_environment(settings.choose_ports(), tmp_path)
    assert "AWS_PROFILE" not in environment
    assert "AWS_SESSION_TOKEN" not in environment


def test_an_ended_child_does_not_look_alive():
    child = subprocess.Popen([sys.executable, "-c", ""])
    started = processes._start_time(child.pid)
    process = processes.Process(pid=child.pid, started=started or "gone")
    time.sleep(0.5)
    assert not processes.alive(process)


def test_where_there_is_no_proc_the_start_is_told_by_ps():
    started = processes._start_time_without_proc(os.getpid())
    assert started
    assert processes._start_time_without_proc(os.getpid()) == started
    child = subprocess.Popen([sys.executable, "-c", ""])
    time.sleep(0.5)  # it is a zombie now
    assert processes._start_time_without_proc(child.pid) is None
    child.wait()
