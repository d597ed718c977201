"""The summary of a cost report against the bare query of the same sums, in time and memory.

Each attempt is a process of its own, so that the peak of its memory is its own.
"""

import subprocess
import sys
from pathlib import Path

from bench import cost_data
from bench.ratio import Ratio, say

LIMIT = 1.5
MEMORY_MB = 512
_ATTEMPTS = 3


def measure(folder: Path) -> list[Ratio]:
    # in a process of its own: a child begins with the peak memory of the one it comes from
    subprocess.run([sys.executable, "-m", "bench.cost_data", str(folder)], check=True)  # noqa: S603 - our own
    times: dict[str, list[float]] = {"summary": [], "bare": []}
    peaks = []
    for attempt in range(_ATTEMPTS):
        for which, found in times.items():
            say(f"{which}, attempt {attempt + 1} of {_ATTEMPTS}")
            seconds, peak = _run(which, folder)
            found.append(seconds)
            if which == "summary":
                peaks.append(peak)
    name = f"summary of {cost_data.ROWS:,} rows"
    return [
        Ratio(name, min(times["summary"]), min(times["bare"]), LIMIT, "s"),
        Ratio(f"memory of the {name}", max(peaks), MEMORY_MB, 1.0, "MB"),
    ]


def _run(which: str, folder: Path) -> tuple[float, float]:
    command = [sys.executable, "-m", "bench.cost_attempt", which, str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    seconds, peak = ended.stdout.split()
    return float(seconds), float(peak)
