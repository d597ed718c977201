"""Step of reconcile_team: give the team one way into each of its clusters."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.domain.access_plan import accounts_of, assignable, new_entries, outcome, wanted_set
from commons.domain.facets import TeamStep
from commons.domain.names import account_of


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    team = TeamStep.model_validate(event).team
    table, access = bootstrap.team_table(), bootstrap.team_access()
    document, clusters = table.with_clusters(team)
    accounts = accounts_of(clusters.values(), account_of(context.invoked_function_arn))
    groups = assignable(bootstrap.member_table().pins(team))
    records = {record.account: record for record in table.access(team)}
    if groups and accounts:
        wanted = wanted_set(team, clusters.values())
        arn = next((record.permission_set_arn for record in records.values()), None)
        found = access.permission_set(wanted, arn, any(account.act for account in accounts))
        for account in accounts:
            record = records.get(account.account)
            reached = access.reach(account, found, groups, record)
            if reached and reached != record:
                table.put_access(team, reached)
            for spec in new_entries(account, reached, document, table.namespaces(team)):
                table.note_access_entry(team, *spec)
    answer = outcome(access.actions, accounts, groups)
    bootstrap.logger.info("access is provided", team=team, actions=answer.actions)
    return answer.payload()
