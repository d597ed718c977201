"""What others read from the `usage` table: usage by day, quota history."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from moto import mock_aws

from commons.adapters.ledger_items import Place
from commons.adapters.ledger_table import LedgerTable
from commons.adapters.usage_table import UsageTable
from commons.domain import tasks
from commons.domain.task_events import TaskStateChanged
from commons.domain.usage import QuotaVersion
from tests.adapters.usage_support import usage_table
from tests.unit.tasks_support import CLUSTER, NAMESPACE, NOW, P5, at, detail


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        yield usage_table()


def run(table: Any, namespace: str, start: str, end: str, instance_type: str = P5) -> None:
    details = [
        detail("Admitted", start, namespace=namespace, devices={instance_type: 2}),
        detail("Finished", end, namespace=namespace),
    ]
    events = [TaskStateChanged.model_validate(each) for each in details]
    attempts = [each for event in events if (each := tasks.attempt_of(event))]
    LedgerTable(table).record(Place(CLUSTER, namespace), attempts, [], NOW)


def test_usage_of_a_cluster_by_namespace_type_and_day(table: Any) -> None:
    run(table, "hyperpod-ns-b", "10:00", "11:00", "ml.c5.large")
    run(table, NAMESPACE, "2026-10-01T23:00:00", "2026-10-03T01:00:00")
    found = UsageTable(table).daily_usage(CLUSTER, date(2026, 10, 2), date(2026, 10, 3))
    assert [(u.namespace, u.instance_type, u.day.day, u.held) for u in found] == [
        ("hyperpod-ns-b", "ml.c5.large", 2, 2),
        (NAMESPACE, P5, 2, 48),
        (NAMESPACE, P5, 3, 2),
    ]
    assert {(u.cluster, u.as_of) for u in found} == {(CLUSTER, NOW)}
    assert UsageTable(table).daily_usage("another", date(2026, 10, 1), date(2026, 10, 3)) == []


def quota(moment: str, version: int, devices: str) -> QuotaVersion:
    return QuotaVersion(
        effective_from=at(moment),
        version=version,
        resources={P5: Decimal(devices)},
        strategy="LendAndBorrow",
    )


def test_the_quota_history_comes_oldest_first_and_a_repeated_version_changes_nothing(
    table: Any,
) -> None:
    usage = UsageTable(table)
    history = [quota("10:00", 9, "8"), quota("10:00", 10, "12.5"), quota("12:00", 11, "16")]
    for each in (history[2], history[1], history[0], history[1]):
        usage.record_quota(CLUSTER, NAMESPACE, each)
    assert usage.quota_history(CLUSTER, NAMESPACE) == history
    assert usage.namespaces_of(CLUSTER) == [NAMESPACE]
    assert usage.quota_history(CLUSTER, "hyperpod-ns-other") == []
