"""One attempt in a process of its own: prints its seconds and its peak memory in MB."""

import resource
import sys
import time
from pathlib import Path

from bench import cost_data, cost_rivals
from commons.adapters.cost_files import summarise


def summary(folder: Path, files: list[Path]) -> None:
    """What the function does, once its files are on disk."""
    named = [(path.name, path) for path in files]
    summarise(named, folder / "summary.parquet", cost_data.PERIOD)


def main() -> None:
    which, folder, kind = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    files = sorted(folder.glob(f"bench-*.{kind}"))
    attempt = {"summary": summary, "bare": cost_rivals.bare, "pandas": cost_rivals.pandas}[which]
    start = time.perf_counter()
    attempt(folder, files)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(seconds, peak)  # noqa: T201 - the output


main()
