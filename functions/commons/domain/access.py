"""What gives a team its way into a cluster: a permission set, its role, one access entry a cluster.

The entry names nobody: its user name carries the session's name, and the namespace's RoleBindings
list people. So neither joining nor leaving a team changes anything here.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from commons.domain.documents import ClusterDocument
from commons.domain.errors import Conflict
from commons.domain.names import account_of, is_reserved_group, kubernetes_user, region_of

TEAM_TAG = "gpu.commons/team"
ROLE_ID_TAG = "gpu.commons/role-id"
SESSION_HOURS = 4
SESSION_DURATION = f"PT{SESSION_HOURS}H"
ROLE_PATH = "/aws-reserved/sso.amazonaws.com/"
_ROLE_PREFIX = "AWSReservedSSO_"


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class PermissionSet(Frozen):
    """`policy` is JSON text; `team` is what its tag says, None where it has none."""

    name: str
    arn: str = ""
    session_duration: str = SESSION_DURATION
    policy: str = ""
    team: str | None = None


class Role(Frozen):
    """The role that Identity Center made. It can come back under the same ARN with another id."""

    arn: str
    role_id: str
    created_at: datetime


class Entry(Frozen):
    """An access entry as EKS describes it; its groups are somebody else's, we set none."""

    arn: str
    principal: str
    username: str
    type: str
    created_at: datetime
    groups: tuple[str, ...] = ()
    tags: Mapping[str, str] = {}


class EntryChange(Frozen):
    """One write to the access entries of a cluster; `arn` is the entry's where it exists."""

    verb: Literal["create", "update", "tag", "delete"]
    principal: str
    username: str = ""
    groups: tuple[str, ...] = ()
    tags: Mapping[str, str] = {}
    arn: str = ""


def eks_arn(cluster: ClusterDocument) -> str:
    """ARN of the EKS cluster that orchestrates a HyperPod cluster."""
    partition = cluster.cluster.split(":")[1]
    place = f"{region_of(cluster.cluster)}:{account_of(cluster.cluster)}"
    return f"arn:{partition}:eks:{place}:cluster/{cluster.eks_cluster}"


def inline_policy(clusters: Iterable[ClusterDocument]) -> str:
    """What `aws sso login` and kubectl need on the team's clusters, and nothing more."""
    known = list(clusters)
    statements = [
        {
            "Sid": "ReachTheClusters",
            "Effect": "Allow",
            "Action": ["eks:DescribeCluster", "sagemaker:DescribeCluster"],
            "Resource": sorted([eks_arn(each) for each in known] + [c.cluster for c in known]),
        },
        # ListClusters takes no resource
        {
            "Sid": "FindThem",
            "Effect": "Allow",
            "Action": ["sagemaker:ListClusters"],
            "Resource": "*",
        },
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def differences(wanted: PermissionSet, observed: PermissionSet) -> list[str]:
    """What must be written to make one the other; raises Conflict if it is somebody else's."""
    if observed.team != wanted.team:
        owner = f"team {observed.team}" if observed.team else "nobody"
        raise Conflict(
            f"The permission set {observed.name} exists and is tagged as {owner}'s: rename it, or "
            f"tag it {TEAM_TAG}={wanted.team} to hand it over"
        )
    found = []
    if observed.session_duration != wanted.session_duration:
        found.append("session duration")
    if _parsed(observed.policy) != _parsed(wanted.policy):
        found.append("policy")
    return found


def _parsed(policy: str) -> object:
    return json.loads(policy) if policy else None


def permission_set_of(principal: str) -> str | None:
    """The permission set whose role the principal is, from `AWSReservedSSO_<name>_<suffix>`."""
    if ROLE_PATH not in principal:
        return None
    return permission_set_of_role(principal.rpartition("/")[2])


def permission_set_of_role(name: str) -> str | None:
    """The same from the role's name alone."""
    if not name.startswith(_ROLE_PREFIX):
        return None
    return name.removeprefix(_ROLE_PREFIX).rpartition("_")[0]


def username(team: str) -> str:
    """What EKS makes of a session: `commons:<team>:<the session's name>`."""
    return kubernetes_user(team, "{{SessionName}}")


def plan_entry(
    team: str, role: Role, observed: Entry | None, former: Iterable[Entry]
) -> list[EntryChange]:
    """Bring a cluster to one entry for the role. `former`: entries on older roles of the same set.

    The new one is made before the old ones go, and takes over the groups others gave them.
    """
    old = [entry for entry in former if entry.principal != role.arn]
    inherited = tuple(group for entry in old for group in _kept(entry))
    changes = _on_the_role(team, role, observed, inherited)
    return changes + [EntryChange(verb="delete", principal=each.principal) for each in old]


def _on_the_role(
    team: str, role: Role, observed: Entry | None, inherited: tuple[str, ...]
) -> list[EntryChange]:
    groups = tuple(dict.fromkeys((_kept(observed) if observed else ()) + inherited))
    tags = {TEAM_TAG: team, ROLE_ID_TAG: role.role_id}
    wanted = EntryChange(
        verb="create", principal=role.arn, username=username(team), groups=groups, tags=tags
    )
    if observed is None:
        return [wanted]
    if observed.type != "STANDARD":
        raise Conflict(
            f"The access entry of {role.arn} has type {observed.type}, which cannot be changed: "
            "delete it, and it is made again as it must be"
        )
    if _is_dead(observed, role):
        return [EntryChange(verb="delete", principal=role.arn), wanted]
    changes = []
    if observed.username != wanted.username or set(observed.groups) != set(groups):
        changes.append(wanted.model_copy(update={"verb": "update", "tags": {}}))
    if not tags.items() <= dict(observed.tags).items():
        changes.append(EntryChange(verb="tag", principal=role.arn, tags=tags, arn=observed.arn))
    return changes


def _kept(entry: Entry) -> tuple[str, ...]:
    """Groups of others; EKS takes no reserved one, and from us nobody gets it either."""
    return tuple(group for group in entry.groups if not is_reserved_group(group))


def _is_dead(observed: Entry, role: Role) -> bool:
    """An entry holds the role's unique id: a role that was made again is a stranger to it."""
    made_for = observed.tags.get(ROLE_ID_TAG)
    if made_for is not None:
        return made_for != role.role_id
    return observed.created_at < role.created_at
