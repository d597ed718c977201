"""What stands in a team's kubeconfig and in the AWS configuration of its people; no calls."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from cli.errors import BadInput
from commons.domain.documents import ClusterDocument
from commons.domain.names import account_of, permission_set_name, region_of

_WRITTEN = "# from commons team kubeconfig, which writes it anew"
_EXEC = "client.authentication.k8s.io/v1beta1"

Plugin = dict[str, Any]
"""The command that kubectl asks for a token."""


class Place(NamedTuple):
    """A namespace of the team, and how its cluster is reached; `certificate` is base64."""

    namespace: str
    cluster: ClusterDocument
    endpoint: str
    certificate: str

    @property
    def context(self) -> str:
        return f"{self.namespace}@{self.cluster.name}"


def document(places: list[Place], plugin: Callable[[ClusterDocument], Plugin]) -> dict[str, Any]:
    """A kubeconfig with a context per namespace; the first is the current one."""
    clusters = {place.cluster.name: place for place in places}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [_cluster(name, place) for name, place in clusters.items()],
        "users": [_user(name, plugin(place.cluster)) for name, place in clusters.items()],
        "contexts": [_context(place) for place in places],
        "current-context": places[0].context,
    }


def write(path: Path, content: dict[str, Any]) -> None:
    """Not secret, but kubectl warns of a file that others may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as target:
        yaml.safe_dump(content, target, sort_keys=False)


def write_profiles(path: Path, text: str) -> None:
    """Raises BadInput rather than write over profiles that are not from here."""
    if path.exists() and not path.read_text().startswith(_WRITTEN):
        raise BadInput(f"{path} is not from this command: name another, or add the profiles to it")
    path.write_text(f"{_WRITTEN}\n{text}\n")


def aws_plugin(team: str) -> Callable[[ClusterDocument], Plugin]:
    """`aws eks get-token` under the profile of the team's permission set."""

    def plugin(cluster: ClusterDocument) -> Plugin:
        where = ["--region", region_of(cluster.cluster), "--profile", profile_name(team, cluster)]
        words = ["eks", "get-token", "--cluster-name", cluster.eks_cluster]
        return {"command": "aws", "args": [*words, *where]}

    return plugin


def profile_name(team: str, cluster: ClusterDocument) -> str:
    """One per account, since the role is another in each."""
    return f"{permission_set_name(team)}-{account_of(cluster.cluster)}"


def aws_config(team: str, places: list[Place], identity_store: str, region: str) -> str:
    """The part of ~/.aws/config with which `aws sso login` signs a person in.

    `region` is that of Identity Center; its portal has the directory's id as its name.
    """
    accounts = {account_of(place.cluster.cluster): place.cluster for place in places}
    lines = [line for cluster in accounts.values() for line in _profile(team, cluster)]
    lines += [
        "[sso-session gpu-commons]",
        f"sso_start_url = https://{identity_store}.awsapps.com/start",
        f"sso_region = {region}",
        "sso_registration_scopes = sso:account:access",
    ]
    return "\n".join(lines)


def _profile(team: str, cluster: ClusterDocument) -> list[str]:
    return [
        f"[profile {profile_name(team, cluster)}]",
        "sso_session = gpu-commons",
        f"sso_account_id = {account_of(cluster.cluster)}",
        f"sso_role_name = {permission_set_name(team)}",
        f"region = {region_of(cluster.cluster)}",
        "",
    ]


def _cluster(name: str, place: Place) -> dict[str, Any]:
    where = {"server": place.endpoint, "certificate-authority-data": place.certificate}
    return {"name": name, "cluster": where}


def _user(name: str, plugin: Plugin) -> dict[str, Any]:
    how = {"apiVersion": _EXEC, **plugin, "interactiveMode": "IfAvailable"}
    return {"name": name, "user": {"exec": how}}


def _context(place: Place) -> dict[str, Any]:
    name = place.cluster.name
    what = {"cluster": name, "user": name, "namespace": place.namespace}
    return {"name": place.context, "context": what}
