"""A chargeback stack on moto, fresh for each test."""

from collections.abc import Iterator

import pytest
from moto import mock_aws

from commons import bootstrap
from tests.chargeback.chain import CHARGEBACK, NOW, Chain, prepare


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chain]:
    environment = {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-west-2",
        "TEAM_TABLE_NAME": "teams",
        "USAGE_TABLE_NAME": "usage",
        "CHARGEBACK_TABLE_NAME": "chargeback",
        "CHARGEBACK_BUCKET_NAME": CHARGEBACK,
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        prepare()
        _forget_clients()
        made = Chain()
        monkeypatch.setattr(bootstrap, "event_bus", lambda: made.events)
        monkeypatch.setattr(bootstrap, "now", lambda: NOW)
        yield made
    _forget_clients()


def _forget_clients() -> None:
    """Adapters are kept for the life of a process; here they are of one test's moto."""
    for each in vars(bootstrap).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()
