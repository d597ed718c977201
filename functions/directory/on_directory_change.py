"""Answers changes of the directory, by any of its writers: looks again at the teams they touch."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap, settings
from commons.adapters.messages import Message, each_message
from commons.bootstrap import logger
from commons.domain.directory_events import OutOfScope, Subject, read_directory_event, subject_of


@logger.inject_lambda_context
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    requested: set[str] = set()
    # a burst of changes to one group is one look-up, and to one team one request
    seen: dict[Subject, set[str]] = {}

    def take(message: Message) -> None:
        for team in sorted(_touched(message, seen) - requested):
            bootstrap.runner().request(team, bootstrap.now())
            requested.add(team)

    answer = each_message(event, take, bootstrap.refuse, logger)
    logger.info("directory changes taken in", teams=sorted(requested))
    return answer


def _touched(message: Message, seen: dict[Subject, set[str]]) -> set[str]:
    change = read_directory_event(message.name, message.body)
    subject = subject_of(
        change,
        settings.Directory.read().identity_store_id,
        settings.OwnCalls.read().own_role_prefix,
    )
    if isinstance(subject, OutOfScope):
        return _out_of_scope(change.detail.event_name, subject.reason)
    if subject not in seen:
        seen[subject] = bootstrap.team_lookup().teams_of(subject)
    return seen[subject] or _out_of_scope(change.detail.event_name, f"unknown_{subject.kind}")


def _out_of_scope(event_name: str, reason: str) -> set[str]:
    """Counted, and told without anything personal."""
    bootstrap.count("OutOfScope", reason)
    logger.info("out of scope", event_name=event_name, reason=reason)
    return set()
