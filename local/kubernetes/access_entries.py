"""From a caller to a Kubernetes user, by the access entries that EKS holds."""

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from local.kubernetes import caller as callers
from local.kubernetes.caller import Caller, Session
from local.kubernetes.rbac import User

_ADMIN = "AmazonEKSClusterAdminPolicy"
_READER = "AmazonEKSAdminViewPolicy"


class Refused(Exception):
    """Not signed in; the text is for the log only."""


@dataclass(frozen=True)
class Clients:
    """The two APIs that know roles and entries."""

    iam: Any
    eks: Any


def connect(gateway_url: str) -> Clients:
    """Clients of the gateway with the part's own credentials, which are the account's root's."""
    session = boto3.Session()
    config = Config(connect_timeout=2, read_timeout=10, retries={"total_max_attempts": 2})
    return Clients(
        iam=session.client("iam", endpoint_url=gateway_url, config=config),
        eks=session.client("eks", endpoint_url=gateway_url, config=config),
    )


def user(
    clients: Clients, cluster: str, caller: Caller, role_ids: dict[tuple[str, str, Any], str]
) -> User:
    """The user of the caller's entry; raises Refused where there is none that fits.

    An entry stands for the role that it was made for, not for its name: EKS stores the role's
    unique id. The API does not tell it, so `role_ids` remembers the one first seen per entry, and
    a role younger than its entry is a stranger at once.
    """
    session = callers.session(caller)
    role = _role(clients.iam, session) if session else None
    principal = role["Arn"] if role else caller.arn
    entry = _entry(clients.eks, cluster, principal)
    if role:
        _check_same_role(role, entry, role_ids)
    policies = _policies(clients.eks, cluster, principal)
    everywhere = {name for name, scope in policies if scope["type"] == "cluster"}
    return User(
        _user_name(entry.get("username") or caller.arn, session),
        (*entry.get("kubernetesGroups", []), "system:authenticated"),
        cluster_admin=_ADMIN in everywhere,
        admin_namespaces=tuple(
            namespace
            for name, scope in policies
            if name == _ADMIN and scope["type"] == "namespace"
            for namespace in scope.get("namespaces", [])
        ),
        reader=_READER in everywhere,
    )


def _user_name(template: str, session: Session | None) -> str:
    name = session.session_name if session else ""
    return template.replace("{{SessionName}}", name.replace("@", "-"))


def _role(iam: Any, session: Session) -> dict[str, Any]:
    role: dict[str, Any] = _ask(iam, "get_role", "Role", RoleName=session.role_name)
    if role["RoleId"] != session.role_id:
        raise Refused(f"the session's role {session.role_name} is gone; a new one has its name")
    return role


def _entry(eks: Any, cluster: str, principal: str) -> dict[str, Any]:
    entry: dict[str, Any] = _ask(
        eks, "describe_access_entry", "accessEntry", clusterName=cluster, principalArn=principal
    )
    return entry


def _check_same_role(
    role: dict[str, Any], entry: dict[str, Any], role_ids: dict[tuple[str, str, Any], str]
) -> None:
    entered_for = (entry["clusterName"], entry["principalArn"], entry["createdAt"])
    created = role["CreateDate"].replace(microsecond=0)  # entries tell whole seconds only
    if (
        created > entry["createdAt"]
        or role_ids.setdefault(entered_for, role["RoleId"]) != role["RoleId"]
    ):
        raise Refused(f"{role['Arn']} was made again after its access entry")


def _policies(eks: Any, cluster: str, principal: str) -> list[tuple[str, dict[str, Any]]]:
    found = _ask(
        eks,
        "list_associated_access_policies",
        "associatedAccessPolicies",
        clusterName=cluster,
        principalArn=principal,
    )
    return [(policy["policyArn"].rpartition("/")[2], policy["accessScope"]) for policy in found]


def _ask(client: Any, operation: str, field: str, **request: str) -> Any:
    try:
        return getattr(client, operation)(**request)[field]
    except (ClientError, BotoCoreError) as error:
        raise Refused(f"{operation} of {', '.join(request.values())}: {error}") from error
