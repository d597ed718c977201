"""`python -m local.controlplane`: run the real cluster on loopback until told to stop."""

import asyncio
import logging
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from local.controlplane import binaries, loopback, webhooks
from local.controlplane.api import NotReady, Refused
from local.controlplane.children import ChildEnded, Children
from local.controlplane.launch import Launch
from local.controlplane.loopback import Ports
from local.kubernetes.sign_in import SignIn

_log = logging.getLogger("local.controlplane")


async def _serve(home: Path, port: int, gateway: str) -> None:
    """Return when told to stop; raises ChildEnded, NotReady or Refused."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    ports = loopback.choose_ports(port)
    files = loopback.write(home / "kubernetes", ports, datetime.now(UTC))
    children = Children(home / "logs")
    launch = Launch(binaries.folder(), files, ports, children)
    runner = await _webhooks(ports, gateway)
    try:
        await _until(stop, launch, children)
    finally:
        children.end()
        await children.gone()
        await runner.cleanup()


async def _until(stop: asyncio.Event, launch: Launch, children: Children) -> None:
    stopped = asyncio.create_task(stop.wait())
    running: set[asyncio.Task[object]] = {
        stopped,
        asyncio.create_task(_start(launch)),
        asyncio.create_task(children.first_ended()),
    }
    try:
        while not stopped.done():
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # raises what went wrong
    finally:  # what goes wrong because of that is of no interest
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _start(launch: Launch) -> None:
    began = time.monotonic()
    await launch.run()
    _log.info("ready after %.1f s", time.monotonic() - began)
    (launch.files.folder / "ready").touch()


async def _webhooks(ports: Ports, gateway: str) -> web.AppRunner:
    runner = web.AppRunner(webhooks.application(SignIn(gateway)), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", ports.sign_in).start()
    return runner


def run() -> None:
    """Read the part's environment, run the cluster; exit code 1 where it ends by itself."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    home = Path(os.environ["COMMONS_LOCAL_HOME"])
    port, gateway = int(os.environ["COMMONS_LOCAL_PORT"]), os.environ["COMMONS_LOCAL_GATEWAY_URL"]
    try:
        asyncio.run(_serve(home, port, gateway))
    except (ChildEnded, NotReady, Refused, binaries.BinariesMissing) as error:
        sys.exit(str(error))


run()
