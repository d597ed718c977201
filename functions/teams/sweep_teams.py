"""Runs every few hours: finds teams that differ from what they should be, whatever was missed."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.bootstrap import logger
from commons.domain.sweep import KnownTeam, age_seconds, differences


@logger.inject_lambda_context
def handler(_event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    teams = [accepted.document.team for accepted in bootstrap.team_table().teams()]
    # first what is locked for nothing, since a team that runs is not looked at
    mended = {team: bootstrap.runner().check(team, bootstrap.now()) for team in teams}
    observations = bootstrap.observations()
    known = observations.known()
    observed = observations.observed(known)
    drifted = {team.document.team: differences(team, observed) for team in known}
    for team in known:
        _settle(team, drifted[team.document.team])
    answer: dict[str, Any] = {
        "teams": len(known),
        "mended": {team: reason for team, reason in mended.items() if reason},
        "drifted": {team: reasons for team, reasons in drifted.items() if reasons},
    }
    logger.info("teams swept", **answer)
    return answer


def _settle(known: KnownTeam, reasons: list[str]) -> None:
    team, now = known.document.team, bootstrap.now()
    if reasons:
        age = age_seconds(known.status, now)
        logger.warning("drift found", team=team, reasons=reasons, at_most_seconds_old=age)
        bootstrap.runner().request(team, now)
    elif known.status.execution_arn is None:
        bootstrap.team_table().note_sweep(team, now)
