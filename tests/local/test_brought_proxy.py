"""Who gets into a cluster that the user brings, and as whom."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from local.brought import identity, kubeconfig
from local.brought.upstream import NotUsable, Upstream
from local.kubernetes.errors import ApiError

from .brought_cluster import (
    ADA,
    ADMINISTRATOR,
    NOW,
    READER,
    asked,
    played,
    sent,
    written,
)


def test_a_person_goes_on_under_their_own_name_by_the_kubeconfigs_credentials(tmp_path):
    path = "/api/v1/namespaces/team/pods?labelSelector=a%3Db"
    status, body = asked(tmp_path, path, "k8s-aws-v1.ada", "POST", X_Remote_User="root")
    assert status == 200
    assert (body["method"], body["path"], body["body"]) == ("POST", f"/base{path}", "{}")
    assert sent(body, "Authorization") == ["Bearer mine"]
    assert sent(body, "Impersonate-User") == ["commons:vision:ada"]
    assert sent(body, "Impersonate-Group") == ["gpu-vision"]
    assert sent(body, "X-Remote-User") == []


def test_a_person_cannot_name_somebody_else(tmp_path):
    status, body = asked(tmp_path, "/api/v1/pods", "k8s-aws-v1.ada", Impersonate_User="root")
    assert (status, body["reason"]) == (403, "Forbidden")
    assert 'User "commons:vision:ada" cannot impersonate resource "users"' in body["message"]


@pytest.mark.parametrize("name", ["Impersonate-Group", "Impersonate-Uid", "Impersonate-Extra-A"])
def test_a_person_cannot_take_groups_or_anything_else_either(name):
    with pytest.raises(ApiError, match="cannot impersonate"):
        identity.headers(ADA, [(name, "system:masters")], "GET", "/api/v1/pods", {})


def test_the_local_administrator_is_the_kubeconfigs_user_or_whom_they_name(tmp_path):
    _, body = asked(tmp_path, "/api/v1/pods", ADMINISTRATOR)
    assert sent(body, "Impersonate-User") == []
    _, body = asked(tmp_path, "/api/v1/pods", ADMINISTRATOR, Impersonate_User="ada")
    assert sent(body, "Impersonate-User") == ["ada"]


def test_an_access_policy_lets_do_what_it_says_and_no_more():
    def groups(method: str, path: str) -> list[str]:
        headers = identity.headers(READER, [], method, path, {})
        return [value for name, value in headers if name == "Impersonate-Group"]

    assert groups("GET", "/api/v1/namespaces/team/pods") == ["system:masters"]
    assert groups("DELETE", "/api/v1/namespaces/team/pods/a") == []


@pytest.mark.parametrize("token", [None, "k8s-aws-v1.stranger", "mine", "admin"])
def test_a_stranger_gets_nowhere(token, tmp_path):
    status, body = asked(tmp_path, "/api/v1/pods", token)
    assert (status, body["message"]) == (401, "Unauthorized")


def test_the_version_is_told_to_anybody(tmp_path):
    assert asked(tmp_path, "/version", None)[1]["path"] == "/base/version"


@pytest.mark.parametrize(
    "path", ["/../other/api/v1/pods", "/api/%2e%2e/%2e%2e/other", "-other/api/v1/pods"]
)
def test_there_is_no_way_to_another_cluster(path, tmp_path):
    async def story(session: aiohttp.ClientSession, root: str) -> int:
        host, port = root.split("/")[2].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"GET /clusters/hp-eks{path} HTTP/1.1\r\nHost: a\r\n"
            f"Authorization: Bearer {ADMINISTRATOR}\r\n\r\n".encode()
        )
        line = await reader.readline()
        writer.close()
        return int(line.split()[1])

    assert played(tmp_path, story) == 404


def test_what_needs_an_upgraded_connection_is_refused_with_what_would_do(tmp_path):
    status, body = asked(
        tmp_path,
        "/api/v1/namespaces/team/pods/a/exec",
        "k8s-aws-v1.ada",
        Connection="Upgrade",
        Upgrade="SPDY/3.1",
    )
    assert status == 501
    assert "use its own kubeconfig" in body["message"]


def test_a_watch_comes_as_it_happens(tmp_path):
    async def story(session: aiohttp.ClientSession, root: str) -> bytes:
        headers = {"Authorization": "Bearer k8s-aws-v1.ada"}
        async with session.get(f"{root}/api/v1/pods?watch=1", headers=headers) as answer:
            return await asyncio.wait_for(answer.content.readline(), 5)

    assert played(tmp_path, story) == b"first\n"


def test_what_the_cluster_tells_in_headers_is_passed_on(tmp_path):
    async def story(session: aiohttp.ClientSession, root: str) -> str:
        headers = {"Authorization": f"Bearer {ADMINISTRATOR}"}
        async with session.get(f"{root}/api/v1/pods", headers=headers) as answer:
            return answer.headers["Warning"]

    assert played(tmp_path, story) == "299 - told"


def test_a_user_who_may_not_act_as_others_is_of_no_use(tmp_path):
    async def story(session: aiohttp.ClientSession, root: str) -> None:
        raise AssertionError("the proxy must not serve")

    with pytest.raises(NotUsable, match="may not impersonate"):
        played(tmp_path, story, known_as="weak")


def test_a_server_that_does_not_answer_is_named(tmp_path):
    file = written(tmp_path, "https://127.0.0.1:9", {"token": "mine"})

    async def check() -> None:
        upstream = Upstream(kubeconfig.read(file), tmp_path, lambda: NOW)
        try:
            await upstream.check()
        finally:
            await upstream.close()

    with pytest.raises(NotUsable, match=r"https://127\.0\.0\.1:9 does not answer"):
        asyncio.run(check())


def test_a_body_that_is_too_large_is_refused_as_the_server_would(tmp_path):
    async def story(session: aiohttp.ClientSession, root: str) -> Any:
        headers = {"Authorization": f"Bearer {ADMINISTRATOR}"}
        body = b" " * (3 * 1024 * 1024 + 1)
        async with session.post(f"{root}/api/v1/pods", headers=headers, data=body) as answer:
            return json.loads(await answer.read())["code"]

    assert played(tmp_path, story) == 413
