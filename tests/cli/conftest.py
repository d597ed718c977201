"""Tables as wide as they need to be, whatever terminal the tests run in."""

import pytest

from cli import output


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output.console, "width", 200)
