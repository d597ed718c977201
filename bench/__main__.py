"""Prints every ratio and ends with 1 where one falls short of what is promised."""

import os
import platform
import sys
import tempfile
from pathlib import Path

from bench import cost_summary, imports
from bench.ratio import Ratio, say


def main() -> int:
    say(f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory(prefix="commons-bench-") as folder:
        ratios: list[Ratio] = [*imports.measure(), *cost_summary.measure(Path(folder))]
    for ratio in ratios:
        print(ratio)  # noqa: T201 - the output
    return 0 if all(ratio.kept for ratio in ratios) else 1


sys.exit(main())
