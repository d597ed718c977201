"""`python -m local.brought`: stand before a cluster that the user brings, until told to stop."""

import asyncio
import logging
import os
import secrets
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from local.brought import kubeconfig
from local.brought.kubeconfig import BadKubeconfig
from local.brought.proxy import Proxy
from local.brought.upstream import NotUsable, Upstream
from local.kubernetes import certificates
from local.kubernetes.sign_in import SignIn

_log = logging.getLogger("local.brought")


def _now() -> datetime:
    return datetime.now(UTC)


async def _serve(folder: Path, port: int, gateway: str, file: Path) -> None:
    """Return when told to stop; raises BadKubeconfig or NotUsable."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    folder.mkdir(parents=True, exist_ok=True)
    context = certificates.serve_with_own_authority(folder, _now())
    token = secrets.token_urlsafe(32)
    certificates.private(folder / "admin-token", token.encode())
    config = kubeconfig.read(file)
    upstream = Upstream(config, folder, _now)
    proxy = Proxy(token, SignIn(gateway), upstream)
    # a client that leaves ends its watch at the cluster as well
    runner = web.AppRunner(proxy.application(), access_log=None, handler_cancellation=True)
    try:
        await upstream.check()
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port, ssl_context=context, shutdown_timeout=1)
        await site.start()
        _log.info("standing before %s", config.server)
        (folder / "ready").touch()
        await stop.wait()
    finally:
        await runner.cleanup()
        await upstream.close()


def run() -> None:
    """Read the part's environment and serve."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    folder = Path(os.environ["COMMONS_LOCAL_HOME"]) / "kubernetes"
    port, gateway = int(os.environ["COMMONS_LOCAL_PORT"]), os.environ["COMMONS_LOCAL_GATEWAY_URL"]
    file = Path(os.environ["COMMONS_LOCAL_KUBECONFIG"])
    try:
        asyncio.run(_serve(folder, port, gateway, file))
    except (BadKubeconfig, NotUsable) as error:
        sys.exit(str(error))


run()
