"""`commons local credentials` and `token`: what programs ask for, and the reason they get none."""

import json
from typing import Any

import pytest

from cli import errors
from cli.main import app
from local import portal, settings, state
from tests.cli.stack_support import CliRunner

PORTS = settings.Ports(gateway=1, events=2, directory=3, kubernetes=4)
KEYS = {
    "access_key_id": "ASIA1",
    "secret_access_key": "secret",
    "session_token": "session",
    "expiration": "2026-11-02T12:00:00Z",
}


class Portal:
    """Lets ada in, in the account that is asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []

    def credentials(self, _: Any, user: str, permission_set: str, account: str) -> dict[str, str]:
        self.asked.append((user, permission_set, account))
        if user != "ada":
            raise portal.NotLetIn("no assignment gives it")
        return KEYS


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    known = Portal()
    running = state.State.model_construct(ports=PORTS)
    monkeypatch.setattr(state, "running", lambda: running)
    monkeypatch.setattr(portal, "credentials", known.credentials)
    monkeypatch.setattr(portal, "token", lambda _, keys, eks: f"{keys['access_key_id']}@{eks}")
    return known.asked


def run(*arguments: str) -> tuple[int, str]:
    """Exit code, and what is printed or said."""
    result = CliRunner().invoke(app, ["local", *arguments])
    if isinstance(result.exception, Exception):
        known = errors.explain(result.exception)
        assert known is not None, result.exception
        return known
    return result.exit_code, result.stdout


def test_credentials_are_what_a_credential_process_prints(asked: list[Any]) -> None:
    code, said = run("credentials", "--user", "ada", "--permission-set", "commons-vision")
    assert code == 0
    assert json.loads(said) == {
        "Version": 1,
        "AccessKeyId": "ASIA1",
        "SecretAccessKey": "secret",
        "SessionToken": "session",
        "Expiration": "2026-11-02T12:00:00Z",
    }
    assert asked == [("ada", "commons-vision", settings.ACCOUNT)]


def test_the_account_may_be_another(asked: list[Any]) -> None:
    run("credentials", "--user", "ada", "--permission-set", "p", "--account", "444455556666")
    assert asked == [("ada", "p", "444455556666")]


def test_a_token_of_a_person_is_theirs_and_for_one_cluster(asked: list[Any]) -> None:
    words = ("--as", "ada", "--permission-set", "commons-vision", "--cluster", "hp-far")
    code, said = run("token", *words)
    assert (code, json.loads(said)["kind"]) == (0, "ExecCredential")
    assert json.loads(said)["status"]["token"] == "ASIA1@hp-far"


@pytest.mark.parametrize("command", [("credentials", "--user"), ("token", "--as")])
def test_who_is_not_let_in_hears_why(asked: list[Any], command: tuple[str, str]) -> None:
    code, said = run(*command, "eve", "--permission-set", "p")
    assert (code, said) == (errors.FAILURE, "eve is not let in: no assignment gives it")


def test_a_token_for_somebody_needs_to_know_by_which_permission_set(asked: list[Any]) -> None:
    code, said = run("token", "--as", "ada")
    assert code == errors.BAD_INPUT
    assert "--permission-set" in said
    assert asked == []


def test_without_a_local_cloud_nobody_signs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Any:
        raise state.NotRunning("no local cloud runs here")

    monkeypatch.setattr(state, "running", none)
    code, said = run("credentials", "--user", "ada", "--permission-set", "p")
    assert (code, said) == (errors.FAILURE, "no local cloud runs here")
