"""Step of reconcile_team: remember who is in the team, as the directory says it now."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain import group_pins, membership
from commons.domain.facets import TeamStep
from commons.domain.leavers import leavers
from commons.domain.membership_guard import strictest
from commons.domain.membership_outcome import outcome


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    team = TeamStep.model_validate(event).team
    table, people = bootstrap.member_table(), bootstrap.identity_store()
    document, clusters = bootstrap.team_table().with_clusters(team)
    pins, current = table.pins(team), table.members(team)
    groups = people.read_groups(document.wanted_groups(), pins)
    known = people.people(membership.ids_to_look_up(groups, current))
    guard = strictest(cluster.membership_guard for cluster in clusters.values())
    plan = membership.plan(groups, known, current, guard)
    table.save(team, plan, leavers(plan, current, bootstrap.now()))
    for name, pin in group_pins.new_pins(groups, pins):
        table.pin(team, name, pin)
    for name, pin in group_pins.old_pins(groups, pins):
        table.unpin(team, name, pin)
    answer = outcome(groups, plan, current)
    bootstrap.logger.info("members are known", team=team, actions=answer.actions)
    return answer.payload()
