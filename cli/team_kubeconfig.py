"""`commons team kubeconfig`: the file with which kubectl works as a person of a team.

It holds no secret: kubectl asks a command for a token each time, the AWS CLI in AWS and
`commons local token` on the local cloud.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from cli import account_checks, cluster_access, kubeconfig_file, output, stack, team_view
from cli.errors import BadInput, Failure
from cli.kubeconfig_file import Place, Plugin
from commons.adapters.member_table import MemberTable
from commons.adapters.team_table import TeamTable
from commons.domain.documents import ClusterDocument, TeamDocument
from commons.domain.names import namespace_name, permission_set_name
from local import settings

Team = Annotated[str, typer.Argument(help="Id of the team.")]
As = Annotated[
    str | None, typer.Option("--as", help="Who; on the local cloud, where nobody signs in.")
]
OnCluster = Annotated[
    str | None, typer.Option("--cluster", help="ARN or name; all of the team's otherwise.")
]
Output = Annotated[
    Path | None, typer.Option("--output", help="The file; commons-TEAM.kubeconfig otherwise.")
]

AwsConfig = Annotated[
    Path | None, typer.Option("--aws-config", help="In AWS: a file for the profiles, too.")
]


def kubeconfig(
    team: Team,
    person: As = None,
    cluster: OnCluster = None,
    file: Output = None,
    aws_config: AwsConfig = None,
    as_json: output.AsJson = False,
) -> None:
    """Write the kubeconfig of a team's people."""
    table = team_view.team_table()
    accepted = team_view.known_team(table, team)
    people = MemberTable(stack.table("TeamTable")).members(team).values()
    _check_person(person, [member.user_name for member in people], team)
    places = list(_places(table, accepted.document, cluster))
    if not places:
        where = f"on a cluster {cluster}" if cluster else "on a registered cluster"
        raise Failure(f"Team {team} has no namespace {where}; see: commons team show {team}")
    plugin = _local_plugin(person, team) if person else kubeconfig_file.aws_plugin(team)
    profiles = None if person else _aws_config(team, places)
    path = file or Path(f"commons-{team}.kubeconfig")
    kubeconfig_file.write(path, kubeconfig_file.document(places, plugin))
    if profiles and aws_config:
        kubeconfig_file.write_profiles(aws_config, profiles)
    _tell(team, path, places, profiles, as_json)


def _check_person(person: str | None, members: list[str], team: str) -> None:
    local = account_checks.is_local()
    if person and not local:
        raise BadInput(
            "--as works on the local cloud only: in AWS nobody signs in for somebody else. Leave "
            "it out; whoever uses the file signs in as themselves"
        )
    if local and person not in members:
        asked = f"{person} is not in team {team}" if person else "Say who, with --as USER"
        raise BadInput(f"{asked}; its people: {', '.join(sorted(members)) or 'nobody'}")


def _places(table: TeamTable, document: TeamDocument, wanted: str | None) -> Iterator[Place]:
    found = (table.find_cluster(arn) for arn in document.clusters())
    clusters = {each.document.cluster: each.document for each in found if each}
    chosen = {
        arn: _reach(cluster)
        for arn, cluster in clusters.items()
        if wanted in (None, arn, cluster.name)
    }
    for spec in document.namespaces:
        if spec.cluster in chosen:
            name = namespace_name(document.team, spec.project)
            yield Place(name, clusters[spec.cluster], *chosen[spec.cluster])


def _reach(cluster: ClusterDocument) -> tuple[str, str]:
    eks = cluster_access.regional("eks", cluster.cluster)
    found = eks.describe_cluster(name=cluster.eks_cluster)["cluster"]
    return str(found["endpoint"]), str(found["certificateAuthority"]["data"])


def _local_plugin(person: str, team: str) -> Callable[[ClusterDocument], Plugin]:
    def plugin(cluster: ClusterDocument) -> Plugin:
        words = ["local", "token", "--as", person, "--permission-set", permission_set_name(team)]
        return {
            "command": str(Path(sys.executable).with_name("commons")),
            "args": [*words, "--cluster", cluster.eks_cluster],
            "env": [{"name": "COMMONS_LOCAL_HOME", "value": str(settings.home())}],
        }

    return plugin


def _aws_config(team: str, places: list[Place]) -> str:
    client = stack.client("sso-admin")
    instances = client.list_instances()["Instances"]
    if not instances:
        raise Failure("This account and Region have no Identity Center; see: commons doctor")
    store = instances[0]["IdentityStoreId"]
    return kubeconfig_file.aws_config(team, places, store, client.meta.region_name)


def _tell(team: str, path: Path, places: list[Place], profile: str | None, as_json: bool) -> None:
    if as_json:
        contexts = [place.context for place in places]
        output.print_json({"file": str(path), "contexts": contexts, "aws_config": profile})
        return
    rows = [(place.context, place.namespace, place.cluster.name) for place in places]
    output.print_table(f"Written to {path}", ["context", "namespace", "cluster"], rows)
    if profile:
        login = f"aws sso login --profile {kubeconfig_file.profile_name(team, places[0].cluster)}"
        text = f"Each person adds this to ~/.aws/config once, then runs {login}:\n\n{profile}\n"
        output.console.print(text, markup=False, highlight=False, soft_wrap=True)
    output.console.print(
        f"Next: KUBECONFIG={path} kubectl get pods", highlight=False, soft_wrap=True
    )
