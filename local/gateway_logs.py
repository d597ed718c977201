"""What a function says is also in a file of its own: the stack's functions share one log group."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ministack.services import lambda_svc

from local.gateway_patch import replace


def apply(home: Path) -> None:
    """Write each invocation's output below `home`/logs/functions."""
    folder = home / "logs" / "functions"
    folder.mkdir(parents=True, exist_ok=True)
    replace(lambda_svc, "_emit_lambda_logs", lambda plain: _with_file(plain, folder))


def _with_file(plain: Callable[..., None], folder: Path) -> Callable[..., None]:
    def emit(
        function: Any, request: str, text: str, failed: bool, duration: int, **options: Any
    ) -> None:
        plain(function, request, text, failed, duration, **options)
        name = (function.get("config") or function)["FunctionName"]
        outcome = "failed" if failed else "ended"
        lines = [
            *text.splitlines(),
            f"{datetime.now(UTC):%FT%TZ} {outcome} {request} {duration} ms",
        ]
        # one write for the whole invocation, so that two at once do not mix
        target = os.open(folder / f"{name}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(target, "".join(f"{line}\n" for line in lines).encode())
        finally:
            os.close(target)

    return emit
