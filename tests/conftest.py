"""Which tests share a worker, and which need another cluster than the one that was asked for."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests import leftovers
from tests.clouds import cloud, parts

__all__ = ["cloud", "parts"]

_STORIES = sorted(file.name for file in (Path(__file__).parent / "stories").glob("test_*.py"))
_LEFT = pytest.StashKey[list[str]]()
_REAL = os.environ.get("COMMONS_TEST_KUBERNETES") == "real"


class ByFile(LoadScopeScheduling):
    """Order within a file is kept.

    On the embedded cluster only the stories, which mostly wait, need a local cloud: they are two
    pieces of work, with a cloud each. On the real one each worker has a cloud of its own, and takes
    file by file; a folder of tests/cluster is one piece, since it prepares a company together.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        if not _REAL:
            return f"stories {_STORIES.index(Path(file).name) % 2}" if "/stories/" in file else file
        folder = str(Path(file).parent)
        return folder if "/cluster/" in folder else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # what must hold for any input is tried longer where nobody waits for it
    examples = 2_000 if os.environ.get("CI") == "true" else settings().max_examples
    laws = {i.obj for i in items if isinstance(i, pytest.Function) and i.get_closest_marker("law")}
    for law in laws:
        settings(max_examples=examples, deadline=None)(law)

    # the longest pieces of work begin first
    def later(item: pytest.Item) -> tuple[bool, bool]:
        folder = item.path.parent
        return folder.parent.name != "cluster", folder.name != "stories"

    items.sort(key=later)


def pytest_configure(config: pytest.Config) -> None:
    if not _is_worker(config):
        leftovers.mark()


@pytest.hookimpl(trylast=True)  # when the workers and all fixtures have ended
def pytest_sessionfinish(session: pytest.Session) -> None:
    if not _is_worker(session.config) and (left := leftovers.end()):
        session.config.stash[_LEFT] = left
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for left in config.stash.get(_LEFT, []):
        terminalreporter.line(f"Left running by a test, and ended now: {left}", red=True)
    asked = config.args == config.getini("testpaths") or any("cluster" in a for a in config.args)
    if asked and not _REAL:
        terminalreporter.line("Not run: tests/cluster, on a real Kubernetes (make test-cluster)")
