"""From a Workload in a cluster to device-hours, through the watch, the queue and the ledger."""

import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from commons import bootstrap
from commons.adapters.ledger_table import LedgerTable
from commons.adapters.usage_table import UsageTable
from commons.adapters.watch_table import WatchTable
from commons.domain.documents import ClusterDocument
from commons.domain.errors import Throttled
from commons.domain.team import Accepted
from tasks import on_task_state, total_usage, watch_tasks
from tests.adapters.usage_support import usage_table
from tests.handlers.conftest import Context, Stack
from tests.sample_events import batch, sample
from tests.unit.kueue_support import cluster_queue, condition, local_queue, workload
from tests.unit.tasks_support import CLUSTER, NAMESPACE, P5, at, detail, envelope

OTHER = CLUSTER.replace("abcdef", "fedcba")


class Clusters:
    """Kubernetes APIs by cluster; one without objects does not answer."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, list[dict[str, Any]]]] = {}

    def hold(self, cluster: str, *workloads: dict[str, Any]) -> None:
        self.objects[cluster] = {
            "Workload": list(workloads),
            "ClusterQueue": [cluster_queue()],
            "LocalQueue": [local_queue()],
        }

    def reader(self, document: ClusterDocument, purpose: str) -> Any:
        objects = self.objects.get(document.cluster)

        class Api:
            def list(
                self, kind: str, namespace: str | None = None, labels: Any = None
            ) -> list[dict[str, Any]]:
                if objects is None:
                    raise Throttled(f"{document.name} does not answer")
                return objects.get(kind, [])

        return Api()


class Tasks:
    def __init__(self, stack: Stack, usage: Any) -> None:
        self.stack = stack
        self.usage = UsageTable(usage)
        self.raw = usage
        self.clusters = Clusters()

    def register(self, cluster: str, name: str) -> None:
        document = ClusterDocument(kind="Cluster", cluster=cluster, name=name, eks_cluster=name)
        text = document.model_dump_json()
        self.stack.raw.put_item(
            Item={
                **Accepted[ClusterDocument](
                    document=document,
                    key=f"documents/{name}.yaml",
                    version="1",
                    etag="x",
                    uploaded_at="2026-10-01T00:00:00Z",
                    accepted_at="2026-10-01T00:00:00Z",
                ).model_dump(exclude={"document"}),
                "pk": f"CLUSTER#{cluster}",
                "sk": "DOCUMENT",
                "kind": "cluster",
                "document": text,
            }
        )
        self.claim(NAMESPACE, "vision", cluster)

    def claim(self, namespace: str, team: str, cluster: str = CLUSTER) -> None:
        key = {"pk": f"NAMESPACE#{cluster}#{namespace}", "sk": "CLAIM"}
        self.stack.raw.put_item(Item={**key, "team": team, "project": ""})

    def deliver(self, context: Context) -> dict[str, Any]:
        """What the bus holds, through the queue."""
        events = [envelope(e.detail, e.detail_type) for e in self.stack.bus.events]
        self.stack.bus.events.clear()
        return on_task_state.handler(batch(*events), context)

    def hours(self) -> dict[str, tuple[Decimal, Decimal]]:
        found = self.usage.daily_usage(CLUSTER, date(2026, 9, 1), date(2026, 10, 31))
        return {f"{u.namespace} {u.day:%d}": (u.own, u.borrowed) for u in found}


@pytest.fixture
def tasks(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tasks]:
    raw = usage_table()
    found = Tasks(stack, raw)
    found.register(CLUSTER, "prod")
    clock(monkeypatch, at("12:00"))
    monkeypatch.setattr(bootstrap, "ledger_table", lambda: LedgerTable(raw))
    monkeypatch.setattr(bootstrap, "watch_table", lambda: WatchTable(raw))
    monkeypatch.setattr(bootstrap, "cluster_reader", found.clusters.reader)
    return found


def clock(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    monkeypatch.setattr(bootstrap, "now", lambda: moment)


FINISHED = workload(condition("Admitted", "10:00"), condition("Finished", "11:00"))


def test_a_finished_task_becomes_own_and_borrowed_hours(tasks: Tasks, context: Context) -> None:
    tasks.clusters.hold(CLUSTER, FINISHED)
    watch_tasks.handler({}, context)
    assert tasks.deliver(context) == {"batchItemFailures": []}
    assert tasks.hours() == {f"{NAMESPACE} 02": (Decimal(8), Decimal(8))}
    watch_tasks.handler({}, context)
    assert tasks.stack.bus.events == []


def test_what_runs_is_carried_on_every_few_minutes(
    tasks: Tasks, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks.clusters.hold(CLUSTER, workload(condition("Admitted", "10:00")))
    watch_tasks.handler({}, context)
    tasks.deliver(context)
    assert tasks.hours() == {f"{NAMESPACE} 02": (Decimal(16), Decimal(16))}
    clock(monkeypatch, at("2026-10-03T01:00:00"))
    total_usage.handler({}, context)
    assert tasks.hours() == {
        f"{NAMESPACE} 02": (Decimal(112), Decimal(112)),
        f"{NAMESPACE} 03": (Decimal(8), Decimal(8)),
    }


def test_a_day_is_counted_once_more_when_it_is_over(
    tasks: Tasks, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks.clusters.hold(CLUSTER, FINISHED)
    watch_tasks.handler({}, context)
    tasks.deliver(context)
    clock(monkeypatch, at("2026-10-03T00:05:00"))
    total_usage.handler({}, context)
    (day,) = tasks.usage.daily_usage(CLUSTER, date(2026, 10, 1), date(2026, 10, 3))
    assert day.as_of == at("2026-10-03T00:05:00")


def test_a_cluster_that_does_not_answer_is_named_and_stops_no_other(
    tasks: Tasks, context: Context
) -> None:
    tasks.register(OTHER, "far-away")
    tasks.clusters.hold(CLUSTER, FINISHED)
    with pytest.raises(ExceptionGroup, match="far-away does not answer") as caught:
        watch_tasks.handler({}, context)
    assert len(caught.value.exceptions) == 1
    assert tasks.stack.bus.details("TaskStateChanged")


def test_ts_02_repeats_with_one_id_and_with_several_count_once(
    tasks: Tasks, context: Context
) -> None:
    start, end = detail("Admitted", "10:00"), detail("Finished", "11:00")
    events = [envelope(start)] * 3 + [envelope(end, event_id=f"e{n}") for n in range(2)]
    for _ in range(2):
        assert on_task_state.handler(batch(*events), context) == {"batchItemFailures": []}
    assert tasks.hours() == {f"{NAMESPACE} 02": (Decimal(8), Decimal(0))}


def test_ts_10_poisoned_messages_in_a_mixed_batch_stop_nobody(
    tasks: Tasks, context: Context
) -> None:
    tasks.claim("hyperpod-ns-beta", "beta")

    def run(namespace: str, team: str, uid: str) -> list[dict[str, Any]]:
        more = {"namespace": namespace, "team": team, "workload": {"uid": uid}}
        return [
            envelope(detail("Admitted", "10:00", **more)),
            envelope(detail("Finished", "11:00", **more)),
        ]

    poison = envelope(detail("Dancing", "10:00"))
    bodies = [
        *run(NAMESPACE, "vision", "a"),
        poison,
        "not json",
        *run("hyperpod-ns-beta", "beta", "b"),
        *run("hyperpod-ns-beta", "", "c"),
    ]
    assert on_task_state.handler(batch(*bodies), context) == {"batchItemFailures": []}
    assert tasks.hours() == {
        "hyperpod-ns-beta 02": (Decimal(16), Decimal(0)),
        f"{NAMESPACE} 02": (Decimal(8), Decimal(0)),
    }
    refused = {item["name"]: item for item in tasks.stack.refused()}
    assert sorted(refused) == ["TaskStateChanged event-1", "message m4"]
    assert json.loads(refused["TaskStateChanged event-1"]["source"]["body"]) == poison
    assert "state" in refused["TaskStateChanged event-1"]["reasons"][0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"clusterArn": OTHER}, "not registered"),
        ({"namespace": "hyperpod-ns-nobody", "team": ""}, "no team has"),
        ({"team": "beta"}, "belongs to team vision"),
    ],
)
def test_events_of_others_are_refused_by_name(
    tasks: Tasks, context: Context, change: dict[str, str], reason: str
) -> None:
    answer = on_task_state.handler(batch(envelope(detail("Admitted", "10:00", **change))), context)
    assert answer == {"batchItemFailures": []}
    (refused,) = tasks.stack.refused()
    assert reason in refused["reasons"][0]
    assert tasks.hours() == {}


def test_qu_07_work_without_a_queue_or_team_is_its_namespaces_use(
    tasks: Tasks, context: Context
) -> None:
    bypassing = detail("Admitted", "10:00", team=None, queueName=None, queue=None, attempt=None)
    on_task_state.handler(batch(envelope(bypassing)), context)
    assert tasks.hours() == {f"{NAMESPACE} 02": (Decimal(16), Decimal(0))}
    item = tasks.raw.get_item(Key={"pk": f"NS#{CLUSTER}#{NAMESPACE}", "sk": "ATTEMPT#uid-1#1"})
    assert item["Item"]["team"] == "vision"


def test_a_failing_write_brings_back_only_its_message(
    tasks: Tasks, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = LedgerTable(tasks.raw)

    class Failing:
        def record(self, place: Any, attempts: Any, readings: Any, now: Any) -> None:
            if any(attempt.uid == "bad" for attempt in attempts):
                raise Throttled("too fast")
            real.record(place, attempts, readings, now)

    monkeypatch.setattr(bootstrap, "ledger_table", Failing)
    events = [
        envelope(detail("Admitted", "10:00", workload={"uid": uid})) for uid in ("a", "bad", "c")
    ]
    answer = on_task_state.handler(batch(*events), context)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m2"}]}
    assert tasks.hours() == {f"{NAMESPACE} 02": (Decimal(32), Decimal(0))}


def test_the_ceiling_in_an_event_decides_what_is_borrowed(tasks: Tasks, context: Context) -> None:
    queue = {"name": "q", "ceilings": {P5: "6"}}
    events = [detail("Admitted", "10:00", queue=queue), detail("Finished", "11:00", queue=queue)]
    on_task_state.handler(batch(*map(envelope, events)), context)
    assert tasks.hours() == {f"{NAMESPACE} 02": (Decimal(6), Decimal(2))}


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("task_admitted", 0),
        ("task_evicted", 0),
        ("task_finished", 0),
        ("task_queue_ceiling_changed", 0),
        ("task_without_what_it_needs", 1),
    ],
)
def test_our_own_samples_are_taken(tasks: Tasks, context: Context, name: str, refused: int) -> None:
    assert on_task_state.handler(batch(sample(name)), context) == {"batchItemFailures": []}
    assert len(tasks.stack.refused()) == refused
