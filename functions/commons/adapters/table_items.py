"""One DynamoDB table of items with keys pk and sk: get, query whole, write with a condition."""

from collections.abc import Iterator
from typing import Any

from boto3.dynamodb.conditions import Attr, ConditionBase, Key
from botocore.exceptions import ClientError

from commons.adapters.aws_errors import code_of, translated

Item = dict[str, Any]
_DOING = "using the team table"


class TableItems:
    """Reads are consistent: what was written a moment ago is seen."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def _get(self, pk: str, sk: str) -> Item | None:
        with translated(_DOING):
            answer = self._table.get_item(Key={"pk": pk, "sk": sk}, ConsistentRead=True)
        item: Item | None = answer.get("Item")
        return item

    def _below(self, pk: str, prefix: str) -> Iterator[Item]:
        """All items of `pk` whose sk begins with the prefix, page by page."""
        condition = Key("pk").eq(pk) & Key("sk").begins_with(prefix)
        return self._pages(KeyConditionExpression=condition, ConsistentRead=True)

    def _of_kind(self, kind: str) -> Iterator[Item]:
        """All items of a kind in the order of pk; a moment late, as an index is."""
        return self._pages(IndexName="by_kind", KeyConditionExpression=Key("kind").eq(kind))

    def _pages(self, **query: Any) -> Iterator[Item]:
        while True:
            with translated(_DOING):
                answer = self._table.query(**query)
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _put(self, item: Item, condition: ConditionBase | None = None) -> bool:
        """Write a whole item; False if the condition does not hold."""
        kept = {key: value for key, value in item.items() if value is not None}
        arguments = {"ConditionExpression": condition} if condition is not None else {}
        return self._unless_refused(self._table.put_item, Item=kept, **arguments)

    def _set(self, pk: str, sk: str, values: Item, condition: ConditionBase | None = None) -> bool:
        """Set some attributes, remove those that are None; False if the condition does not hold."""
        names = {f"#{n}": name for n, name in enumerate(values)}
        alias = {name: short for short, name in names.items()}
        given = {f":{alias[k][1:]}": v for k, v in values.items() if v is not None}
        parts = []
        if sets := [f"{alias[k]} = :{alias[k][1:]}" for k, v in values.items() if v is not None]:
            parts.append("SET " + ", ".join(sets))
        if removes := [alias[k] for k, v in values.items() if v is None]:
            parts.append("REMOVE " + ", ".join(removes))
        arguments: Item = {"ConditionExpression": condition} if condition is not None else {}
        if given:
            arguments["ExpressionAttributeValues"] = given
        return self._unless_refused(
            self._table.update_item,
            Key={"pk": pk, "sk": sk},
            UpdateExpression=" ".join(parts),
            ExpressionAttributeNames=names,
            **arguments,
        )

    def _delete(self, pk: str, sk: str) -> None:
        with translated(_DOING):
            self._table.delete_item(Key={"pk": pk, "sk": sk})

    def _batch(self, puts: list[Item], deletes: list[tuple[str, str]]) -> None:
        """Write many items; what DynamoDB leaves unprocessed is sent again."""
        with translated(_DOING), self._table.batch_writer() as batch:
            for item in puts:
                batch.put_item(Item={k: v for k, v in item.items() if v is not None})
            for pk, sk in deletes:
                batch.delete_item(Key={"pk": pk, "sk": sk})

    @staticmethod
    def _unless_refused(write: Any, **arguments: Any) -> bool:
        try:
            with translated(_DOING):
                write(**arguments)
        except ClientError as error:
            if code_of(error) != "ConditionalCheckFailedException":
                raise
            return False
        return True


def absent(attribute: str) -> ConditionBase:
    return Attr(attribute).not_exists()
