"""`commons directory` against the real directory process."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cli import main
from tests.local.directory_process import Directory, eventually, running


@pytest.fixture(scope="module")
def directory() -> Iterator[Directory]:
    with running() as part:
        yield part


Run = Callable[..., Any]


@pytest.fixture
def commons(
    directory: Directory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.setenv("AWS_ENDPOINT_URL_IDENTITYSTORE", directory.url)

    def run(*words: str, code: int = 0) -> Any:
        monkeypatch.setattr(sys, "argv", ["commons", "directory", *words])
        with pytest.raises(SystemExit) as ended:
            main.run()
        shown = capsys.readouterr()
        assert ended.value.code == code, shown
        if code:
            return shown.err
        return json.loads(shown.out) if "--json" in words else shown.out

    return run


def listed(commons: Run) -> tuple[dict[str, list[str]], dict[str, str]]:
    shown = commons("list", "--json")
    members = {group["name"]: group["members"] for group in shown["groups"]}
    return members, {user["user_name"]: user["status"] for user in shown["users"]}


def test_people_come_join_leave_and_go(commons: Run) -> None:
    group = commons("create-group", "gpu-cli", "--json")
    user = commons("create-user", "ada.byron@example.com", "--json")
    assert set(group) == {"name", "group_id"}
    assert set(user) == {"user_name", "user_id"}
    joined = commons("add-member", "gpu-cli", "ada.byron@example.com", "--json")
    assert set(joined) == {"membership_id", "group_id", "user_id"}
    assert (joined["group_id"], joined["user_id"]) == (group["group_id"], user["user_id"])
    assert listed(commons)[0]["gpu-cli"] == ["ada.byron@example.com"]
    left = commons("remove-member", group["group_id"], user["user_id"], "--json")
    assert left["membership_id"] == joined["membership_id"]
    assert listed(commons)[0]["gpu-cli"] == []
    assert commons("delete-user", "ada.byron@example.com", "--json")["user_id"] == user["user_id"]
    assert commons("delete-group", "gpu-cli", "--json")["group_id"] == group["group_id"]
    members, people = listed(commons)
    assert "gpu-cli" not in members
    assert "ada.byron@example.com" not in people


def test_adding_twice_is_no_failure(commons: Run) -> None:
    commons("create-group", "gpu-again")
    commons("create-user", "bob")
    first = commons("add-member", "gpu-again", "bob", "--json")
    assert commons("add-member", "gpu-again", "bob", "--json") == first


def test_a_user_is_disabled_and_enabled(commons: Run) -> None:
    commons("create-user", "cy")
    assert commons("disable-user", "cy", "--json")["status"] == "disabled"
    assert listed(commons)[1]["cy"] == "disabled"
    commons("enable-user", "cy")
    assert listed(commons)[1]["cy"] == "enabled"


def test_each_action_leaves_the_events_of_its_writer(directory: Directory, commons: Run) -> None:
    commons("create-group", "gpu-scim")
    commons("create-group", "gpu-console", "--as", "console")
    sources = eventually(
        lambda: [d["eventSource"] for d in directory.intake.named("CreateGroup")],
        lambda found: found[-1] == "sso-directory.amazonaws.com",
    )
    assert sources[-2] == "identitystore-scim.amazonaws.com"


def test_for_people_it_says_a_sentence_and_tables(commons: Run) -> None:
    assert "group gpu-told (group_id " in commons("create-group", "gpu-told")
    shown = commons("list")
    assert "gpu-told" in shown
    assert "Users" in shown


def test_what_cannot_be_is_bad_input_and_what_failed_a_failure(commons: Run) -> None:
    commons("create-group", "gpu-wrong")
    commons("create-user", "dora")
    assert "there is no group nobody" in commons("add-member", "nobody", "dora", code=2)
    assert "there is no user nobody" in commons("delete-user", "nobody", code=2)
    assert "dora is not a member" in commons("remove-member", "gpu-wrong", "dora", code=2)
    assert "--as is one of" in commons("create-group", "x", "--as", "me", code=2)
    assert "Duplicate" in commons("create-group", "gpu-wrong", code=1)
    assert "no call" in commons("disable-user", "dora", "--as", "api", code=1)


def test_without_a_local_cloud_it_says_how_to_start_one(
    commons: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("COMMONS_LOCAL_HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ENDPOINT_URL_IDENTITYSTORE", "https://identitystore.amazonaws.com")
    assert "commons local up" in commons("list", code=1)
