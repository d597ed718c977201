"""A cluster that the user brings, played by a server that tells what it was asked."""

import asyncio
import base64
import json
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from aiohttp import web

from local.brought import identity, kubeconfig
from local.brought.kubeconfig import BadKubeconfig
from local.brought.proxy import Proxy
from local.brought.upstream import NotUsable, Upstream
from local.kubernetes import certificates
from local.kubernetes.errors import ApiError
from local.kubernetes.rbac import User
from local.settings import EKS_CLUSTER

NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
ADA = User("commons:vision:ada", ("gpu-vision", "system:authenticated"))
READER = User("commons:reader", reader=True)
ADMINISTRATOR = "the-local-administrator"


class KnownTokens:
    """Signs in whoever is known, as the access entries would."""

    def __init__(self, **users: User) -> None:
        self._users = users

    async def user(self, cluster: str, token: str) -> User | None:
        assert cluster == EKS_CLUSTER
        return self._users.get(token.removeprefix("k8s-aws-v1."))


def written(folder: Path, server: str, user: dict[str, Any], **cluster: Any) -> Path:
    """A kubeconfig file."""
    file = folder / "config"
    document = {
        "current-context": "mine",
        "contexts": [{"name": "mine", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server, **cluster}}],
        "users": [{"name": "u", "user": user}],
    }
    file.write_text(yaml.safe_dump(document))
    return file


async def told(request: web.Request) -> web.StreamResponse:
    """What the brought cluster answers: the request itself, or its reviews and kinds."""
    if request.path.endswith("selfsubjectaccessreviews"):
        allowed = request.headers.get("Authorization") != "Bearer weak"
        return web.json_response({"status": {"allowed": allowed}})
    if "watch" in request.query:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first\n")
        await asyncio.sleep(600)
    return web.json_response(
        {
            "path": request.rel_url.raw_path_qs,
            "method": request.method,
            "headers": [[name, value] for name, value in request.headers.items()],
            "body": (await request.read()).decode(),
        },
        headers={"Warning": "299 - told"},
    )


@asynccontextmanager
async def serving(
    application: web.Application, context: ssl.SSLContext | None
) -> AsyncIterator[str]:
    runner = web.AppRunner(application, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context, shutdown_timeout=0.1)
    await site.start()
    try:
        yield str(runner.addresses[0][1])
    finally:
        await runner.cleanup()


Story = Callable[[aiohttp.ClientSession, str], Awaitable[Any]]


def played(tmp_path: Path, story: Story, known_as: str = "mine") -> Any:
    """Run a story against the proxy before a server with a certificate of its own."""

    async def run() -> Any:
        context = certificates.serve_with_own_authority(tmp_path, datetime.now(UTC))
        brought = web.Application()
        brought.router.add_route("*", "/{path:.*}", told)
        async with serving(brought, context) as port:
            file = written(
                tmp_path,
                f"https://127.0.0.1:{port}/base/",
                {"token": known_as},
                **{"certificate-authority": "ca.crt"},
            )
            upstream = Upstream(kubeconfig.read(file), tmp_path, lambda: NOW)
            await upstream.check()
            proxy = Proxy(ADMINISTRATOR, KnownTokens(ada=ADA, reader=READER), upstream)
            async with (
                serving(proxy.application(), None) as front,
                aiohttp.ClientSession() as session,
            ):
                answer = await story(session, f"http://127.0.0.1:{front}/clusters/hp-eks")
            await upstream.close()
            return answer

    return asyncio.run(asyncio.wait_for(run(), 20))


def asked(
    tmp_path: Path, path: str, token: str | None, method: str = "GET", **headers: str
) -> tuple[int, Any]:
    """Status and body of one request through the proxy."""

    async def story(session: aiohttp.ClientSession, root: str) -> Any:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            given["Authorization"] = f"Bearer {token}"
        async with session.request(method, root + path, headers=given, data=b"{}") as answer:
            return answer.status, await answer.json(content_type=None)

    return played(tmp_path, story)


def sent(body: dict[str, Any], name: str) -> list[str]:
    return [value for header, value in body["headers"] if header.lower() == name.lower()]


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


@pytest.mark.parametrize(
    ("server", "user", "named"),
    [
        ("http://127.0.0.1:1", {}, "is not an https address"),
        ("https://a", {"username": "a", "password": "b"}, "username, password is not supported"),
        ("https://a", {"auth-provider": {"name": "gcp"}}, "auth-provider is not supported"),
    ],
)
def test_a_kubeconfig_that_cannot_be_used_says_why(server, user, named, tmp_path):
    with pytest.raises(BadKubeconfig, match=named):
        kubeconfig.read(written(tmp_path, server, user))


@pytest.mark.parametrize("content", ["", "a: [", "current-context: gone\ncontexts: []"])
def test_a_file_without_a_current_context_is_named(content, tmp_path):
    file = tmp_path / "config"
    file.write_text(content)
    with pytest.raises(BadKubeconfig, match="no usable current context"):
        kubeconfig.read(file)


def test_credentials_come_from_the_file_or_from_files_beside_it(tmp_path):
    (tmp_path / "token").write_text("of the file\n")
    config = kubeconfig.read(written(tmp_path, "https://a", {"tokenFile": "token"}))
    assert kubeconfig.credentials(config).token == "of the file"
    inline = {"client-certificate-data": base64.b64encode(b"crt").decode(), "client-key": "token"}
    who = kubeconfig.credentials(kubeconfig.read(written(tmp_path, "https://a", inline)))
    assert (who.certificate, who.key) == (b"crt", b"of the file\n")


def plugin(tmp_path: Path, script: str) -> kubeconfig.Kubeconfig:
    """A kubeconfig whose user is asked of a program."""
    (tmp_path / "plugin.py").write_text(script)
    called = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": ["plugin.py"],
        "env": [{"name": "GIVEN", "value": "yes"}],
    }
    return kubeconfig.read(written(tmp_path, "https://a", {"exec": called}))


def test_a_plugin_gives_credentials_that_end(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of the local cloud")
    script = """
import json, os
assert os.environ["GIVEN"] == "yes" and "AWS_ACCESS_KEY_ID" not in os.environ
asked = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
status = {"token": "fresh", "expirationTimestamp": "2026-07-01T10:00:00Z"}
print(json.dumps({"apiVersion": asked["apiVersion"], "kind": asked["kind"], "status": status}))
"""
    who = kubeconfig.credentials(plugin(tmp_path, script))
    assert (who.token, who.expires) == ("fresh", NOW + timedelta(hours=1))


def test_a_plugin_that_fails_is_named(tmp_path):
    with pytest.raises(BadKubeconfig, match=r"plugin\.py gave no credentials"):
        kubeconfig.credentials(plugin(tmp_path, "raise SystemExit(1)"))


def test_credentials_are_renewed_before_they_end(tmp_path):
    count = tmp_path / "count"
    script = f"""
import json, pathlib
count = pathlib.Path({str(count)!r})
number = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(number))
status = {{"token": f"token-{{number}}", "expirationTimestamp": "2026-07-01T10:00:00Z"}}
print(json.dumps({{"status": status}}))
"""
    at = [NOW]

    async def story() -> list[str]:
        upstream = Upstream(plugin(tmp_path, script), tmp_path, lambda: at[0])
        seen = []
        for moment in (NOW, NOW + timedelta(minutes=58), NOW + timedelta(minutes=59, seconds=30)):
            at[0] = moment
            session = await upstream._connected()
            seen.append(session.headers["Authorization"])
        await upstream.close()
        return seen

    assert asyncio.run(story()) == ["Bearer token-1", "Bearer token-1", "Bearer token-2"]


def test_a_certificate_that_nobody_signed_is_trusted_only_where_the_file_says_so(tmp_path):
    who = kubeconfig.Credentials()
    plain = kubeconfig.read(written(tmp_path, "https://a", {}))
    assert kubeconfig.trust(plain, who, tmp_path).verify_mode is ssl.CERT_REQUIRED
    skipped = kubeconfig.read(
        written(tmp_path, "https://a", {}, **{"insecure-skip-tls-verify": True})
    )
    assert kubeconfig.trust(skipped, who, tmp_path).verify_mode is ssl.CERT_NONE


def test_a_body_that_is_too_large_is_refused_as_the_server_would(tmp_path):
    async def story(session: aiohttp.ClientSession, root: str) -> Any:
        headers = {"Authorization": f"Bearer {ADMINISTRATOR}"}
        body = b" " * (3 * 1024 * 1024 + 1)
        async with session.post(f"{root}/api/v1/pods", headers=headers, data=body) as answer:
            return json.loads(await answer.read())["code"]

    assert played(tmp_path, story) == 413
