"""Replace private names of ministack, but only where they are what they were."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

MINISTACK = "1.5.33"


class PatchDoesNotApply(Exception):
    """ministack is not the version these patches were written for."""


def check_version() -> None:
    """Raise PatchDoesNotApply unless the pinned version is installed."""
    installed = version("ministack")
    if installed != MINISTACK:
        raise PatchDoesNotApply(
            f"ministack {installed} is installed, the patches are for {MINISTACK}"
        )


def replace(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Set `owner.name` to what `make` returns for its present value."""
    if not hasattr(owner, name):
        raise PatchDoesNotApply(f"{getattr(owner, '__name__', owner)} has no {name}")
    setattr(owner, name, make(getattr(owner, name)))


def rewrite(text: str, old: str, new: str) -> str:
    """`text` with its one `old` as `new`."""
    if text.count(old) != 1:
        raise PatchDoesNotApply(f"expected once, found {text.count(old)} times: {old}")
    return text.replace(old, new)
