"""`commons team whoami`: which team, role, access entry and user name a signed-in person has."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer
from botocore.exceptions import ClientError

from cli import errors, output, stack, team_view, whoami_checks, whoami_cluster
from cli.cluster_checks import Check
from cli.errors import BadInput, Failure
from commons.adapters.aws_errors import code_of
from commons.domain import callers
from commons.domain.callers import Caller

_DENIED = {"AccessDenied", "AccessDeniedException"}

Arn = Annotated[
    str | None,
    typer.Option("--caller", help="Arn that aws sts get-caller-identity says; your own otherwise."),
]
OnCluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Name of the EKS cluster; all of the team's if none."),
]


def whoami(arn: Arn = None, cluster: OnCluster = None, as_json: output.AsJson = False) -> None:
    """Who a person is on the clusters, by their signed identity, and whether each link holds.

    Exit code 1 if one does not. People see what AWS and the cluster tell them; who may read the
    stack sees all, also for others with --caller.
    """
    caller = _caller(arn or stack.client("sts").get_caller_identity()["Arn"])
    found = [Check("caller", "ok", f"{caller.session_name}, by {caller.permission_set}")]
    found += _checks(caller, cluster, own=arn is None)
    if as_json:
        output.print_json([asdict(each) for each in found])
    else:
        rows = [(each.name, each.result, each.found, each.todo) for each in found]
        output.print_table("Who", ["what", "", "found", "what to do"], rows)
    if any(each.result == "problem" for each in found):
        raise typer.Exit(errors.FAILURE)


def _caller(arn: str) -> Caller:
    caller = callers.read(arn)
    if caller is None:
        raise BadInput(
            f"{arn} is not a person of a team, whose sessions are called "
            "arn:aws:sts::ACCOUNT:assumed-role/AWSReservedSSO_commons-TEAM_…/USER: sign in with "
            "the profile that commons team kubeconfig wrote, or say who with --caller"
        )
    return caller


def _checks(caller: Caller, cluster: str | None, own: bool) -> list[Check]:
    try:
        return list(_from_the_stack(caller, cluster))
    except ClientError as error:
        if code_of(error) not in _DENIED or not own:
            raise
    if cluster is None:
        raise BadInput("Your role may not read the stack: name the EKS cluster with --cluster")
    return [whoami_cluster.own_name(cluster, caller)]


def _from_the_stack(caller: Caller, cluster: str | None) -> Iterator[Check]:
    table = team_view.team_table()
    way = whoami_checks.way_of(table, caller)
    if way is None:
        raise Failure(
            f"No team has the permission set {caller.permission_set} in account {caller.account}; "
            "see: commons team list"
        )
    yield from whoami_checks.person(caller, way)
    clusters = [found.document for a in way.document.clusters() if (found := table.find_cluster(a))]
    chosen = [each for each in clusters if cluster in (None, each.eks_cluster, each.name)]
    if not chosen:
        raise Failure(f"Team {way.document.team} is on no registered cluster {cluster or ''}")
    for each in chosen:
        yield from whoami_checks.on_cluster(caller, way, each)
