"""Start-up of each function: its import against that of the libraries that every function needs."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.ratio import Ratio, say

FUNCTIONS = Path(__file__).parents[1] / "functions"
LIMIT = 1.5
_RIVAL = (
    "import boto3; from pydantic import BaseModel; "
    "from aws_lambda_powertools import Logger; Logger()"
)
# the fastest of several: what else the machine does only adds
_ATTEMPTS = 7


def measure() -> list[Ratio]:
    """Every function in turn with the rival, so that both see the same machine."""
    return [_ratio(name) for name in _handlers()]


def _handlers() -> Iterator[str]:
    for path in sorted(FUNCTIONS.glob("*/*.py")):
        if path.stem != "__init__" and path.parent.name != "commons":
            yield f"{path.parent.name}.{path.stem}"


def _ratio(name: str) -> Ratio:
    say(f"importing {name}")
    times: dict[str, list[float]] = {_RIVAL: [], f"import {name}": []}
    for _ in range(_ATTEMPTS):
        for statement, found in times.items():
            found.append(_seconds(statement))
    rival, own = (min(found) for found in times.values())
    return Ratio(f"import of {name}", own, rival, LIMIT, "s")


def _seconds(statement: str) -> float:
    """Of processor time: an import waits for nothing, and other work on the machine counts not."""
    environment = os.environ | {"PYTHONPATH": str(FUNCTIONS), "AWS_DEFAULT_REGION": "us-west-2"}
    before = _processor_time()
    subprocess.run([sys.executable, "-c", statement], env=environment, check=True)  # noqa: S603 - our own
    return _processor_time() - before


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
