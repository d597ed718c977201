"""What the watch last saw of a cluster, in the `usage` table.

Items under pk WATCH#<cluster>:
  WORKLOAD#<uid>     event: the task's last published TaskStateChanged, as JSON
  QUEUE#<namespace>  queue: the last published ceilings of the namespace, as JSON
  PASS               at: when the last complete pass began
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from boto3.dynamodb.conditions import Key as Where

from commons.adapters.usage_table import query
from commons.domain.task_events import Queue, TaskStateChanged


class Seen(NamedTuple):
    tasks: Mapping[str, TaskStateChanged]
    queues: Mapping[str, Queue]
    # None: no pass was ever completed
    last_pass: datetime | None


class WatchTable:
    def __init__(self, table: Any) -> None:
        self._table = table

    def seen(self, cluster: str) -> Seen:
        tasks: dict[str, TaskStateChanged] = {}
        queues: dict[str, Queue] = {}
        last_pass = None
        for item in query(self._table, Where("pk").eq(f"WATCH#{cluster}")):
            kind, _, name = item["sk"].partition("#")
            match kind:
                case "WORKLOAD":
                    tasks[name] = TaskStateChanged.model_validate_json(item["event"])
                case "QUEUE":
                    queues[name] = Queue.model_validate_json(item["queue"])
                case "PASS":
                    last_pass = datetime.fromisoformat(item["at"])
        return Seen(tasks, queues, last_pass)

    def keep_tasks(self, cluster: str, last: Iterable[TaskStateChanged]) -> None:
        """Only after these events are out."""
        with self._table.batch_writer() as batch:
            for event in last:
                key = {"pk": f"WATCH#{cluster}", "sk": f"WORKLOAD#{event.workload.uid}"}
                batch.put_item(Item={**key, "event": event.model_dump_json(by_alias=True)})

    def forget_tasks(self, cluster: str, uids: Iterable[str]) -> None:
        """Their objects are gone and their end is out."""
        with self._table.batch_writer() as batch:
            for uid in uids:
                batch.delete_item(Key={"pk": f"WATCH#{cluster}", "sk": f"WORKLOAD#{uid}"})

    def keep_queues(self, cluster: str, queues: Mapping[str, Queue]) -> None:
        with self._table.batch_writer() as batch:
            for namespace, queue in queues.items():
                key = {"pk": f"WATCH#{cluster}", "sk": f"QUEUE#{namespace}"}
                batch.put_item(Item={**key, "queue": queue.model_dump_json(by_alias=True)})

    def passed(self, cluster: str, began: datetime) -> None:
        """A pass that began then is complete: all that changed before it is out."""
        moment = began.astimezone(UTC).isoformat()
        self._table.put_item(Item={"pk": f"WATCH#{cluster}", "sk": "PASS", "at": moment})
