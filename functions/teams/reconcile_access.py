"""Step of reconcile_team: give the team one way into each of its clusters."""

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from commons import bootstrap
from commons.adapters.patience import unless_asked_again
from commons.domain.access import PermissionSet
from commons.domain.access_plan import (
    Account,
    accounts_of,
    assignable,
    new_entries,
    outcome,
    wanted_set,
)
from commons.domain.documents import TeamDocument
from commons.domain.facets import Outcome, TeamStep
from commons.domain.names import account_of
from commons.domain.team import Access

if TYPE_CHECKING:
    from commons.adapters.team_access import TeamAccess


@bootstrap.logger.inject_lambda_context
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    step = TeamStep.model_validate(event)
    with unless_asked_again(bootstrap.team_table(), step):
        answer = _provide(step.team, account_of(context.invoked_function_arn))
    bootstrap.logger.info("access is provided", team=step.team, actions=answer.actions)
    return answer.payload()


def _provide(team: str, own_account: str) -> Outcome:
    table, access = bootstrap.team_table(), bootstrap.team_access()
    document, clusters = table.with_clusters(team)
    accounts = accounts_of(clusters.values(), own_account)
    groups = assignable(bootstrap.member_table().pins(team))
    records = {record.account: record for record in table.access(team)}
    if groups and accounts:
        wanted = wanted_set(team, clusters.values())
        arn = next((record.permission_set_arn for record in records.values()), None)
        found = access.permission_set(wanted, arn, any(account.act for account in accounts))
        for account in accounts:
            record = records.get(account.account) or _first(account, found)
            _reach(access, document, account, found, groups, record)
    return outcome(access.actions, accounts, groups)


def _first(account: Account, found: PermissionSet) -> Access:
    return Access(account=account.account, permission_set=found.name, permission_set_arn=found.arn)


def _reach(
    access: "TeamAccess",
    document: TeamDocument,
    account: Account,
    found: PermissionSet,
    groups: list[str],
    record: Access,
) -> None:
    table, team = bootstrap.team_table(), document.team
    intended = record.with_groups(groups)
    if account.act and intended != record:
        # before anything is assigned: what a run that then fails has assigned is known as ours
        table.put_access(team, intended)
    reached = access.reach(account, found, groups, intended)
    if reached and reached != intended:
        table.put_access(team, reached)
    for spec in new_entries(account, reached, document, table.namespaces(team)):
        table.note_access_entry(team, *spec)
