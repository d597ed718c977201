"""The `usage` table as its readers see it: daily device-hours and the history of quotas.

Items (pk / sk):
  NS#<cluster>#<namespace> / DAY#<yyyy-mm-dd>#<instance type>  held, own, borrowed, as_of
  NS#<cluster>#<namespace> / QUOTA#<effective from>#<version>  resources, strategy
  CLUSTER#<cluster> / NS#<namespace>                           had a quota or usage at some time
What the ledger writes beside them is in `ledger_table`.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from boto3.dynamodb.conditions import Key

from commons.adapters.side_by_side import side_by_side
from commons.domain.usage import DailyUsage, QuotaVersion


def partition(cluster: str, namespace: str) -> str:
    return f"NS#{cluster}#{namespace}"


def query(table: Any, condition: Any, **more: Any) -> Iterator[dict[str, Any]]:
    """Every item of a query, page by page."""
    arguments = {"KeyConditionExpression": condition, "ConsistentRead": True, **more}
    while True:
        answer = table.query(**arguments)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        arguments["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


class UsageTable:
    def __init__(self, table: Any) -> None:
        self._table = table

    def namespaces_of(self, cluster: str) -> list[str]:
        """Namespaces of the cluster that ever had a quota or usage, in order."""
        items = query(
            self._table, Key("pk").eq(f"CLUSTER#{cluster}") & Key("sk").begins_with("NS#")
        )
        return [item["sk"].removeprefix("NS#") for item in items]

    def daily_usage(self, cluster: str, first: date, last: date) -> list[DailyUsage]:
        """Of every namespace of the cluster, over the UTC days `first` to `last`, both included."""
        found = side_by_side(
            lambda namespace: self.daily_usage_of(cluster, namespace, first, last),
            self.namespaces_of(cluster),
        )
        return [usage for each in found for usage in each]

    def daily_usage_of(
        self, cluster: str, namespace: str, first: date, last: date
    ) -> list[DailyUsage]:
        """In the order of the days; days and types without use have no entry."""
        days = Key("sk").between(f"DAY#{first.isoformat()}", f"DAY#{last.isoformat()}#~")
        items = query(self._table, Key("pk").eq(partition(cluster, namespace)) & days)
        # a total that an event took back is kept at zero, so that no late worker revives it
        return [_daily(cluster, namespace, item) for item in items if item["held"]]

    def quota_history(self, cluster: str, namespace: str) -> list[QuotaVersion]:
        """Every version that was ever in force, the oldest first."""
        items = query(
            self._table,
            Key("pk").eq(partition(cluster, namespace)) & Key("sk").begins_with("QUOTA#"),
        )
        return sorted(map(_quota, items), key=lambda each: (each.effective_from, each.version))

    def record_quota(self, cluster: str, namespace: str, quota: QuotaVersion) -> None:
        """Add one version to the history; the same version again changes nothing."""
        moment = quota.effective_from.astimezone(UTC).isoformat()
        # the namespace first: a history that nobody finds would be charged to nobody
        self._table.put_item(Item={"pk": f"CLUSTER#{cluster}", "sk": f"NS#{namespace}"})
        self._table.put_item(
            Item={
                "pk": partition(cluster, namespace),
                "sk": f"QUOTA#{moment}#{quota.version}",
                "resources": dict(quota.resources),
                "strategy": quota.strategy,
            }
        )


def _daily(cluster: str, namespace: str, item: dict[str, Any]) -> DailyUsage:
    _, day, instance_type = item["sk"].split("#", 2)
    return DailyUsage(
        cluster=cluster,
        namespace=namespace,
        instance_type=instance_type,
        day=date.fromisoformat(day),
        held=item["held"],
        own=item["own"],
        borrowed=item["borrowed"],
        as_of=datetime.fromisoformat(item["as_of"]),
    )


def _quota(item: dict[str, Any]) -> QuotaVersion:
    _, moment, version = item["sk"].split("#", 2)
    return QuotaVersion(
        effective_from=datetime.fromisoformat(moment),
        version=int(version),
        resources=item["resources"],
        strategy=item["strategy"],
    )
