"""Errors of functions keep the names that Lambda gives them, so that state machines can tell them.

Without this every exception of a handler is `Runtime.HandlerError`, a killed worker as well.
"""

import threading
from collections.abc import Callable
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

from local.gateway_patch import replace, rewrite

_HANDLER = '{"status": "error", "error": str(e), "trace": traceback.format_exc()}'
_START = '{"status": "error", "error": str(e)}'
_INIT_FAILED = "Worker init failed: "
_EXITED = "Worker process exited immediately"

_last = threading.local()


def apply() -> None:
    """Mend the worker script, its answer, and what becomes of both."""
    replace(lambda_runtime, "_PYTHON_WORKER_SCRIPT", _script)
    replace(lambda_runtime.Worker, "invoke", _invoke)
    replace(lambda_svc, "_execute_function_warm", _execute)
    replace(lambda_svc, "_throttle_response", _throttle)


def _script(script: str) -> str:
    named = _HANDLER.replace('"trace"', '"errorType": type(e).__name__, "trace"')
    script = rewrite(script, _HANDLER, named)
    return rewrite(script, _START, _START.replace("str(e)", "traceback.format_exc()"))


def _invoke(plain: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    def invoke(worker: Any, event: Any, request_id: str, **options: Any) -> dict[str, Any]:
        answer = plain(worker, event, request_id, **options)
        _last.error_type = answer.get("errorType")
        if answer.get("status") == "error" and not _said_by_lambda(answer):
            _last.error_type = "Runtime.ExitError"
            answer["error"] = f"RequestId: {request_id} Error: Runtime exited ({answer['error']})"
        return answer

    return invoke


def _said_by_lambda(answer: dict[str, Any]) -> bool:
    """The handler raised (there is a trace) or ran out of time; anything else is a dead worker."""
    return "trace" in answer or answer["error"].startswith("Task timed out")


def _execute(plain: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    def execute(*args: Any) -> dict[str, Any]:
        _last.error_type = None
        answer = plain(*args)
        body = answer.get("body")
        if answer.get("error") and isinstance(body, dict) and "errorMessage" in body:
            error_type = _last.error_type or body["errorType"]
            answer["log"] = answer.get("log") or body["errorMessage"]
            body.update(_named(body["errorMessage"], error_type))
        return answer

    return execute


def _named(message: str, error_type: str) -> dict[str, str]:
    """Type and message of a failure, also of one before the handler ran."""
    if message.startswith(_EXITED):
        return {"errorType": "Runtime.ExitError", "errorMessage": message}
    if not message.startswith(_INIT_FAILED):
        return {"errorType": error_type, "errorMessage": message}
    raised = message.strip().splitlines()[-1]  # of the trace that our script puts there
    name = raised.partition(":")[0].rpartition(".")[2]
    missing = name in {"ImportError", "ModuleNotFoundError"}
    return {
        "errorType": "Runtime.ImportModuleError" if missing else name,
        "errorMessage": raised,
    }


def _throttle(plain: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    def throttle(*args: Any, **options: Any) -> dict[str, Any]:
        answer = plain(*args, **options)
        answer["body"]["errorType"] = "Lambda.TooManyRequestsException"
        return answer

    return throttle
