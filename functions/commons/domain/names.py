"""Names that follow from other names; the only place that builds or takes apart one of them."""

import hashlib
import re

NAMESPACE_PREFIX = "hyperpod-ns-"
# what SageMaker takes as TeamName; a namespace, its queues and the quota's name stay within 63
TEAM_NAME_LENGTH = 40
PERMISSION_SET_LENGTH = 32
# how groups begin that Kubernetes and EKS keep for themselves
_RESERVED_GROUPS = ("system:", "eks:", "aws:", "amazon:", "iam:")
# what AWS accepts as a role session name
_SESSION_NAME = re.compile(r"[\w+=,.@-]{2,64}", re.ASCII)


def quota_team_name(team: str, project: str | None = None) -> str:
    """TeamName of the compute quota: the team's own, or the one of its project."""
    return f"{team}-{project}" if project else team


def namespace_name(team: str, project: str | None = None) -> str:
    return NAMESPACE_PREFIX + quota_team_name(team, project)


def local_queue_name(namespace: str) -> str:
    """The LocalQueue that a quota creates in its namespace."""
    return f"{namespace}-localqueue"


def cluster_queue_name(namespace: str) -> str:
    """The ClusterQueue that a quota creates for its namespace."""
    return f"{namespace}-clusterqueue"


def quota_name(cluster_arn: str, team: str, project: str | None = None) -> str:
    """Carries the cluster's id, because quota names may have to be unique in a Region."""
    return f"commons-{cluster_id(cluster_arn)}-{quota_team_name(team, project)}"


def permission_set_name(team: str) -> str:
    """At most 32 characters: a longer one is cut and told apart by a hash of the whole."""
    name = f"commons-{team}"
    if len(name) <= PERMISSION_SET_LENGTH:
        return name
    digest = hashlib.sha256(team.encode()).hexdigest()[:8]
    return f"{name[: PERMISSION_SET_LENGTH - 9].rstrip('-')}-{digest}"


def session_name(user_name: str) -> str | None:
    """The directory's user name as EKS hands it on, `@` turned into `-`; None if it cannot be."""
    if not _SESSION_NAME.fullmatch(user_name):
        return None
    return user_name.replace("@", "-")


def kubernetes_user(team: str, session: str) -> str:
    """Who a member is in a cluster: the name that RoleBindings list."""
    return f"commons:{team}:{session}"


def is_reserved_group(name: str) -> bool:
    """Whether no access entry may bring it: `system:masters` would be everybody's master."""
    return name.strip().casefold().startswith(_RESERVED_GROUPS)


def cluster_id(cluster_arn: str) -> str:
    """The twelve characters at the end of a HyperPod cluster's ARN."""
    return cluster_arn.rpartition("/")[2]


def account_of(arn: str) -> str:
    return arn.split(":")[4]


def region_of(arn: str) -> str:
    return arn.split(":")[3]
