"""The summary of a cost report against those of others, in time and memory.

Each attempt is a process of its own, so that the peak of its memory is its own.
"""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from bench import cost_data
from bench.ratio import Ratio, say

LIMIT = 1.3
MEMORY_MB = 512
# of pandas: at least three times as fast, and at most a quarter of its memory
PANDAS_TIME, PANDAS_MEMORY = 1 / 3, 1 / 4
_ATTEMPTS = 5


class Best(NamedTuple):
    """The fastest of the attempts, and the largest of their peaks."""

    seconds: float
    megabytes: float


def measure(folder: Path) -> list[Ratio]:
    # in a process of its own: a child begins with the peak memory of the one it comes from
    _run("bench.cost_data", "parquet", str(folder))
    large = folder / "larger"
    cost_data.larger(folder, large)
    ratios = _against_bare(folder, cost_data.ROWS) + _against_pandas(folder)
    ratios += _against_bare(large, cost_data.ROWS * cost_data.TIMES)
    for path in folder.glob("**/*.parquet"):
        path.unlink()
    return ratios + _of_csv(folder)


def _against_bare(folder: Path, rows: int) -> list[Ratio]:
    """In turn, so that both see the same machine."""
    tried = [(_attempt("summary", folder), _attempt("bare", folder)) for _ in range(_ATTEMPTS)]
    own, bare = (_best(list(each)) for each in zip(*tried, strict=True))
    name = f"summary of {rows:,} rows"
    return [
        Ratio(f"{name} against the bare query", own.seconds, bare.seconds, LIMIT, "s"),
        Ratio(f"memory of the {name}", own.megabytes, MEMORY_MB, 1.0, "MB"),
    ]


def _against_pandas(folder: Path) -> list[Ratio]:
    own = _best([_attempt("summary", folder)])
    rival = _attempt("pandas", folder)
    name = f"of {cost_data.ROWS:,} rows against pandas"
    return [
        Ratio(f"summary {name}", own.seconds, rival.seconds, PANDAS_TIME, "s"),
        Ratio(f"memory {name}", own.megabytes, rival.megabytes, PANDAS_MEMORY, "MB"),
    ]


def _of_csv(folder: Path) -> list[Ratio]:
    _run("bench.cost_data", "csv", str(folder))
    own = _attempt("summary", folder, "csv.gz")
    name = f"memory of the summary of {cost_data.CSV_ROWS:,} rows in csv.gz, {own.seconds:.0f} s"
    return [Ratio(name, own.megabytes, MEMORY_MB, 1.0, "MB")]


def _best(attempts: list[Best]) -> Best:
    return Best(min(each.seconds for each in attempts), max(each.megabytes for each in attempts))


def _attempt(which: str, folder: Path, kind: str = "parquet") -> Best:
    say(f"{which} of {folder.name}, {kind}")
    seconds, peak = _run("bench.cost_attempt", which, str(folder), kind).split()
    return Best(float(seconds), float(peak))


def _run(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603 - our own
