"""One pass of the watch over one cluster: tell what changed, then remember that it is told.

Nothing is marked as seen before its event is out. A pass that dies in between tells the same again,
and the ledger counts it once.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import batched
from typing import Protocol

from commons.adapters.watch_table import Seen, WatchTable
from commons.adapters.workloads import Observed
from commons.domain import watching
from commons.domain.errors import StillConverging
from commons.domain.events import OutgoingEvent
from commons.domain.queues import changed_queues
from commons.domain.task_events import Queue, TaskStateChanged
from commons.domain.watching import Look

# told and remembered together, so that a pass over thousands of tasks gets on even if it is cut
_AT_ONCE = 50


class Publisher(Protocol):
    def publish(self, events: Sequence[OutgoingEvent]) -> None: ...


class TaskWatch:
    """`team_of` says which team holds a namespace of the cluster; None: it is not ours."""

    def __init__(
        self,
        table: WatchTable,
        bus: Publisher,
        cluster: str,
        team_of: Callable[[str], str | None],
    ) -> None:
        self._table = table
        self._bus = bus
        self._cluster = cluster
        self._team_of = team_of

    def tell(self, seen: Seen, observed: Observed, now: datetime) -> int:
        """How many events were published. `now` is the time just before the cluster was read."""
        if seen.tasks and not (observed.workloads or observed.queues):
            raise StillConverging(
                f"{self._cluster} answers with no queue and no task at all where there were "
                f"{len(seen.tasks)}: is Kueue being replaced?"
            )
        told = self._tell_queues(seen, observed, now)
        queues = {**seen.queues, **told}
        count = len(told)
        for batch in batched(self._stories(seen, observed, queues, now), _AT_ONCE, strict=False):
            self._publish([event for story in batch for event in story])
            self._table.keep_tasks(self._cluster, [story[-1] for story in batch])
            count += sum(len(story) for story in batch)
        count += self._tell_gone(seen, observed, now)
        self._table.passed(self._cluster, now)
        return count

    def _tell_queues(self, seen: Seen, observed: Observed, now: datetime) -> Mapping[str, Queue]:
        complete = not observed.unreadable
        changed = {
            namespace: queue
            for namespace, queue in changed_queues(
                seen.queues, observed.queues, now, complete
            ).items()
            if self._team_of(namespace)
        }
        self._publish(
            [watching.ceiling_changed(self._cluster, name, q) for name, q in changed.items()]
        )
        self._table.keep_queues(self._cluster, changed)
        return changed

    def _stories(
        self, seen: Seen, observed: Observed, queues: Mapping[str, Queue], now: datetime
    ) -> list[list[TaskStateChanged]]:
        found = []
        for workload in observed.workloads:
            namespace, uid = workload.metadata.namespace, workload.metadata.uid
            if team := self._team_of(namespace):
                queue = queues.get(namespace, Queue())
                look = Look(self._cluster, team, queue, now, seen.last_pass)
                found.append(watching.changes(workload, seen.tasks.get(uid), look))
        return [story for story in found if story]

    def _tell_gone(self, seen: Seen, observed: Observed, now: datetime) -> int:
        there = {workload.metadata.uid for workload in observed.workloads} | set(
            observed.unreadable
        )
        gone = [event for uid, event in seen.tasks.items() if uid not in there]
        unfinished = [event for event in gone if event.state != "Finished"]
        self._publish([watching.gone(event, now, seen.last_pass) for event in unfinished])
        self._table.forget_tasks(self._cluster, [event.workload.uid for event in gone])
        return len(unfinished)

    def _publish(self, events: Sequence[watching.Told]) -> None:
        self._bus.publish([watching.published(event) for event in events])
