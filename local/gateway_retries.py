"""EventBridge invokes functions asynchronously: with retries and an on-failure destination.

Without this a rule's target is tried once. What is under way can be asked, which only the
emulator knows: an asynchronous invocation is in no queue that has a name.
"""

import inspect
import json
import threading
from collections import Counter

from ministack.services import eventbridge, lambda_svc

from local.gateway_patch import PatchDoesNotApply, replace

_RETRY_LOOP = "invoke_async_with_retry.<locals>._run"


def apply() -> None:
    """Let rules invoke functions as an asynchronous invocation."""
    if "_run" not in lambda_svc.invoke_async_with_retry.__code__.co_varnames:
        raise PatchDoesNotApply("invoke_async_with_retry has no _run")
    replace(eventbridge, "_dispatch_to_lambda", lambda _: _dispatch_to_lambda)


def _dispatch_to_lambda(arn: str, payload: str) -> None:
    function, config, _ = lambda_svc._get_func_record_for_ref(arn)
    if function and config:
        record = lambda_svc._execution_record_for_config(function, config)
        lambda_svc.invoke_async_with_retry(record, json.loads(payload))


def under_way() -> dict[str, int]:
    """Invocations that run or wait for their next attempt, by function."""
    running = Counter[str]()
    for key, count in lambda_svc.executions_in_flight()[1].items():
        running[key.rpartition(":")[2]] += count
    waiting = Counter(filter(None, map(_retried_function, threading.enumerate())))
    return dict(running | waiting)


def _retried_function(thread: threading.Thread) -> str | None:
    """The function whose asynchronous invocation this thread is, if it is one."""
    arguments = getattr(thread, "_args", ())  # a thread that has ended no longer has them
    loop = arguments[0] if arguments else None
    if loop is None or getattr(loop, "__qualname__", "") != _RETRY_LOOP:
        return None
    record = inspect.getclosurevars(loop).nonlocals["func"]
    return str((record.get("config") or record).get("FunctionName"))
