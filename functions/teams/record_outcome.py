"""Last step of reconcile_team: records the outcome, tells it, and frees the team or goes on."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.bootstrap import logger
from commons.domain.outcome import Outcome, Result, reconciled_event, result_of
from commons.domain.status import Phase


@logger.inject_lambda_context
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    outcome = Outcome.model_validate(event)
    status = bootstrap.team_table().status(outcome.team)
    phase: Phase | str | None = status.phase
    if status.execution_arn == outcome.execution:
        phase = _record(outcome).phase
    # a team that could not be read has seen no more than what its execution was claimed for
    seen = status.claimed if outcome.read else outcome.requested
    bootstrap.runner().finish(outcome.team, outcome.execution, seen, bootstrap.now())
    return {"team": outcome.team, "failed": outcome.failed, "phase": phase}


def _record(outcome: Outcome) -> Result:
    table, now = bootstrap.team_table(), bootstrap.now()
    accepted = table.find_team(outcome.team)
    result = result_of(
        outcome,
        accepted.document if accepted else None,
        table.status(outcome.team),
        table.namespaces(outcome.team),
        now,
    )
    # told before it is recorded: a worker that dies in between tells it twice, never not at all
    bootstrap.event_bus().publish([reconciled_event(result)])
    for each in result.namespaces:
        table.note_conditions(
            result.team, each.cluster, each.namespace, each.project, each.phase, each.conditions
        )
    version = accepted.version if accepted else None
    table.note_outcome(result.team, result.phase, result.conditions, version, now)
    logger.info("team reconciled", team=result.team, phase=result.phase)
    return result
