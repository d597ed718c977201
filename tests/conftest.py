"""Which tests share a worker: those of a file, and all stories, which share one local cloud."""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.clouds import cloud, parts

__all__ = ["cloud", "parts"]


class ByFile(LoadScopeScheduling):
    """Order within a file is kept; the stories, which mostly wait, are one piece of work."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return "stories" if "/stories/" in file else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # the longest piece of work begins first
    items.sort(key=lambda item: item.path.parent.name != "stories")
