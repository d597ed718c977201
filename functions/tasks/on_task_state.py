"""Answers changes of tasks and of queues: writes them into the usage ledger."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters.ledger_items import Place
from commons.adapters.messages import Message, each_message
from commons.bootstrap import logger
from commons.domain import ledger, task_events
from commons.domain.errors import RefusedInput

Entry = tuple[str, ledger.Told]


@logger.inject_lambda_context
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    teams: dict[Place, str | None] = {}
    told: dict[Place, list[Entry]] = {}

    def take(message: Message) -> None:
        found = _accept(message, teams)
        place = Place(found.cluster_arn, found.namespace)
        told.setdefault(place, []).append((message.id, found))

    answer = each_message(event, take, bootstrap.refuse, logger)
    for place, entries in told.items():
        failed = _record(place, str(teams[place]), entries)
        answer["batchItemFailures"] += [{"itemIdentifier": each} for each in failed]
    return answer


def _accept(message: Message, teams: dict[Place, str | None]) -> ledger.Told:
    """Raises RefusedInput for an event of a cluster or namespace that is not ours."""
    found = task_events.read(message.name, message.body, bootstrap.now())
    table = bootstrap.team_table()
    registered = table.find_cluster(found.cluster_arn) is not None
    place = Place(found.cluster_arn, found.namespace)
    if place not in teams:
        holder = table.holder(found.cluster_arn, found.namespace)
        teams[place] = holder[0] if holder else None
    if reasons := ledger.objections(found, teams[place], registered):
        raise RefusedInput(message.name, reasons)
    return found


def _record(place: Place, team: str, entries: list[Entry]) -> list[str]:
    """Ids of the messages that must come again. All at once; one by one if that fails."""
    events = [told for _, told in entries]
    attempts, readings = ledger.attempts_told(events, team), ledger.readings_told(events)
    try:
        bootstrap.ledger_table().record(place, attempts, readings, bootstrap.now())
    except Exception:  # noqa: BLE001 - whatever it is, the other namespaces go on
        if len(entries) > 1:
            return [failed for entry in entries for failed in _record(place, team, [entry])]
        logger.exception("a message failed and comes again", message_id=entries[0][0])
        return [entries[0][0]]
    logger.info("usage recorded", namespace=place.namespace, events=len(entries))
    return []
