"""`python -m local.controlplane.build`: build the real cluster once into the user's cache."""

import fcntl
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.controlplane import binaries, steps, toolchain
from local.controlplane.progress import Progress
from local.controlplane.steps import BuildFailed, Step, Workshop


def build() -> Path:
    """The folder with all binaries, what lacks built.

    Raises BuildFailed, NoGo or BinariesMissing.
    """
    if named := binaries.prebuilt():
        return named
    target = binaries.built()
    with _alone(target.with_name(f"{target.name}.lock")):
        if binaries.missing(target):
            _all(target)
        elif _lacks_kubectl(target):
            _in_place(target, [Step("build kubectl", "1 minute", steps.kubectl)])
    return target


def _all(target: Path) -> None:
    """Build beside the target and rename: others see all of it or nothing."""
    fresh = target.with_name(f"{target.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)  # of a build that was interrupted
    fresh.mkdir()
    _in_place(fresh, list(steps.needed(with_kubectl=_lacks_kubectl(fresh))))
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)


def _in_place(out: Path, wanted: list[Step]) -> None:
    work = out.with_name(f"{out.name}.work")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    log = out.with_name(f"{out.name}.log")
    log.unlink(missing_ok=True)
    progress = Progress(len(wanted) + 1)
    progress.begin("find Go", "half a minute")
    go = toolchain.on_path() or toolchain.install(binaries.cache())
    progress.finish()
    shop = Workshop(go, work, out, log, progress.tick)
    for step in wanted:
        progress.begin(step.name, step.minutes)
        step.do(shop)
        progress.finish()
    shutil.rmtree(work)


def _lacks_kubectl(folder: Path) -> bool:
    return shutil.which(binaries.KUBECTL) is None and not (folder / binaries.KUBECTL).exists()


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One build of the same thing at a time; a second one waits and finds it done."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write("another build is under way; waiting for it\n")
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Build, and say where it is."""
    try:
        folder = build()
    except (BuildFailed, toolchain.NoGo, binaries.BinariesMissing) as error:
        sys.exit(str(error))
    sys.stdout.write(f"The real Kubernetes is in {folder}\n")


if __name__ == "__main__":
    main()
