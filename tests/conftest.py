"""Which tests share a worker: those of a file, and all stories, which share one local cloud."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    # not pytest_collection_modifyitems: xdist has read the marks by then
    story = item.path.parent.name == "stories"
    group = "stories" if story else item.path.as_posix()
    item.add_marker(pytest.mark.xdist_group(group))
