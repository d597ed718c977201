"""The directory part: moto with what AWS does and it does not (`python -m local.directory`)."""

import logging
import os
from collections.abc import Iterable
from typing import Any

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import make_server

from local.services import administrator
from local.services.register import register
from local.settings import ACCOUNT


class Application:
    """The administrator's routes, and moto for all that AWS itself answers."""

    def __init__(self) -> None:
        self._aws = DomainDispatcherApplication(create_backend_app)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ.get("PATH_INFO", "").startswith(administrator.PREFIX):
            return administrator.application(environ, start_response)
        answer: Iterable[bytes] = self._aws(environ, start_response)
        return answer


class _Quiet(MotoRequestHandler):
    def log_request(self, *_: Any, **__: Any) -> None:
        """Say nothing of a request that was answered."""


def run() -> None:
    """Serve on loopback until ended."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    os.environ["MOTO_ACCOUNT_ID"] = ACCOUNT  # else every access key is an account of its own
    register()
    port = int(os.environ["COMMONS_LOCAL_PORT"])
    make_server(
        "127.0.0.1", port, Application(), threaded=True, request_handler=_Quiet
    ).serve_forever()


if __name__ == "__main__":
    run()
