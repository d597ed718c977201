"""The ledger answers like every other source of usage."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from moto import mock_aws

from commons.adapters.ledger_items import Place
from commons.adapters.ledger_table import LedgerTable
from commons.adapters.ledger_usage import LedgerUsage
from commons.adapters.usage_table import UsageTable
from commons.domain import tasks
from commons.domain.task_events import TaskStateChanged
from commons.domain.usage_found import Gap
from tests.adapters.usage_support import usage_table
from tests.unit.tasks_support import CLUSTER, NAMESPACE, P5, detail


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        yield usage_table()


def test_the_ledger_is_a_source_and_a_day_not_over_is_a_gap(table: Any) -> None:
    details = [
        detail("Admitted", "2026-10-02T10:00:00", devices={P5: 2}),
        detail("Finished", "2026-10-03T01:00:00"),
    ]
    events = [TaskStateChanged.model_validate(each) for each in details]
    attempts = [each for event in events if (each := tasks.attempt_of(event))]
    seen = datetime(2026, 10, 3, 7, 30, tzinfo=UTC)
    LedgerTable(table).record(Place(CLUSTER, NAMESPACE), attempts, [], seen)
    found = LedgerUsage(UsageTable(table)).read(CLUSTER, date(2026, 10, 1), date(2026, 10, 3))
    assert found.cluster == CLUSTER
    assert [(u.namespace, u.instance_type, u.day.day, u.own) for u in found.uses] == [
        (NAMESPACE, P5, 2, Decimal(28)),
        (NAMESPACE, P5, 3, Decimal(2)),
    ]
    assert found.gaps == (Gap(start=seen, end=datetime(2026, 10, 4, tzinfo=UTC)),)
    assert found.warnings == ()
