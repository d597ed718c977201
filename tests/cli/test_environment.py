"""The command speaks to the account the caller chose, and to the local cloud only without one."""

from pathlib import Path

import pytest

from cli import environment
from local import settings, state
from local.state import State


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in environment.CHOICES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COMMONS_LOCAL_HOME", str(tmp_path / "local"))
    (tmp_path / "local").mkdir()
    environment.use_local_cloud_if_there_is_nothing_else.cache_clear()
    ports = settings.Ports(gateway=1, events=2, directory=3, kubernetes=4)
    state.write(State(ports=ports, parts={}), tmp_path / "local")
    monkeypatch.setattr(environment.os, "environ", dict(environment.os.environ))
    return tmp_path


def test_without_any_environment_the_local_cloud_is_meant(
    bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.use_local_cloud_if_there_is_nothing_else()
    assert environment.os.environ["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert "local cloud" in capsys.readouterr().err


@pytest.mark.parametrize("name", environment.CHOICES)
def test_a_chosen_account_is_never_replaced(
    bare: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.os.environ[name] = "chosen"
    before = dict(environment.os.environ)
    environment.use_local_cloud_if_there_is_nothing_else()
    assert environment.os.environ == before
    assert capsys.readouterr().err == ""


def test_a_configured_profile_is_a_choice(bare: Path) -> None:
    (bare / ".aws").mkdir()
    (bare / ".aws" / "config").write_text("[default]\n")
    environment.use_local_cloud_if_there_is_nothing_else()
    assert "AWS_ENDPOINT_URL" not in environment.os.environ
