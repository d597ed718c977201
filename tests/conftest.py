"""Which tests share a worker: those of a file, and all stories, which share one local cloud."""

import pytest


# before xdist reads the marks
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        story = item.path.parent.name == "stories"
        group = "stories" if story else item.path.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
