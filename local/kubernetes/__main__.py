"""`python -m local.kubernetes`: serve the local clusters on loopback until told to stop."""

import logging
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from local.kubernetes import certificates
from local.kubernetes.server import Server
from local.kubernetes.sign_in import SignIn


def _now() -> datetime:
    return datetime.now(UTC)


def run() -> None:
    """Read the part's environment, write ca.crt and admin-token, serve."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    folder = Path(os.environ["COMMONS_LOCAL_HOME"]) / "kubernetes"
    folder.mkdir(parents=True, exist_ok=True)
    context = certificates.serve_with_own_authority(folder, _now())
    token = secrets.token_urlsafe(32)
    certificates.private(folder / "admin-token", token.encode())
    server = Server(token, SignIn(os.environ["COMMONS_LOCAL_GATEWAY_URL"]), _now)
    web.run_app(
        server.application(),
        host="127.0.0.1",
        port=int(os.environ["COMMONS_LOCAL_PORT"]),
        ssl_context=context,
        access_log=None,
        shutdown_timeout=1,
        print=None,
    )


run()
