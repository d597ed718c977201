"""What of a kubeconfig is used: the address, whom to trust, who we are."""

import asyncio
import base64
import ssl
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from local.brought import kubeconfig
from local.brought.kubeconfig import BadKubeconfig
from local.brought.upstream import Upstream
from local.kubernetes import certificates

from .brought_cluster import (
    NOW,
    serving,
    told,
    written,
)


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


def test_a_client_certificate_is_shown_to_a_server_that_asks_for_one(tmp_path):
    certificate, key = _client_certificate()
    (tmp_path / "known.crt").write_bytes(certificate)

    async def run() -> None:
        context = certificates.serve_with_own_authority(tmp_path, datetime.now(UTC))
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(tmp_path / "known.crt")
        brought = web.Application()
        brought.router.add_route("*", "/{path:.*}", told)
        async with serving(brought, context) as port:
            shown = {
                "client-certificate-data": base64.b64encode(certificate).decode(),
                "client-key-data": base64.b64encode(key).decode(),
            }
            trusted = {"certificate-authority": "ca.crt"}
            file = written(tmp_path, f"https://127.0.0.1:{port}", shown, **trusted)
            upstream = Upstream(kubeconfig.read(file), tmp_path, lambda: NOW)
            await upstream.check()
            await upstream.close()

    asyncio.run(asyncio.wait_for(run(), 20))
    assert (tmp_path / "client.key").stat().st_mode & 0o777 == 0o600


def _client_certificate() -> tuple[bytes, bytes]:
    """A certificate that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mine")])
    at = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name)
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(at - timedelta(hours=1)).not_valid_after(
        at + timedelta(hours=1)
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    signed = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return signed, key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def test_a_certificate_that_nobody_signed_is_trusted_only_where_the_file_says_so(tmp_path):
    who = kubeconfig.Credentials()
    plain = kubeconfig.read(written(tmp_path, "https://a", {}))
    assert kubeconfig.trust(plain, who, tmp_path).verify_mode is ssl.CERT_REQUIRED
    skipped = kubeconfig.read(
        written(tmp_path, "https://a", {}, **{"insecure-skip-tls-verify": True})
    )
    assert kubeconfig.trust(skipped, who, tmp_path).verify_mode is ssl.CERT_NONE
