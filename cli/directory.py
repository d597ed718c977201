"""`commons directory`: an identity administrator's actions, on the local cloud only."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from botocore.exceptions import EndpointConnectionError

from cli.errors import BadInput, Failure
from cli.output import AsJson, print_json, print_table
from local import state
from local.identity_provider import WRITERS, IdentityProvider, Refused, Unknown

app = typer.Typer(
    no_args_is_help=True,
    help="Act as the company's identity provider does. Only on the local cloud.",
)
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}

Name = Annotated[str, typer.Argument(help="The new name.")]
Group = Annotated[str, typer.Argument(help="Name or id of a group.")]
User = Annotated[str, typer.Argument(help="Name or id of a user.")]
As = Annotated[str, typer.Option("--as", help=f"Whose events it leaves: {', '.join(WRITERS)}.")]


@app.command()
def create_group(name: Name, as_json: AsJson = False, writer: As = "scim") -> None:
    """Make a group."""
    with _provider(writer) as provider:
        _tell(as_json, f"group {name}", name=name, group_id=provider.create_group(name))


@app.command()
def create_user(name: Name, as_json: AsJson = False, writer: As = "scim") -> None:
    """Make a user, enabled."""
    with _provider(writer) as provider:
        _tell(as_json, f"user {name}", user_name=name, user_id=provider.create_user(name))


@app.command()
def add_member(group: Group, user: User, as_json: AsJson = False, writer: As = "scim") -> None:
    """Put a user into a group."""
    with _provider(writer) as provider:
        _tell_membership(as_json, f"{user} in {group}", provider.add_member(group, user))


@app.command()
def remove_member(group: Group, user: User, as_json: AsJson = False, writer: As = "scim") -> None:
    """Take a user out of a group."""
    with _provider(writer) as provider:
        _tell_membership(as_json, f"{user} out of {group}", provider.remove_member(group, user))


@app.command()
def disable_user(user: User, as_json: AsJson = False, writer: As = "scim") -> None:
    """Disable a user: the first thing that happens to one who leaves."""
    _set_status(user, "DISABLED", as_json, writer)


@app.command()
def enable_user(user: User, as_json: AsJson = False, writer: As = "scim") -> None:
    """Enable a user again."""
    _set_status(user, "ENABLED", as_json, writer)


@app.command()
def delete_user(user: User, as_json: AsJson = False, writer: As = "scim") -> None:
    """Delete a user and all memberships."""
    with _provider(writer) as provider:
        _tell(as_json, f"no user {user}", user_id=provider.delete_user(user))


@app.command()
def delete_group(group: Group, as_json: AsJson = False, writer: As = "scim") -> None:
    """Delete a group and its memberships."""
    with _provider(writer) as provider:
        _tell(as_json, f"no group {group}", group_id=provider.delete_group(group))


@app.command("list")
def show(as_json: AsJson = False) -> None:
    """Show the groups with their members, and the users with their status."""
    with _provider("scim") as provider:
        users, groups = provider.users(), provider.groups()
    names = {user["UserId"]: user["UserName"] for user in users}
    if as_json:
        print_json({"groups": [_group(g, names) for g in groups], "users": [*map(_user, users)]})
        return
    rows = ((g["DisplayName"], ", ".join(_members(g, names)), g["GroupId"]) for g in groups)
    print_table("Groups", ("group", "members", "id"), sorted(rows))
    people = ((u["UserName"], u["UserStatus"].lower(), u["UserId"]) for u in users)
    print_table("Users", ("user", "status", "id"), sorted(people))


def _group(group: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    members = _members(group, names)
    return {"group_id": group["GroupId"], "name": group["DisplayName"], "members": members}


def _user(user: dict[str, Any]) -> dict[str, Any]:
    return {
        "user_id": user["UserId"],
        "user_name": user["UserName"],
        "status": user["UserStatus"].lower(),
    }


def _members(group: dict[str, Any], names: dict[str, str]) -> list[str]:
    return sorted(names[user_id] for user_id in group["member_ids"])


def _set_status(user: str, status: str, as_json: bool, writer: str) -> None:
    with _provider(writer) as provider:
        user_id = provider.set_status(user, status)
        _tell(as_json, f"{user} {status.lower()}", user_id=user_id, status=status.lower())


def _tell_membership(as_json: bool, sentence: str, ids: tuple[str, str, str]) -> None:
    names = ("membership_id", "group_id", "user_id")
    _tell(as_json, sentence, **dict(zip(names, ids, strict=True)))


def _tell(as_json: bool, sentence: str, **ids: str) -> None:
    if as_json:
        print_json(ids)
        return
    shown = ", ".join(f"{name} {value}" for name, value in ids.items() if name.endswith("_id"))
    typer.echo(f"{sentence} ({shown})")


@contextmanager
def _provider(writer: str) -> Iterator[IdentityProvider]:
    """The directory of the local cloud; its refusals become exit codes."""
    if writer not in WRITERS:
        raise BadInput(f"--as is one of {', '.join(WRITERS)}, not {writer}")
    try:
        yield IdentityProvider(_url(), writer)
    except Unknown as error:
        raise BadInput(f"{error}. See: commons directory list") from error
    except Refused as error:
        raise Failure(f"The directory refused: {error}") from error
    except EndpointConnectionError as error:
        raise Failure(f"The local directory does not answer: {error}") from error


def _url() -> str:
    told = os.environ.get("AWS_ENDPOINT_URL_IDENTITYSTORE")
    if told and urlsplit(told).hostname in _LOOPBACK:
        return told
    recorded = state.read()
    if recorded is None:
        raise Failure("This command acts on a local cloud, and none runs here: commons local up")
    return f"http://127.0.0.1:{recorded.ports.directory}"
