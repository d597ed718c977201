"""`commons local token` and `credentials`: how kubectl and AWS SDKs sign in on the local cloud."""

from datetime import UTC, datetime
from typing import Annotated

import boto3
import typer

from cli import output
from cli.errors import BadInput, Failure
from local import kubeconfig, portal, settings, state

Person = Annotated[str | None, typer.Option("--as", help="User name; otherwise whoever AWS says.")]
User = Annotated[str, typer.Option("--user", help="User name in the directory.")]
PermissionSet = Annotated[str, typer.Option("--permission-set", help="commons-TEAM, for a team.")]
Account = Annotated[str, typer.Option("--account", help="Where the role is.")]
Cluster = Annotated[str, typer.Option("--cluster", help="Name of the EKS cluster.")]


def token(
    person: Person = None, permission_set: PermissionSet = "", cluster: Cluster = "hp-eks"
) -> None:
    """The credential kubectl asks for, as Kubernetes' exec plugins print it."""
    ports = _ports()
    if person:
        keys = _sign_in(ports, person, permission_set, settings.ACCOUNT)
        signed = portal.token(ports, keys, cluster)
    else:
        gateway = settings.urls(ports)["COMMONS_LOCAL_GATEWAY_URL"]
        signed = kubeconfig.token(boto3.Session(), gateway, cluster)
    typer.echo(kubeconfig.exec_credential(signed, datetime.now(UTC)))


def credentials(
    user: User, permission_set: PermissionSet, account: Account = settings.ACCOUNT
) -> None:
    """A person's AWS credentials, as `credential_process` in ~/.aws/config prints them.

    Only for a role that an assignment gives them.
    """
    keys = _sign_in(_ports(), user, permission_set, account)
    output.print_json(portal.credential_process(keys))


def _ports() -> settings.Ports:
    try:
        return state.running().ports
    except state.NotRunning as error:
        raise Failure(str(error)) from error


def _sign_in(ports: settings.Ports, user: str, permission_set: str, account: str) -> portal.Keys:
    if not permission_set:
        raise BadInput("--as needs --permission-set, such as commons-TEAM")
    try:
        return portal.credentials(ports, user, permission_set, account)
    except portal.NotLetIn as error:
        raise Failure(f"{user} is not let in: {error}") from error
